//! Every `$ref` of a schema, followed once, ahead of printing: to the first node that says something, so that a chain
//! of ten thousand references costs its length once, and a circle of nothing but references is known as one.

use std::collections::HashMap;

use super::pointer::{Names, segments};
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
        // A search through the text can bring in nodes with references of their own.
        while direct.len() < schema.len() {
            let from = direct.len();
            let mut unresolved = Vec::new();
            let mut names = Names::default();
            for (at, node) in schema.nodes.iter().enumerate().skip(from) {
                direct.push(node.reference.as_deref().map(|reference| {
                    let path = segments(reference);
                    let found = path.as_deref().and_then(|path| schema.walk(path, &mut names));
                    if found.is_none() && path.is_some() {
                        unresolved.push(at);
                    }
                    found.map_or(Target::Nowhere, Target::Node)
                }));
            }
            let mut searched: HashMap<String, Target> = HashMap::new();
            for at in unresolved {
                let Some(reference) = schema.nodes[at].reference.as_deref().map(str::to_owned) else {
                    continue;
                };
                let found = match searched.get(&reference) {
                    Some(found) => *found,
                    None => schema.search(&reference).map_or(Target::Nowhere, Target::Node),
                };
                searched.insert(reference, found);
                direct[at] = Some(found);
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
