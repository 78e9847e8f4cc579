//! What a signature has at the least, found without writing it: a look at a declaration that costs a fraction of that,
//! by which most tools can be told not to fit.
//!
//! Invariant: a signature, as [`super::types`] and [`super::push_member`] write it, is never shorter than what is found
//! here.

use super::object::LONGEST_NAME;
use super::writer::push_note;
use crate::catalog::text;
use crate::json::{Cursor, Text};

/// So many parameters are counted: each is compared with those before it, since a name that comes twice is written once.
const MOST: usize = 32;
/// Around a name that is written: `; `, `: ` and a type of one character.
const AROUND: usize = "; : 1".len();
/// A signature that would be too long loses its comments, so they count only where the schemas have at most so many
/// bytes: nothing but references and variants is written more than once, and no byte becomes more than eight characters
/// (`0,` in a list of items is `, unknown?`, a control character in a name `\u007f`).
const SHORT: usize = super::LONGEST / 8;

/// Characters that the parameters take in the type of the input, beside its one character at the least. `from` is a
/// place between two members of the declaration and ahead of its schemas, or the beginning.
pub(in crate::catalog) fn parameters(declaration: &str, from: usize) -> usize {
    let rest = declaration.get(from..).unwrap_or_default();
    let has_notes = rest.len() <= SHORT && !rest.contains("$ref") && !rest.contains("Of\"");
    let mut found = 0;
    let mut cursor = Cursor::new(rest);
    if from > 0 || cursor.enter(b'{') {
        while let Some(member) = cursor.next_member() {
            if member.is("inputSchema") {
                found = input(&mut cursor, has_notes);
            } else {
                cursor.skip();
            }
        }
    }
    found
}

/// What the `properties` of a schema take where nothing beside them can make another type of it.
fn input(cursor: &mut Cursor<'_>, has_notes: bool) -> usize {
    if !cursor.enter(b'{') {
        cursor.skip();
        return 0;
    }
    let (mut found, mut count, mut required, mut is_object) = (0, 0, 0, true);
    while let Some(keyword) = cursor.next_member() {
        match &*keyword.value() {
            "properties" => (found, count) = properties(cursor, has_notes),
            "required" => required = elements(cursor),
            "type" => is_object &= cursor.raw() == "\"object\"",
            keyword if decides(keyword) => {
                is_object = false;
                cursor.skip();
            }
            _ => cursor.skip(),
        }
    }
    // Those that are not required have a question mark.
    if is_object { found + count.saturating_sub(required) } else { 0 }
}

/// Whether a keyword may make another type than the one that is said beside it.
fn decides(keyword: &str) -> bool {
    matches!(keyword, "$ref" | "allOf" | "anyOf" | "oneOf" | "enum" | "const" | "not")
}

fn elements(cursor: &mut Cursor<'_>) -> usize {
    let mut count = 0;
    if !cursor.enter(b'[') {
        cursor.skip();
        return 0;
    }
    while cursor.has_element() {
        cursor.skip();
        count += 1;
    }
    count
}

/// What the members of an object take, and how many they are.
fn properties(cursor: &mut Cursor<'_>, has_notes: bool) -> (usize, usize) {
    let mut counted: Vec<Text<'_>> = Vec::with_capacity(MOST);
    let (mut names, mut values) = (0, 0);
    if !cursor.enter(b'{') {
        cursor.skip();
        return (0, 0);
    }
    let mut is_single = true;
    let mut note = String::with_capacity(128);
    while let Some(name) = cursor.next_member() {
        let value = value(cursor, has_notes.then_some(&mut note));
        if counted.len() < MOST
            && let Some(plain) = name.plain().filter(|plain| plain.len() <= LONGEST_NAME)
        {
            // Of two with one name the last counts, which may say less.
            if counted.contains(&name) {
                is_single = false;
                continue;
            }
            counted.push(name);
            names += text::length(plain) + AROUND;
            values += value;
        }
    }
    (names + if is_single { values } else { 0 }, counted.len())
}

/// What a member's type takes beyond one character, and its comment, for which `room` is where it has one.
fn value(cursor: &mut Cursor<'_>, mut room: Option<&mut String>) -> usize {
    if !cursor.enter(b'{') {
        cursor.skip();
        return 0;
    }
    let (mut kind, mut note, mut is_plain) = (0, 0, true);
    while let Some(keyword) = cursor.next_member() {
        match &*keyword.value() {
            "type" => {
                kind = match cursor.raw() {
                    "\"string\"" | "\"number\"" | "\"integer\"" => "string".len() - 1,
                    "\"boolean\"" => "boolean".len() - 1,
                    _ => 0,
                }
            }
            "description" if let Some(room) = &mut room => {
                room.clear();
                if let Some(description) = cursor.string() {
                    push_note(room, description);
                }
                note = text::length(room);
            }
            keyword if decides(keyword) => {
                is_plain = false;
                cursor.skip();
            }
            _ => cursor.skip(),
        }
    }
    note + if is_plain { kind } else { 0 }
}
