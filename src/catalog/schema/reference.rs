//! Every `$ref` of a schema, followed once, ahead of printing: to the first node that says something, so that a chain
//! of ten thousand references costs its length once, and a circle of nothing but references is known as one.

use std::collections::HashMap;

use super::pointer::{Names, Places, segments};
use super::{NodeId, Schema};

/// Where a reference ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// At this node.
    Node(NodeId),
    /// In a circle that says nothing.
    Circle,
    /// Nowhere in this document.
    Nowhere,
}

/// The ends of all references.
#[derive(Debug, Default)]
pub struct References {
    ends: Vec<Option<Target>>,
    /// By end: how many references, and the first node that has one.
    uses: HashMap<NodeId, (u32, NodeId)>,
}

impl References {
    /// Follows every reference of the schema. Linear in its size.
    pub fn of(schema: &mut Schema<'_>) -> Self {
        if !schema.has_references {
            return Self::default();
        }
        let mut direct: Vec<Option<Target>> = Vec::new();
        let (mut names, mut places) = (Names::default(), Places::default());
        // What is read from the text can have references of its own.
        while direct.len() < schema.len() {
            let mut elsewhere = Vec::new();
            for at in direct.len()..schema.len() {
                let reference = schema.nodes[at].reference.as_deref();
                direct.push(reference.map(|reference| {
                    let path = segments(reference);
                    let found = path.as_deref().and_then(|path| schema.walk(path, &mut names));
                    if found.is_none() {
                        elsewhere.extend(places.find(schema, reference).map(|text| (at, text)));
                    }
                    found.map_or(Target::Nowhere, Target::Node)
                }));
            }
            for (at, text) in elsewhere {
                direct[at] = Some(places.node(schema, text).map_or(Target::Nowhere, Target::Node));
            }
        }
        Self::followed(schema, &direct)
    }

    fn followed(schema: &Schema<'_>, direct: &[Option<Target>]) -> Self {
        let mut ends: Vec<Option<Target>> = vec![None; direct.len()];
        let mut uses = HashMap::new();
        let mut path = Vec::new();
        let mut on_path = vec![false; direct.len()];
        for start in 0..direct.len() {
            let mut at = start;
            let end = loop {
                if let Some(end) = ends[at] {
                    break end;
                }
                let Some(next) = direct[at] else { break Target::Nowhere };
                path.push(at);
                on_path[at] = true;
                match next {
                    Target::Node(id) => {
                        let node = schema.node(id);
                        if node.reference.is_none() || !node.is_bare() {
                            break Target::Node(id);
                        }
                        if on_path[id as usize] {
                            break Target::Circle;
                        }
                        at = id as usize;
                    }
                    end => break end,
                }
            };
            for at in path.drain(..) {
                ends[at] = Some(end);
                on_path[at] = false;
            }
        }
        for (at, end) in (0..).zip(&ends) {
            if let Some(Target::Node(id)) = end {
                uses.entry(*id).or_insert((0, at)).0 += 1;
            }
        }
        Self { ends, uses }
    }

    /// Where the reference of a node ends; `None` for a node without one.
    #[must_use]
    pub fn end(&self, id: NodeId) -> Option<Target> {
        self.ends.get(id as usize).copied().flatten()
    }

    /// How many references end at a node.
    #[must_use]
    pub fn uses(&self, id: NodeId) -> u32 {
        self.uses.get(&id).map_or(0, |(count, _)| *count)
    }

    /// The first node whose reference ends at a node.
    #[must_use]
    pub fn user(&self, id: NodeId) -> Option<NodeId> {
        self.uses.get(&id).map(|(_, user)| *user)
    }
}
