//! A tool's lines, and what they cost.
//!
//! Most tools of a large inventory are never shown, and to know that takes no exact cost: what a tool costs at the least
//! is found step by step, each step reading more of its declaration, and only the last one writes its lines.

use super::index::Tool;
use super::signature::{self, Declaration, least};
use super::text;

/// What the lines of a tool have at the least beside its name.
const LEAST_FULL: &str = "(input: {}): any\n";
const LEAST_COMPACT: &str = "(_?)\n";

/// What a cost was found from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    /// The name alone.
    Name,
    /// That, and the line of the description.
    Description,
    /// All that, and the names of the parameters.
    Parameters,
    /// The lines.
    Exact,
}

/// What a tool costs, in characters with the line break.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Its name as a member.
    pub name: u32,
    /// Its full lines, at the least.
    pub full: (u32, Known),
    /// Where in the declaration the next look begins.
    pub from: u32,
    /// Its compact line, and its sentence on top of it.
    pub compact: Option<(u32, u32)>,
}

impl Measure {
    pub(super) fn of_name(member: &str) -> Self {
        let name = characters(text::key_length(member));
        Self { name, full: (name + length(LEAST_FULL), Known::Name), from: 0, compact: None }
    }

    /// The compact line with its sentence.
    pub(super) fn sentence(&self) -> (u32, Known) {
        match self.compact {
            Some((line, sentence)) => (line + sentence, Known::Exact),
            None => (self.name + length(LEAST_COMPACT), Known::Name),
        }
    }

    /// Takes one more look at the declaration, short of writing the lines.
    pub(super) fn look(&mut self, declaration: &str) {
        let (found, known) = if self.full.1 == Known::Name {
            let (found, from) = least::description(declaration);
            self.from = characters(from);
            (found, Known::Description)
        } else {
            (least::parameters(declaration, self.from as usize), Known::Parameters)
        };
        self.full = (self.full.0.saturating_add(characters(found)), known);
    }
}

/// A tool's full lines.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// Named types, a line each.
    pub types: String,
    pub text: String,
}

impl Lines {
    pub(super) fn full(tool: &Tool) -> Self {
        let mut declaration = Declaration::checked(&tool.declaration);
        let types = signature::types(&mut declaration, &tool.id());
        let (mut named, mut text) = (String::new(), String::with_capacity(512));
        signature::push_declarations(&mut named, &types);
        signature::push_description(&mut text, declaration.description);
        signature::push_member(&mut text, &tool.member, &types, "any");
        text.push('\n');
        Self { types: named, text }
    }

    pub(super) fn length(&self) -> u32 {
        length(&self.types) + length(&self.text)
    }
}

/// A tool's compact line without its line break, and its sentence.
#[derive(Clone, Debug)]
pub(super) struct CompactLine {
    pub line: Box<str>,
    pub sentence: Box<str>,
}

impl CompactLine {
    pub(super) fn of(tool: &Tool) -> Self {
        let mut declaration = Declaration::checked(&tool.declaration);
        let (mut line, mut sentence) = (String::new(), String::new());
        signature::push_compact(&mut line, &tool.member, &mut declaration);
        signature::push_sentence(&mut sentence, declaration.description);
        Self { line: line.into(), sentence: sentence.into() }
    }

    /// Of the line with its line break, and of the sentence.
    pub(super) fn lengths(&self) -> (u32, u32) {
        (length(&self.line) + 1, length(&self.sentence))
    }
}

fn length(text: &str) -> u32 {
    characters(text::length(text))
}

fn characters(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
