//! References and recursion: what a reference ends at is written once, copied while it is short, and named where it is
//! long and used again, or holds itself.

use super::combine::Form;
use super::writer::Writer;
use crate::catalog::schema::{NodeId, Target};

/// Calls in calls at which a reference is put off to a named type of its own, so that the stack stays small.
const DEEPEST_CALLS: usize = 48;
/// A type that is used again is named where its text is longer than this; shorter ones are written where they are used.
const NAMED_FROM: usize = 200;
/// A node that is merged into others within itself so many times is written as a type of its own from there on.
const MERGED_WITHIN: u32 = 2;

/// What is known of the node a reference ends at.
pub(super) enum Known {
    /// It is being written, since this nesting; with its name, if something inside needed one.
    Open {
        nesting: usize,
        order: usize,
        name: Option<String>,
    },
    /// Its text, its form, and whether named types occur in it.
    Text(String, Form, bool),
    Name(String),
}

impl Writer<'_, '_> {
    /// Writes what the reference of a node ends at.
    pub(super) fn reference(&mut self, id: NodeId) -> Form {
        match self.references.end(id) {
            Some(Target::Node(target)) => self.target(target),
            Some(Target::Circle) => Form::Vacuous,
            Some(Target::Nowhere) | None => self.unknown(),
        }
    }

    /// Whether the node can be merged into another: nothing is known of it that must be written by name, the stack is small,
    /// and it does not hold itself, as far as it is written yet.
    pub(super) fn can_merge(&self, target: NodeId) -> bool {
        !matches!(self.known.get(&target), Some(Known::Open { .. } | Known::Name(_)))
            && self.calls <= DEEPEST_CALLS
            && self.merging.get(&target).is_none_or(|times| *times < MERGED_WITHIN)
    }

    pub(super) fn target(&mut self, id: NodeId) -> Form {
        match self.known.get_mut(&id) {
            Some(Known::Text(text, form, names)) => {
                self.out.push_str(text);
                self.named += usize::from(*names);
                return *form;
            }
            Some(Known::Open { nesting, order, .. }) if *nesting == self.nesting => {
                self.dropped = self.dropped.min(*order);
                return Form::Vacuous;
            }
            Some(Known::Name(name) | Known::Open { name: Some(name), .. }) => {
                self.out.push_str(name);
                self.named += 1;
                return Form::Atom;
            }
            Some(Known::Open { .. }) => {
                let fresh = self.fresh_name(id);
                self.out.push_str(&fresh);
                self.named += 1;
                if let Some(Known::Open { name, .. }) = self.known.get_mut(&id) {
                    *name = Some(fresh);
                }
                return Form::Atom;
            }
            None => {}
        }
        if self.calls > DEEPEST_CALLS {
            // Inside nothing but unions a name could be circular, which TypeScript refuses.
            if self.nesting == 0 || self.fuel == 0 {
                return self.unknown();
            }
            let name = self.fresh_name(id);
            self.out.push_str(&name);
            self.named += 1;
            self.known.insert(id, Known::Name(name.clone()));
            self.put_off.push((id, name));
            return Form::Atom;
        }
        self.open_target(id)
    }

    fn open_target(&mut self, id: NodeId) -> Form {
        let order = self.open;
        self.open += 1;
        self.known.insert(id, Known::Open { nesting: self.nesting, order, name: None });
        let outer = std::mem::replace(&mut self.dropped, usize::MAX);
        let (start, named) = (self.out.len(), self.named);
        let form = self.node(id);
        self.open -= 1;
        // Without an occurrence of something still open the text is not the whole truth: it holds only here.
        let is_partial = self.dropped < order;
        self.dropped = if is_partial { outer.min(self.dropped) } else { outer };
        let name = match self.known.remove(&id) {
            Some(Known::Open { name, .. }) => name,
            _ => None,
        };
        let is_long = self.references.uses(id) > 1 && self.out.len() - start > NAMED_FROM && self.nesting > 0;
        let name = name.or_else(|| (is_long && !is_partial).then(|| self.fresh_name(id)));
        let Some(name) = name else {
            if !is_partial {
                let text = self.out[start..].to_owned();
                self.known.insert(id, Known::Text(text, form, self.named > named));
            }
            return form;
        };
        let text = if is_partial { "unknown".to_owned() } else { self.out[start..].to_owned() };
        self.out.truncate(start);
        self.out.push_str(&name);
        self.named += 1;
        self.declarations.push((name.clone(), text));
        self.known.insert(id, Known::Name(name));
        Form::Atom
    }

    /// A name for a type: the last step of a pointer to it, with the tool's mark, so that two tools never share one.
    fn fresh_name(&self, id: NodeId) -> String {
        let by = self.references.user(id).unwrap_or(id);
        let pointer = self.schema.node(by).reference.as_deref().unwrap_or("");
        let step = pointer.rsplit(['/', '#']).next().unwrap_or("");
        let mut name: String = step.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
        match name.as_bytes().first() {
            Some(first) if first.is_ascii_lowercase() => name[..1].make_ascii_uppercase(),
            Some(first) if first.is_ascii_uppercase() => {}
            _ => name.insert_str(0, "Type"),
        }
        // Two pointers of one schema can end in the same step.
        format!("{name}{id}_{}", self.suffix)
    }
}
