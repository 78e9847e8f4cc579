//! Objects: their members, what `allOf` and references merge into them, and variants that only say what is required.

use std::collections::{HashMap, HashSet, VecDeque};

use super::combine::{Form, Intersection, Union};
use super::writer::Writer;
use crate::catalog::schema::{Node, NodeId, Target, Types};
use crate::catalog::text;

/// From this many members on they are found by a map.
const MANY: usize = 16;
/// A longer name is left to the index signature.
pub(super) const LONGEST_NAME: usize = 200;
/// Variants that only require members are written out while that takes at most this many characters.
const DISTRIBUTED: usize = 1_200;

/// One member of an object.
pub(super) struct Member<'s> {
    pub(super) name: &'s str,
    /// Its schema; none where it is only required.
    pub(super) node: Option<NodeId>,
    /// Further schemas that hold for it too.
    pub(super) also: Vec<NodeId>,
    pub(super) required: bool,
    /// It is declared for some values only.
    conditional: bool,
}

/// The members of one object, in the order they are declared.
#[derive(Default)]
pub(super) struct Members<'s> {
    pub(super) list: Vec<Member<'s>>,
    places: Option<HashMap<&'s str, usize>>,
    /// Schemas of members that have no name here.
    others: Vec<NodeId>,
    /// There is a list of members, so that an absent `additionalProperties` is no invitation.
    listed: bool,
    /// `additionalProperties: false`.
    closed: bool,
    open: bool,
}

impl<'s> Members<'s> {
    fn place(&mut self, name: &'s str) -> usize {
        let found = match &self.places {
            Some(places) => places.get(name).copied(),
            None => self.list.iter().position(|member| member.name == name),
        };
        found.unwrap_or_else(|| {
            self.list.push(Member { name, node: None, also: Vec::new(), required: false, conditional: false });
            let place = self.list.len() - 1;
            if let Some(places) = &mut self.places {
                places.insert(name, place);
            } else if self.list.len() > MANY {
                self.places = Some(self.list.iter().enumerate().map(|(at, member)| (member.name, at)).collect());
            }
            place
        })
    }

    /// Adds what one node says of objects.
    pub(super) fn add<'a>(&mut self, writer: &mut Writer<'s, 'a>, id: NodeId) {
        let schema = writer.schema;
        let node: &'s Node<'a> = schema.node(id);
        self.listed |= node.has_properties;
        let known = self.list.len();
        self.list.reserve(node.properties.len());
        for (name, property) in &node.properties {
            if !writer.spend() {
                break;
            }
            let place = self.place(name);
            let member = &mut self.list[place];
            // A name twice in one list: the last one counts, as in every JSON reader.
            if place >= known || member.node.is_none() || member.conditional {
                member.node = Some(*property);
                member.conditional = false;
            } else {
                member.also.push(*property);
            }
        }
        for name in &node.required {
            if !writer.spend() {
                break;
            }
            self.name(name, true);
        }
        if let Some(additional) = node.additional {
            if schema.node(additional).is_nothing() {
                self.closed = true;
            } else {
                self.others.push(additional);
            }
        }
        if let Some(rare) = &node.rare {
            self.others.extend(rare.patterns.iter().map(|(_, id)| *id));
            self.open |= !rare.conditional.is_empty() && !self.listed;
            for id in &rare.conditional {
                self.admit_some(writer, *id);
            }
        }
    }

    /// Adds what holds for some values only, so that none of it is required. What is declared for all stands; where two
    /// conditions declare a member differently, nothing is said of it.
    fn admit_some<'a>(&mut self, writer: &mut Writer<'s, 'a>, id: NodeId) {
        let node: &'s Node<'a> = writer.schema.node(id);
        for (name, property) in &node.properties {
            if !writer.spend() {
                break;
            }
            let known = self.list.len();
            let place = self.place(name);
            let member = &mut self.list[place];
            if place >= known {
                (member.node, member.conditional) = (Some(*property), true);
            } else if member.conditional {
                member.node = None;
            }
        }
    }

    /// Names a member, and that it is required where it is.
    pub(super) fn name(&mut self, name: &'s str, required: bool) {
        let place = self.place(name);
        self.list[place].required |= required;
    }

    /// Members beyond the listed ones are welcome.
    pub(super) fn welcome(&mut self) {
        self.open = true;
    }

    /// Whether something is said of members without a name here.
    pub(super) fn is_record(&self) -> bool {
        !self.others.is_empty()
    }

    /// Whether members beyond the listed ones are explicitly welcome.
    pub(super) fn is_open(&self) -> bool {
        self.open || !self.others.is_empty()
    }
}

/// What a node, its references and its `allOf` say together.
#[derive(Default)]
pub(super) struct Together<'s> {
    pub(super) members: Members<'s>,
    pub(super) speaks: bool,
    pub(super) bare_object: bool,
    pub(super) parts: Vec<Part>,
    /// The ends of references that were merged in.
    merged: Vec<NodeId>,
}

/// What must be intersected with the members.
pub(super) enum Part {
    /// All a node says.
    Node(NodeId),
    /// What the reference of a node ends at.
    Reference(NodeId),
    /// What a node says beside its reference and its `allOf`.
    Own(NodeId),
    /// One of these.
    Variants(NodeId),
}

impl<'s> Writer<'s, '_> {
    /// Gathers what holds for a node at once: its own members and, through references and `allOf`, those of others.
    pub(super) fn gather(&mut self, root: NodeId) -> Together<'s> {
        let mut all = Together::default();
        let mut seen = HashSet::new();
        let mut waiting = VecDeque::from([root]);
        let mut conditional: Vec<NodeId> = Vec::new();
        while let Some(id) = waiting.pop_front() {
            if !seen.insert(id) || !self.spend() {
                continue;
            }
            let node = self.schema.node(id);
            if id != root && (node.nullable || node.is_nothing()) {
                all.parts.push(Part::Node(id));
                continue;
            }
            if node.reference.is_some() {
                match self.references.end(id) {
                    Some(Target::Node(target)) if self.can_merge(target) => {
                        all.merged.push(target);
                        waiting.push_back(target);
                    }
                    Some(Target::Circle) | None => {}
                    Some(_) => all.parts.push(Part::Reference(id)),
                }
            }
            waiting.extend(node.all_of());
            let is_object = node.literals.is_none()
                && node.types.within(Types::OBJECT)
                && !(node.types.is_empty() && node.speaks_of_arrays());
            if is_object {
                all.bare_object |= !node.types.is_empty();
                if node.speaks_of_objects() {
                    all.speaks = true;
                    all.members.add(self, id);
                } else if let Some(rare) = &node.rare {
                    conditional.extend(&rare.conditional);
                }
                if !node.any_of.is_empty() || !node.one_of().is_empty() {
                    all.parts.push(Part::Variants(id));
                }
            } else {
                all.parts.push(Part::Own(id));
            }
        }
        if all.speaks {
            for id in conditional {
                all.members.admit_some(self, id);
            }
        }
        all
    }

    /// Writes a node that has a reference with siblings, or an `allOf`.
    pub(super) fn together(&mut self, id: NodeId) -> Form {
        let mut all = self.gather(id);
        let merged = std::mem::take(&mut all.merged);
        for target in &merged {
            *self.merging.entry(*target).or_default() += 1;
        }
        let form = self.intersected(all);
        for target in &merged {
            *self.merging.entry(*target).or_default() -= 1;
        }
        form
    }

    fn intersected(&mut self, all: Together<'s>) -> Form {
        let mut parts = Intersection::at(&self.out);
        if all.speaks {
            let before = parts.begin(&mut self.out);
            let form = self.object(&all.members);
            parts.end(&mut self.out, before, form);
        }
        for part in all.parts {
            let before = parts.begin(&mut self.out);
            let form = match part {
                Part::Node(id) => self.node(id),
                Part::Reference(id) => self.reference(id),
                Part::Own(id) => self.own(id),
                Part::Variants(id) => {
                    let node = self.schema.node(id);
                    let mut both = Intersection::at(&self.out);
                    for variants in [&node.any_of[..], node.one_of()].into_iter().filter(|list| !list.is_empty()) {
                        let before = both.begin(&mut self.out);
                        let form = self.union(variants);
                        both.end(&mut self.out, before, form);
                    }
                    both.finish(&mut self.out)
                }
            };
            parts.end(&mut self.out, before, form);
        }
        if parts.is_empty() && all.bare_object {
            return self.object(&Members::default());
        }
        parts.finish(&mut self.out)
    }

    /// Writes an object with variants that only say which members are required as the union of the objects they mean.
    pub(super) fn distributed(&mut self, id: NodeId) -> Option<Form> {
        let node = self.schema.node(id);
        let ((variants, []) | ([], variants)) = (&node.any_of[..], node.one_of()) else {
            return None;
        };
        let only_requires = |variant: &NodeId| {
            let variant = self.schema.node(*variant);
            !variant.required.is_empty()
                && variant.types.within(Types::OBJECT)
                && variant.properties.is_empty()
                && variant.additional.is_none()
                && variant.reference.is_none()
                && variant.literals.is_none()
                && variant.any_of.is_empty()
                && variant.rare.is_none()
        };
        if !node.has_properties || !node.types.within(Types::OBJECT) || !variants.iter().all(only_requires) {
            return None;
        }
        let start = self.out.len();
        let mut union = Union::at(&self.out);
        for variant in variants {
            let mut members = Members::default();
            members.add(self, id);
            for name in &self.schema.node(*variant).required {
                members.name(name, true);
            }
            let before = union.begin(&mut self.out);
            let form = self.object(&members);
            union.end(&mut self.out, before, form);
            if self.out.len() - start > DISTRIBUTED {
                self.out.truncate(start);
                return None;
            }
        }
        Some(union.finish(&mut self.out))
    }

    /// Writes an object type.
    pub(super) fn object(&mut self, members: &Members<'s>) -> Form {
        if members.list.is_empty() {
            return self.record(members);
        }
        let is_cut = self.nesting >= self.deepest;
        if is_cut && !members.list.iter().any(|member| self.discriminates(member)) {
            self.out.push_str("Record<string, unknown>");
            return Form::Atom;
        }
        self.nesting += 1;
        self.out.push('{');
        let mut is_first = true;
        let mut is_open = is_cut || members.is_open();
        for member in &members.list {
            if member.name.len() > LONGEST_NAME || is_cut && !self.discriminates(member) {
                is_open = true;
                continue;
            }
            self.out.push_str(if is_first { " " } else { "; " });
            is_first = false;
            if let Some(id) = member.node {
                self.note(id);
            }
            text::push_key(&mut self.out, member.name);
            self.out.push_str(if member.required { ": " } else { "?: " });
            self.member_type(member);
        }
        if is_open {
            self.out.push_str(if is_first { " " } else { "; " });
            self.out.push_str("[key: string]: unknown");
        }
        self.out.push_str(" }");
        self.nesting -= 1;
        Form::Atom
    }

    fn member_type(&mut self, member: &Member<'s>) {
        let Some(first) = member.node else {
            self.out.push_str("unknown");
            return;
        };
        if member.also.is_empty() {
            self.value(first);
            return;
        }
        let mut parts = Intersection::at(&self.out);
        for id in std::iter::once(first).chain(member.also.iter().copied()) {
            let before = parts.begin(&mut self.out);
            let form = self.node(id);
            parts.end(&mut self.out, before, form);
        }
        parts.finish(&mut self.out);
    }

    /// Whether a member tells variants apart: it has one value.
    fn discriminates(&self, member: &Member<'s>) -> bool {
        member.node.is_some_and(|id| self.schema.node(id).literals.as_ref().is_some_and(|values| values.len() == 1))
    }

    /// Writes an object without listed members.
    fn record(&mut self, members: &Members<'s>) -> Form {
        if members.others.is_empty() {
            self.out.push_str(if members.listed || members.closed { "{}" } else { "Record<string, unknown>" });
            return Form::Atom;
        }
        if self.nesting >= self.deepest {
            self.out.push_str("Record<string, unknown>");
            return Form::Atom;
        }
        let start = self.out.len();
        let named = self.named;
        self.nesting += 1;
        self.out.push_str("Record<string, ");
        if self.union(&members.others) == Form::Vacuous {
            self.out.push_str("unknown");
        }
        self.nesting -= 1;
        if self.named == named {
            self.out.push('>');
        } else {
            // An alias that leads back to itself is legal inside an index signature and refused as an argument.
            self.out.replace_range(start..start + "Record<string, ".len(), "{ [key: string]: ");
            self.out.push_str(" }");
        }
        Form::Atom
    }
}
