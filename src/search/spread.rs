//! Several needs in one query: something for each of them, rather than ten tools for the first.

use hashbrown::HashMap;

use super::rank::Hit;

/// A hit with what it is worth for each need.
struct Row {
    hit: Hit,
    worths: Vec<f32>,
}

/// Reorders hits so that a need counts less the better those before have met it: by the share `strength` of what
/// they are worth for it, against the best of all. `parts` holds what tools are worth for the needs, by number.
pub(super) fn spread(parts: &[(u32, usize, f32)], hits: &mut [Hit], needs: usize, strength: f32) {
    let places: HashMap<u32, usize> =
        hits.iter().enumerate().map(|(place, hit)| (hit.slot, place)).collect();
    let mut rows: Vec<Row> =
        hits.iter().map(|&hit| Row { hit, worths: vec![0.0; needs] }).collect();
    let mut most = vec![0.0_f32; needs];
    for &(slot, need, worth) in parts {
        if let Some(&place) = places.get(&slot) {
            rows[place].worths[need] = worth;
            most[need] = most[need].max(worth);
        }
    }
    let mut left = vec![1.0; needs];
    for place in 0..rows.len() {
        let mut best = (place, f32::MIN);
        for (at, row) in rows.iter().enumerate().skip(place) {
            let score = row.remaining(&left);
            if score > best.1 {
                best = (at, score);
            }
        }
        rows[place..=best.0].rotate_right(1);
        hits[place] = rows[place].hit;
        for ((left, worth), most) in left.iter_mut().zip(&rows[place].worths).zip(&most) {
            if *most > 0.0 {
                *left *= 1.0 - strength * worth / most;
            }
        }
    }
}

impl Row {
    /// The hit's score, less what others before it have met already.
    fn remaining(&self, left: &[f32]) -> f32 {
        let power = |worth: f32| worth * worth.sqrt().sqrt();
        let all: f32 = self.worths.iter().map(|worth| power(*worth)).sum();
        let now: f32 = self.worths.iter().zip(left).map(|(worth, left)| power(worth * left)).sum();
        if all > 0.0 { self.hit.score * (now / all).powf(0.8) } else { self.hit.score }
    }
}
