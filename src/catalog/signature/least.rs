//! What a signature has at the least, found without its types: a look at a declaration that costs a fraction of reading
//! it, by which most tools can be told not to fit.
//!
//! Invariant: a signature, as [`super::types`] and [`super::push_member`] write it, is never shorter than what is found
//! here.

use crate::catalog::json::{Cursor, Text};
use crate::catalog::text;

/// So many parameters are counted: each is compared with those before it, since a name that comes twice is written once.
const MOST: usize = 32;
/// Around a name that is written: `; `, `: ` and a type of one character.
const AROUND: usize = "; : 1".len();

/// Characters of the comment of a declaration's description; and the place from which [`parameters`] has to look, since
/// the input mostly comes behind it, and a description can be long.
pub(in crate::catalog) fn description(declaration: &str) -> (usize, usize) {
    let mut cursor = Cursor::new(declaration);
    if !cursor.enter(b'{') {
        return (0, 0);
    }
    let mut has_input = false;
    while let Some(member) = cursor.next_member() {
        if member.is("description") {
            let mut line = String::with_capacity(2 * super::DESCRIPTION_LENGTH);
            super::push_description(&mut line, cursor.string());
            return (text::length(&line), if has_input { 0 } else { cursor.at() });
        }
        has_input |= member.is("inputSchema");
        cursor.skip();
    }
    (0, 0)
}

/// Characters that the parameters' names take in the type of the input, beside its one character at the least. `from`
/// is a place between two members, or the beginning.
pub(in crate::catalog) fn parameters(declaration: &str, from: usize) -> usize {
    let mut found = 0;
    let mut cursor = Cursor::new(declaration.get(from..).unwrap_or_default());
    if from > 0 || cursor.enter(b'{') {
        while let Some(member) = cursor.next_member() {
            if member.is("inputSchema") {
                found = members(&mut cursor);
            } else {
                cursor.skip();
            }
        }
    }
    found
}

/// What the `properties` of a schema take where nothing beside them can make another type of it.
fn members(cursor: &mut Cursor<'_>) -> usize {
    if !cursor.enter(b'{') {
        cursor.skip();
        return 0;
    }
    let (mut found, mut is_object) = (0, true);
    while let Some(keyword) = cursor.next_member() {
        match &*keyword.value() {
            "properties" => found = names(cursor),
            "type" => is_object &= cursor.raw() == "\"object\"",
            "$ref" | "allOf" | "anyOf" | "oneOf" | "enum" | "const" | "not" => {
                is_object = false;
                cursor.skip();
            }
            _ => cursor.skip(),
        }
    }
    if is_object { found } else { 0 }
}

fn names(cursor: &mut Cursor<'_>) -> usize {
    let mut counted: Vec<Text<'_>> = Vec::with_capacity(MOST);
    let mut found = 0;
    if !cursor.enter(b'{') {
        cursor.skip();
        return 0;
    }
    while let Some(name) = cursor.next_member() {
        cursor.skip();
        if counted.len() < MOST
            && let Some(plain) = name.plain().filter(|plain| plain.len() <= super::object::LONGEST_NAME)
            && !counted.contains(&name)
        {
            counted.push(name);
            found += text::length(plain) + AROUND;
        }
    }
    found
}
