//! The numbers of the ranking: one setting for every inventory and every query.

/// What the ranking can be told; [`Setting::default`] is the one that is shipped. How it was chosen is in
/// ARCHITECTURE.md.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// How much a word counts in each field, in the order of [`super::Field::ALL`].
    pub weight: [f32; 10],
    /// The length of each field, in words, at which a word counts as it is; it counts less in a longer one.
    pub pivot: [f32; 10],
    /// How much a field's length counts: 0 not at all, 1 in proportion.
    pub length: [f32; 10],
    /// How much of a word, over the fields, counts half of what a word can.
    pub saturation: f32,
    /// What a name that is covered by the query is worth, beside the words it is covered by.
    pub name_coverage: f32,
    /// How often a query must say a word for it to count half of what repeating it can add.
    pub repetition: f32,
    /// How much a query's word counts inside quotes.
    pub quoted: f32,
    /// How much a query's word counts that holds a digit.
    pub digits: f32,
    /// How much the parts of a camel-case word of the query count beside the whole, where a tool has the whole.
    pub parts: f32,
    /// How much the nearest known words count for a misspelt one.
    pub typo: f32,
    /// How much a word counts that means much the same as the query's.
    pub synonym: f32,
    /// How many terms make a sentence of the query a need of its own; shorter ones join their neighbour.
    pub need_terms: usize,
    /// How much of a need is met by the tool that meets it best; what is met counts less for the tools after it.
    pub spread: f32,
    /// How much what a tool's source is worth, per tool, counts for the tool.
    pub source_share: f32,
    /// Tools that a source is held to have beside its own.
    pub source_floor: f32,
    /// How much more a tool counts that is used most.
    pub prior: f32,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            weight: [1.6, 1.3, 1.2, 0.25, 1.6, 0.6, 0.8, 1.5, 0.85, 0.5],
            pivot: [3.0, 4.0, 12.0, 25.0, 4.0, 25.0, 8.0, 2.0, 20.0, 2.0],
            length: [0.15, 0.8, 0.2, 0.0, 0.85, 0.7, 0.9, 1.0, 1.0, 0.1],
            saturation: 2.6,
            name_coverage: 0.9,
            repetition: 0.35,
            quoted: 0.15,
            digits: 0.5,
            parts: 0.3,
            typo: 0.5,
            synonym: 0.5,
            need_terms: 4,
            spread: 0.2,
            source_share: 0.5,
            source_floor: 1.0,
            prior: 0.25,
        }
    }
}
