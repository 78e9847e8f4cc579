//! Several needs in one query: something for each of them, rather than ten tools for the first.

use super::rank::{Hit, joined_worth, need_worth};

/// What a tool is worth for a need, by the need's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub slot: u32,
    pub need: u32,
    pub worth: f32,
}

/// A hit with what it is worth for each need; from the second pass on raised as [`need_worth`] does.
struct Row {
    hit: Hit,
    score: f32,
    worths: Vec<f32>,
    all: f32,
}

/// Reorders hits so that a need counts less the better those before have met it: by the share `strength` of what
/// they are worth for it, against the best of all. Their scores become what is left. `parts` holds what tools are worth for the needs; `place` tells
/// where a slot stands among the hits.
///
/// Cost: in proportion to the parts, and to the square of the hits.
pub(super) fn spread(
    parts: &[Part],
    hits: &mut [Hit],
    needs: usize,
    strength: f32,
    place: impl Fn(u32) -> Option<usize>,
) {
    let mut rows: Vec<Row> =
        hits.iter().map(|&hit| Row { hit, score: 0.0, worths: vec![0.0; needs], all: 0.0 }).collect();
    let mut most = vec![0.0_f32; needs];
    for &Part { slot, need, worth } in parts {
        if let Some(place) = place(slot) {
            let need = need as usize;
            rows[place].worths[need] = worth;
            most[need] = most[need].max(worth);
        }
    }
    for row in &mut rows {
        row.worths.iter_mut().for_each(|worth| *worth = need_worth(*worth));
        row.all = row.worths.iter().sum();
        row.score = need_worth(row.hit.score);
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
        hits[place] = Hit { score: joined_worth(best.1), ..rows[place].hit };
        for ((left, worth), most) in left.iter_mut().zip(&rows[place].worths).zip(&most) {
            if *most > 0.0 {
                *left *= need_worth(1.0 - strength * joined_worth(*worth) / most);
            }
        }
    }
}

impl Row {
    /// The hit's score, less what others before it have met already; raised like the worths.
    fn remaining(&self, left: &[f32]) -> f32 {
        let now: f32 = self.worths.iter().zip(left).map(|(worth, left)| worth * left).sum();
        if self.all > 0.0 { self.score * now / self.all } else { self.score }
    }
}
