//! Writes the type of a schema: what each keyword means, references and recursion.
//!
//! Linear in the schema: what a reference ends at is written once and copied while it is short; where it is long and
//! used again, or recursive, it becomes a named type. Every step uses fuel, so that no schema can make more of it.

use std::collections::HashMap;

use super::combine::{Form, Intersection, Union, parenthesize};
use super::object::Members;
use super::push_remark;
use super::target::Known;
use crate::catalog::schema::{Node, NodeId, References, Schema, Target, Types};
use crate::json::Text;

/// Characters of a field's comment.
const NOTE_LENGTH: usize = 80;

/// One rendering of one schema.
pub(super) struct Writer<'s, 'a> {
    pub(super) schema: &'s Schema<'a>,
    pub(super) references: &'s References,
    pub(super) out: String,
    /// Field comments are written.
    pub(super) notes: bool,
    /// Nesting from which objects show their discriminators alone.
    pub(super) deepest: usize,
    /// Objects and arrays around the place that is being written.
    pub(super) nesting: usize,
    /// How many names of named types were written.
    pub(super) named: usize,
    pub(super) suffix: &'s str,
    pub(super) known: HashMap<NodeId, Known>,
    /// How many times each node is being merged into others around the place that is being written.
    pub(super) merging: HashMap<NodeId, u32>,
    pub(super) put_off: Vec<(NodeId, String)>,
    pub(super) declarations: Vec<(String, String)>,
    pub(super) open: usize,
    /// The outermost open node of which an occurrence was dropped as vacuous.
    pub(super) dropped: usize,
    pub(super) calls: usize,
    pub(super) fuel: usize,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(schema: &'s Schema<'a>, references: &'s References, suffix: &'s str) -> Self {
        Self {
            schema,
            references,
            out: String::with_capacity(256),
            notes: true,
            deepest: usize::MAX,
            nesting: 0,
            named: 0,
            suffix,
            known: HashMap::new(),
            merging: HashMap::new(),
            put_off: Vec::new(),
            declarations: Vec::new(),
            open: 0,
            dropped: usize::MAX,
            calls: 0,
            fuel: 1_000 + 8 * schema.len(),
        }
    }

    /// Writes the type of the root, and leaves the named types it needs in `declarations`.
    pub(super) fn run(mut self, declarations: &mut Vec<(String, String)>) -> String {
        // The root can be referred to like any other node, so that it is named where something inside needs it.
        if self.schema.has_references { self.target(Schema::ROOT) } else { self.node(Schema::ROOT) }
            .is_vacuous_then(|| self.out.push_str("unknown"));
        let text = std::mem::take(&mut self.out);
        while let Some((id, name)) = self.put_off.pop() {
            self.nesting = 0;
            self.node(id).is_vacuous_then(|| self.out.push_str("unknown"));
            self.declarations.push((name, std::mem::take(&mut self.out)));
        }
        declarations.append(&mut self.declarations);
        text
    }

    /// Takes fuel for one step; without it the step writes `unknown`.
    pub(super) fn spend(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    pub(super) fn unknown(&mut self) -> Form {
        self.out.push_str("unknown");
        Form::Unknown
    }

    /// Writes a node where a value stands: what would add nothing to a union is `unknown` here.
    pub(super) fn value(&mut self, id: NodeId) -> Form {
        match self.node(id) {
            Form::Vacuous => self.unknown(),
            form => form,
        }
    }

    /// Writes a node.
    pub(super) fn node(&mut self, id: NodeId) -> Form {
        if !self.spend() {
            return self.unknown();
        }
        self.calls += 1;
        let node = self.schema.node(id);
        let start = self.out.len();
        let mut form = if node.is_nothing() {
            self.out.push_str("never");
            Form::Never
        } else if node.reference.is_some() && is_only_reference(node) {
            self.reference(id)
        } else if node.reference.is_some() || !node.all_of().is_empty() {
            self.together(id)
        } else {
            self.own(id)
        };
        if node.nullable && form != Form::Unknown {
            let nothing_yet = matches!(form, Form::Never | Form::Vacuous);
            if nothing_yet {
                self.out.truncate(start);
                self.out.push_str("null");
                form = Form::Atom;
            } else if !self.out[start..].ends_with("null") {
                self.out.push_str(" | null");
                form = Form::Union;
            }
        }
        self.calls -= 1;
        form
    }

    /// Writes what a node says itself: not its reference, not its `allOf`.
    pub(super) fn own(&mut self, id: NodeId) -> Form {
        let node = self.schema.node(id);
        if let Some(literals) = &node.literals {
            return self.literals(literals, node.types);
        }
        if node.any_of.is_empty() && node.one_of().is_empty() {
            return self.base(id);
        }
        if let Some(form) = self.distributed(id) {
            return form;
        }
        let mut parts = Intersection::at(&self.out);
        if node.speaks_of_objects() || node.speaks_of_arrays() || !self.variants_say_more(node) {
            let before = parts.begin(&mut self.out);
            let form = self.base(id);
            parts.end(&mut self.out, before, form);
        }
        for variants in [&node.any_of[..], node.one_of()] {
            if !variants.is_empty() {
                let before = parts.begin(&mut self.out);
                let form = self.union(variants);
                parts.end(&mut self.out, before, form);
            }
        }
        if parts.is_empty() && !node.types.is_empty() {
            return self.base(id);
        }
        parts.finish(&mut self.out)
    }

    /// Whether every variant says its own type, so that a bare `type` beside them adds nothing.
    fn variants_say_more(&self, node: &Node<'_>) -> bool {
        node.any_of.iter().chain(node.one_of()).all(|variant| {
            let variant = match self.references.end(*variant) {
                Some(Target::Node(target)) => self.schema.node(target),
                _ => self.schema.node(*variant),
            };
            !variant.types.is_empty() || variant.literals.is_some() || !variant.any_of.is_empty()
        })
    }

    /// Writes the union of some nodes.
    pub(super) fn union(&mut self, variants: &[NodeId]) -> Form {
        let mut union = Union::at(&self.out);
        for variant in variants {
            let before = union.begin(&mut self.out);
            let form = self.node(*variant);
            if union.end(&mut self.out, before, form) {
                break;
            }
        }
        union.finish(&mut self.out)
    }

    fn literals(&mut self, literals: &[crate::catalog::schema::Literal<'_>], types: Types) -> Form {
        let fitting = literals.iter().any(|literal| literal.is_of(types));
        let mut union = Union::at(&self.out);
        for literal in literals {
            // A list none of whose values has the type said is a slip in the type.
            if fitting && !literal.is_of(types) {
                continue;
            }
            let before = union.begin(&mut self.out);
            let form = if self.spend() {
                let from = self.out.len();
                literal.push(&mut self.out);
                if &self.out[from..] == "unknown" { Form::Unknown } else { Form::Atom }
            } else {
                self.unknown()
            };
            if union.end(&mut self.out, before, form) {
                break;
            }
        }
        union.finish(&mut self.out)
    }

    /// Writes what `type` and the keywords of single types say.
    pub(super) fn base(&mut self, id: NodeId) -> Form {
        let node = self.schema.node(id);
        let mut types = node.types;
        if types.is_empty() {
            if node.speaks_of_objects() {
                types = Types::OBJECT;
            } else if node.speaks_of_arrays() {
                types = Types::ARRAY;
            } else {
                return self.unknown();
            }
        }
        let mut union = Union::at(&self.out);
        for (bit, name) in Types::ALL {
            if !types.meets(bit) {
                continue;
            }
            if types.within(bit) {
                return self.single(id, name);
            }
            let before = union.begin(&mut self.out);
            let form = self.single(id, name);
            union.end(&mut self.out, before, form);
        }
        union.finish(&mut self.out)
    }

    /// Writes what a node says of one JSON type.
    fn single(&mut self, id: NodeId, name: &str) -> Form {
        match name {
            "object" => {
                let mut members = Members::default();
                members.add(self, id);
                return self.object(&members);
            }
            "array" => return self.array(id),
            "integer" => self.out.push_str("number"),
            name => self.out.push_str(name),
        }
        Form::Atom
    }

    fn array(&mut self, id: NodeId) -> Form {
        let node = self.schema.node(id);
        let rare = node.rare.as_deref();
        let prefix = rare.map_or(&[][..], |rare| &rare.prefix);
        let rest = if rare.is_some_and(|rare| rare.prefix_is_items) {
            rare.and_then(|rare| rare.additional_items)
        } else {
            node.items
        };
        if self.nesting >= self.deepest {
            self.out.push_str("unknown[]");
            return Form::Atom;
        }
        self.nesting += 1;
        if prefix.is_empty() {
            self.items(rest);
        } else {
            let required = usize::try_from(rare.map_or(0, |rare| rare.min_items)).unwrap_or(usize::MAX);
            let most = rare.and_then(|rare| rare.max_items).and_then(|most| usize::try_from(most).ok());
            self.out.push('[');
            for (index, item) in prefix.iter().enumerate() {
                self.out.push_str(if index > 0 { ", " } else { "" });
                let start = self.out.len();
                let form = self.value(*item);
                if index >= required {
                    if matches!(form, Form::Union | Form::Intersection) {
                        parenthesize(&mut self.out, start);
                    }
                    self.out.push('?');
                }
            }
            let is_closed = rest.is_some_and(|rest| self.schema.node(rest).is_nothing())
                || most.is_some_and(|most| most <= prefix.len());
            if !is_closed {
                self.out.push_str(", ...");
                self.items(rest);
            }
            self.out.push(']');
        }
        self.nesting -= 1;
        Form::Atom
    }

    fn items(&mut self, item: Option<NodeId>) {
        let start = self.out.len();
        match item {
            Some(item) => {
                if matches!(self.value(item), Form::Union | Form::Intersection) {
                    parenthesize(&mut self.out, start);
                }
            }
            None => self.out.push_str("unknown"),
        }
        self.out.push_str("[]");
    }

    /// Writes a field's comment: its own, or that of the node its reference ends at.
    pub(super) fn note(&mut self, id: NodeId) {
        let node = self.schema.node(id);
        let description = node.description.or_else(|| match self.references.end(id) {
            Some(Target::Node(target)) => self.schema.node(target).description,
            _ => None,
        });
        let Some(description) = description.filter(|_| self.notes) else { return };
        push_note(&mut self.out, description);
    }
}

/// Appends a field's comment; nothing where it says nothing.
pub(super) fn push_note(out: &mut String, description: Text<'_>) {
    push_remark(out, description, NOTE_LENGTH, " */ ");
}

/// Whether a node is a reference and notes, and perhaps `nullable`.
fn is_only_reference(node: &Node<'_>) -> bool {
    node.is_bare()
        || node.nullable
            && node.types.is_empty()
            && node.literals.is_none()
            && node.any_of.is_empty()
            && !node.speaks_of_objects()
            && !node.speaks_of_arrays()
            && node.all_of().is_empty()
            && node.one_of().is_empty()
}

impl Form {
    fn is_vacuous_then(self, act: impl FnOnce()) {
        if self == Self::Vacuous {
            act();
        }
    }
}
