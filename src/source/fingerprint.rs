//! Fingerprints of definitions: two texts that say the same have the same one.

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The fingerprint of a declaration's definition: SHA-256, in hexadecimal, over its canonical JSON. Key order and
/// white space do not count, nor does what only the host decides (exposure, category, its own name for the tool).
#[must_use]
pub fn fingerprint(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap_or_default();
    if let Some(object) = value.as_object_mut() {
        for host_side in ["exposure", "category", "exposedName"] {
            object.remove(host_side);
        }
    }
    let mut canonical = String::with_capacity(text.len());
    write_canonical(&value, &mut canonical);
    HEXLOWER.encode(&Sha256::digest(canonical.as_bytes()))
}

/// Writes JSON with its keys sorted, whatever order the parser keeps.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn order_and_what_the_host_decides_do_not_count() {
        let one = fingerprint(r#"{"name":"a","inputSchema":{"type":"object","x":1},"exposure":"code"}"#);
        assert_eq!(one, fingerprint(r#"{"inputSchema": {"x":1, "type":"object"},"name":"a"}"#));
        assert_ne!(one, fingerprint(r#"{"name":"a","inputSchema":{"type":"object","x":2}}"#));
    }
}
