//! What is known of a tool's full lines without writing them, found in one look at its declaration.
//!
//! Whoever takes a declaration in has its text at hand and takes the look then: twelve bytes for each tool spare a catalog
//! the reading of every tool that it does not show.

use super::signature::{self, least};
use super::text;

/// Places and lengths, the latter in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The comment of the description.
    pub(super) comment: u32,
    /// What the parameters take at the least.
    parameters: u32,
    /// A place in the text which all schemas are behind.
    pub(super) schemas: u32,
}

impl Outline {
    /// Looks at a declaration. Linear in its text, less what a description has beyond its first line.
    #[must_use]
    pub fn of(declaration: &str) -> Self {
        let mut comment = String::with_capacity(2 * signature::DESCRIPTION_LENGTH);
        let schemas = signature::push_comment(&mut comment, declaration);
        Self {
            comment: characters(text::length(&comment)),
            parameters: characters(least::parameters(declaration, schemas)),
            schemas: characters(schemas),
        }
    }

    /// What the lines have at the least beside the name and what surrounds every type.
    pub(super) fn least(self) -> u32 {
        self.comment.saturating_add(self.parameters)
    }
}

/// No declaration is as long as what does not fit.
pub(super) fn characters(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
