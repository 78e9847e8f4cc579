//! A tool in one line, as a search result shows it: `name(a, b?)`.
//!
//! One function, so that a richer rendering can stand in its place.

use serde::Deserialize;
use serde_json::value::RawValue;

/// What the line says of a schema: the parameters and which of them must be given.
#[derive(Deserialize)]
struct Shape<'a> {
    #[serde(borrow, default)]
    properties: Option<&'a RawValue>,
    #[serde(borrow, default)]
    required: Option<&'a RawValue>,
}

/// The name with the names of its parameters, `?` after those that may be left out. A schema that does not say its
/// parameters so plainly shows none.
#[must_use]
pub fn compact_signature(name: &str, schema: Option<&str>) -> String {
    let (parameters, required) = schema.map_or_else(Default::default, parameters);
    let mut line = format!("{name}(");
    for (number, parameter) in parameters.iter().enumerate() {
        if number > 0 {
            line.push_str(", ");
        }
        line.push_str(parameter);
        if !required.contains(parameter) {
            line.push('?');
        }
    }
    line.push(')');
    line
}

fn parameters(schema: &str) -> (Vec<String>, Vec<String>) {
    let Ok(shape) = crate::object::read::<Shape<'_>>(schema) else { return Default::default() };
    let keys = shape.properties.and_then(|text| serde_json::from_str::<Keys>(text.get()).ok());
    let required = shape.required.and_then(|text| serde_json::from_str(text.get()).ok());
    (keys.map_or_else(Vec::new, |keys| keys.0), required.unwrap_or_default())
}

/// The keys of an object, in order.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Keys;
            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        from.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::compact_signature;

    #[test]
    fn optional_parameters_are_marked() {
        let schema = r#"{"properties":{"owner":{},"repo":true,"page":{"type":"number"}},"required":["owner","repo"]}"#;
        assert_eq!(compact_signature("list_issues", Some(schema)), "list_issues(owner, repo, page?)");
        assert_eq!(compact_signature("ping", None), "ping()");
        assert_eq!(compact_signature("odd", Some(r#"{"properties":7,"required":"x"}"#)), "odd()");
        assert_eq!(compact_signature("odd", Some("true")), "odd()");
    }
}
