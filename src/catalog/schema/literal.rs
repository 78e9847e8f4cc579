//! The values of `const` and `enum`, kept as they stand in the text and printed as literal types.

use serde_json::Value;

use super::Types;
use crate::catalog::text;

/// A string longer than this is printed as `string`, a number as `number`.
const LONGEST: usize = 200;

/// One value, as JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Literal<'a>(pub &'a str);

impl Literal<'_> {
    /// Whether a schema of those types admits the value; none said admits all.
    #[must_use]
    pub fn is_of(self, types: Types) -> bool {
        let mut own = Types::default();
        match self.0.as_bytes().first() {
            Some(b'"') => own.insert("string"),
            Some(b'{') => own = Types::OBJECT,
            Some(b'[') => own = Types::ARRAY,
            Some(b't' | b'f') => own.insert("boolean"),
            Some(b'n') => own = Types::NULL,
            _ => {
                own.insert("number");
                own.insert("integer");
            }
        }
        types.is_empty() || types.meets(own)
    }

    /// Appends the value as a type. Returns whether it says exactly the value.
    pub fn push(self, out: &mut String) -> bool {
        let Self(text) = self;
        match text.as_bytes().first() {
            Some(b'"') if text.len() > LONGEST => {
                out.push_str("string");
                false
            }
            Some(b'"') => {
                if text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\' || byte == b' ') {
                    out.push_str(text);
                    return true;
                }
                // A lone surrogate has no form in UTF-8.
                let Ok(value) = serde_json::from_str::<String>(text) else {
                    out.push_str("string");
                    return false;
                };
                text::push_literal(out, &value);
                true
            }
            Some(b't' | b'f' | b'n') => {
                out.push_str(text);
                true
            }
            Some(b'{' | b'[') => {
                if let Ok(value) = serde_json::from_str::<Value>(text) {
                    return push_value(out, &value, 0);
                }
                out.push_str("unknown");
                false
            }
            _ => push_number(out, text),
        }
    }
}

fn push_number(out: &mut String, text: &str) -> bool {
    let exact = text.len() <= 24 && text.parse::<f64>().is_ok_and(f64::is_finite);
    out.push_str(if exact { text } else { "number" });
    exact
}

fn push_value(out: &mut String, value: &Value, depth: usize) -> bool {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => return push_number(out, &number.to_string()),
        Value::String(string) if string.len() <= LONGEST => text::push_literal(out, string),
        Value::Array(values) if depth < 8 => {
            out.push('[');
            let mut exact = true;
            for (index, value) in values.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                exact &= push_value(out, value, depth + 1);
            }
            out.push(']');
            return exact;
        }
        Value::Object(members) if depth < 8 => {
            out.push('{');
            let mut exact = true;
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "; " } else { " " });
                text::push_key(out, key);
                out.push_str(": ");
                exact &= push_value(out, value, depth + 1);
            }
            out.push_str(if members.is_empty() { "}" } else { " }" });
            return exact;
        }
        _ => {
            out.push_str("unknown");
            return false;
        }
    }
    true
}
