//! The names of a tool's parameters, for compact signatures.

use std::collections::HashSet;

use super::object::{Members, Part};
use super::writer::Writer;
use crate::catalog::schema::{NodeId, References, Schema};
use crate::catalog::text;

/// Appends `:{a,b?}`; `?` alone where the input is not known to be an object.
pub(super) fn push(out: &mut String, schema: &Schema<'_>, references: &References) {
    let mut writer = Writer::new(schema, references, "");
    let Some(members) = collect(&mut writer, Schema::ROOT, 0) else {
        out.push('?');
        return;
    };
    out.push_str(":{");
    for (index, member) in members.list.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        text::push_key(out, member.name);
        if !member.required {
            out.push('?');
        }
    }
    // Without it TypeScript refuses every other key, and a model reads that there is none. One without any is most often
    // just that, whatever its schema leaves open.
    if members.list.is_empty() && members.is_record() {
        out.push_str("[_:string]:any");
    } else if members.is_open() && !members.list.is_empty() {
        out.push_str(",[_:string]:any");
    }
    out.push('}');
}

/// The members that an object of this schema can have; `None` where it is not an object for certain.
fn collect<'s>(writer: &mut Writer<'s, '_>, id: NodeId, depth: usize) -> Option<Members<'s>> {
    let node = writer.schema.node(id);
    if depth > 8 || node.nullable && depth == 0 {
        return None;
    }
    let together = writer.gather(id);
    let mut is_object = together.speaks || together.bare_object;
    let mut members = together.members;
    if together.bare_object && !together.speaks {
        members.welcome();
    }
    for part in together.parts {
        let Part::Variants(id) = part else { return None };
        let node = writer.schema.node(id);
        for variants in [&node.any_of[..], node.one_of()].into_iter().filter(|list| !list.is_empty()) {
            let mut found = Vec::new();
            for variant in variants {
                match collect(writer, *variant, depth + 1) {
                    Some(variant) => found.push(variant),
                    None if is_object => found.push(Members::default()),
                    None => return None,
                }
            }
            is_object = true;
            members.admit(found);
        }
    }
    is_object.then_some(members)
}

impl<'s> Members<'s> {
    /// Takes in the members of variants: required is what every variant requires.
    fn admit(&mut self, variants: Vec<Self>) {
        let mut always: Option<HashSet<&'s str>> = None;
        for variant in &variants {
            let required = variant.list.iter().filter(|member| member.required).map(|member| member.name);
            always = Some(match always {
                None => required.collect(),
                Some(before) => required.filter(|name| before.contains(name)).collect(),
            });
        }
        let always = always.unwrap_or_default();
        for variant in variants {
            if variant.is_open() {
                self.welcome();
            }
            for member in variant.list {
                self.name(member.name, always.contains(member.name));
            }
        }
    }
}
