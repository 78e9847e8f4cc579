//! The numbers of the ranking: one setting for every inventory and every query.

/// What the ranking can be told; [`Setting::default`] is the one that is shipped, and how it was chosen is in
/// ARCHITECTURE.md.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Weight of each field, in the order of [`super::Field::ALL`].
    pub weight: [f32; 10],
    /// The length in words at which a field counts as it is.
    pub pivot: [f32; 10],
    /// How much a field's length counts: 0 not at all, 1 in proportion.
    pub length: [f32; 10],
    /// How soon more of the same word counts no more.
    pub saturation: f32,
    pub name_coverage: f32,
    pub coverage_power: f32,
    pub idf_power: f32,
    pub query_saturation: f32,
    pub quoted: f32,
    pub digits: f32,
    pub joined: f32,
    pub source_smoothing: f32,
    pub match_power: f32,
    pub mention: f32,
    pub typo: f32,
    pub diversity: f32,
    pub pair: f32,
    pub synonym: f32,
    pub need: f32,
    pub feedback: f32,
    pub later: f32,
    pub prior: f32,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            weight: [3.0, 1.5, 1.5, 1.0, 1.0, 0.5, 0.3, 1.0, 0.4, 0.3],
            pivot: [3.0, 4.0, 12.0, 25.0, 4.0, 25.0, 8.0, 2.0, 20.0, 2.0],
            length: [0.3, 0.5, 0.4, 0.6, 0.5, 0.6, 0.7, 0.3, 0.5, 0.3],
            saturation: 1.5,
            name_coverage: 0.6,
            coverage_power: 1.0,
            idf_power: 1.0,
            query_saturation: 1.0,
            quoted: 1.0,
            digits: 1.0,
            joined: 0.5,
            source_smoothing: 0.0,
            match_power: 0.0,
            mention: 0.0,
            typo: 0.5,
            diversity: 0.0,
            pair: 0.0,
            synonym: 0.0,
            need: 0.0,
            feedback: 0.0,
            later: 1.0,
            prior: 0.25,
        }
    }
}
