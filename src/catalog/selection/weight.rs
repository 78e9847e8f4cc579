//! How much each tool is likely to be used, from what was used.

use std::collections::HashMap;
use std::sync::Arc;

/// Recorded use by tool id, at one moment: a snapshot, so that a catalog stays as it is until it is made anew.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    by_id: HashMap<Arc<str>, f64>,
}

impl Weights {
    /// Weights by id; what is not finite and above zero is left out.
    pub fn new(weights: impl IntoIterator<Item = (Arc<str>, f64)>) -> Self {
        Self { by_id: weights.into_iter().filter(|(_, weight)| weight.is_finite() && *weight > 0.0).collect() }
    }

    /// Whether nothing was used.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Every used tool with its weight, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.by_id.iter().map(|(id, weight)| (id.as_ref(), *weight))
    }
}

/// What a tool of a used source gets of the source's use, beside its own: as much as an even share of it.
const SHARE: f64 = 1.0;
/// What a tool of a source that was never used gets of an even share of all use.
const FLOOR: f64 = 0.05;

/// The expected use of each slot: its own, a share of its source's, and a little for what nothing is known of.
/// Only the proportions mean something. Without any use in the view all slots are alike: what is not visible is
/// nobody's use here.
pub(super) fn expected(
    index: &mut super::super::index::CatalogIndex,
    view: &super::super::view::View,
    weights: &Weights,
) -> Vec<f64> {
    let slots = index.entries.len();
    let mut own = vec![0.0; slots];
    if !weights.is_empty() {
        let by_id = index.by_id();
        for (id, weight) in weights.iter() {
            if let Some(slot) = by_id.get(id) {
                own[*slot as usize] = weight;
            }
        }
    }
    let used: Vec<f64> =
        view.sources.iter().map(|source| source.tools.iter().map(|(slot, _)| own[*slot as usize]).sum()).collect();
    let all: f64 = used.iter().sum();
    if all == 0.0 {
        return vec![1.0; slots];
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
    let floor = FLOOR * all / view.total as f64;
    let mut expected = vec![0.0; slots];
    for (source, used) in view.sources.iter().zip(used) {
        #[expect(clippy::cast_precision_loss, reason = "counts of tools are far below 2^52")]
        let share = SHARE * used / source.tools.len() as f64;
        for (slot, _) in &source.tools {
            expected[*slot as usize] = own[*slot as usize] + (share + floor);
        }
    }
    expected
}
