//! Unions and intersections, written in place: each part is written at the end of the text, then kept, dropped as a
//! repetition, or wrapped.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashSet};

/// What was written, as far as the text around it must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Needs no parentheses anywhere.
    Atom,
    /// `A | B`.
    Union,
    /// `A & B`.
    Intersection,
    /// `unknown`.
    Unknown,
    /// `never`.
    Never,
    /// Nothing: a reference to the very type that is being written, which adds nothing to it.
    Vacuous,
}

/// From this many parts on, repetitions are looked up by hash.
const MANY: usize = 12;

/// The parts kept so far.
#[derive(Default)]
struct Kept {
    ranges: Vec<(usize, usize)>,
    hashes: Option<(DefaultHashBuilder, HashSet<u64>)>,
}

impl Kept {
    /// Keeps the part `out[from..]` unless the same text is there already.
    fn keep(&mut self, out: &str, from: usize) -> bool {
        let part = &out[from..];
        if self.ranges.len() >= MANY {
            let ranges = &self.ranges;
            let (state, hashes) = self.hashes.get_or_insert_with(|| {
                let state = DefaultHashBuilder::default();
                let hashes = ranges.iter().map(|(start, end)| state.hash_one(&out[*start..*end])).collect();
                (state, hashes)
            });
            if !hashes.insert(state.hash_one(part)) {
                return false;
            }
        } else if self.ranges.iter().any(|(start, end)| &out[*start..*end] == part) {
            return false;
        }
        self.ranges.push((from, out.len()));
        true
    }
}

/// A union under way.
pub(super) struct Union {
    start: usize,
    kept: Kept,
    /// The form of the only part.
    single: Form,
    all: bool,
    dropped: bool,
}

impl Union {
    pub(super) fn at(out: &str) -> Self {
        Self { start: out.len(), kept: Kept::default(), single: Form::Never, all: false, dropped: false }
    }

    /// Room for the next part; the part must then be written and [`Union::end`] called with this place.
    pub(super) fn begin(&self, out: &mut String) -> usize {
        let before = out.len();
        if !self.kept.ranges.is_empty() {
            out.push_str(" | ");
        }
        before
    }

    /// Takes the part that was written since `before`. Returns whether the union already admits everything.
    pub(super) fn end(&mut self, out: &mut String, before: usize, form: Form) -> bool {
        let from = before + if self.kept.ranges.is_empty() { 0 } else { " | ".len() };
        match form {
            Form::Unknown => self.all = true,
            Form::Never => out.truncate(before),
            Form::Vacuous => {
                self.dropped = true;
                out.truncate(before);
            }
            _ if !self.kept.keep(out, from) => out.truncate(before),
            _ => self.single = if self.kept.ranges.len() == 1 { form } else { Form::Union },
        }
        self.all
    }

    pub(super) fn finish(self, out: &mut String) -> Form {
        if self.all {
            out.truncate(self.start);
            out.push_str("unknown");
            return Form::Unknown;
        }
        if self.kept.ranges.is_empty() {
            if self.dropped {
                return Form::Vacuous;
            }
            out.push_str("never");
        }
        self.single
    }
}

/// An intersection under way.
pub(super) struct Intersection {
    start: usize,
    kept: Kept,
    single: Form,
    none: bool,
}

impl Intersection {
    pub(super) fn at(out: &str) -> Self {
        Self { start: out.len(), kept: Kept::default(), single: Form::Unknown, none: false }
    }

    /// Room for the next part; the part must then be written and [`Intersection::end`] called with this place.
    pub(super) fn begin(&self, out: &mut String) -> usize {
        let before = out.len();
        if !self.kept.ranges.is_empty() {
            out.push_str(" & ");
        }
        before
    }

    /// Takes the part that was written since `before`.
    pub(super) fn end(&mut self, out: &mut String, before: usize, form: Form) {
        let from = before + if self.kept.ranges.is_empty() { 0 } else { " & ".len() };
        match form {
            Form::Unknown | Form::Vacuous => out.truncate(before),
            Form::Never => self.none = true,
            _ => {
                if !self.kept.keep(out, from) {
                    out.truncate(before);
                    return;
                }
                self.single = if self.kept.ranges.len() == 1 { form } else { Form::Intersection };
            }
        }
    }

    /// Whether no part said anything yet.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.ranges.is_empty() && !self.none
    }

    pub(super) fn finish(self, out: &mut String) -> Form {
        if self.none {
            out.truncate(self.start);
            out.push_str("never");
            return Form::Never;
        }
        if self.kept.ranges.is_empty() {
            out.push_str("unknown");
            return Form::Unknown;
        }
        if self.single != Form::Intersection {
            return self.single;
        }
        // Unions bind weaker, so they need parentheses; where there is one, the parts are put together anew, once.
        if self.kept.ranges.iter().any(|(start, end)| has_union(&out[*start..*end])) {
            let mut whole = String::with_capacity(out.len() - self.start + 2 * self.kept.ranges.len());
            for (index, (start, end)) in self.kept.ranges.into_iter().enumerate() {
                whole.push_str(if index > 0 { " & " } else { "" });
                let part = &out[start..end];
                let parentheses = if has_union(part) { ("(", ")") } else { ("", "") };
                whole.push_str(parentheses.0);
                whole.push_str(part);
                whole.push_str(parentheses.1);
            }
            out.truncate(self.start);
            out.push_str(&whole);
        }
        Form::Intersection
    }
}

/// Whether a type's text is a union at its outermost level.
fn has_union(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += text[at..].find("*/").map_or(bytes.len(), |end| end + 1);
            }
            b'(' | b'{' | b'[' | b'<' => depth += 1,
            b')' | b'}' | b']' | b'>' => depth = depth.saturating_sub(1),
            b'|' if depth == 0 => return true,
            _ => {}
        }
        at += 1;
    }
    false
}

/// Puts parentheses around `out[start..]`. A part is as long as it is, so this costs its length once.
pub(super) fn parenthesize(out: &mut String, start: usize) {
    out.insert(start, '(');
    out.push(')');
}
