//! Counts as JavaScript gives them.

/// A whole number from 0 as a count: an argument of a narrower type would take it modulo 2^32, so that a limit that is
/// large became a small one. What is more than any count can be is the largest.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a conversion from `f64` saturates")]
pub const fn count(number: f64) -> usize {
    number as usize
}
