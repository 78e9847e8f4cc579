//! Exposed names: what the model sees, a function of a tool's own id and never of its neighbours.
//!
//! A name is 1 to 64 of `[A-Za-z0-9_-]`, the intersection of what model providers take. Names that say a tool's id
//! plainly stay plain; every other one carries a hash over the id. The two forms cannot meet, since a plain name never
//! looks hashed.

use crate::source::SourceKind;
use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

/// The longest exposed name.
pub const MAX_NAME: usize = 64;
const HASH: usize = 10;

/// What every JavaScript object answers to; a host that keys a plain object by tool names would meet them.
const OBJECT_PROTOTYPE: [&str; 7] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// Whether providers take the name as it is.
#[must_use]
pub fn is_legal(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_legal_byte)
}

const fn is_legal_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The name with every character that providers refuse replaced by `_`.
///
/// ```
/// assert_eq!(toolscope::registry::name::sanitised("fs.read"), "fs_read");
/// ```
#[must_use]
pub fn sanitised(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii() && is_legal_byte(c as u8) { c } else { '_' }).collect()
}

/// The exposed name of a tool: `source` is its source's name, `id` its tool id.
#[must_use]
pub fn exposed(kind: SourceKind, source: &str, raw: &str, id: &str) -> String {
    if kind == SourceKind::Mcp {
        let plain = format!("mcp__{source}__{raw}");
        if is_plain_part(source) && is_plain_part(raw) && is_legal(&plain) && !looks_hashed(&plain) {
            return plain;
        }
        return hashed(&sanitised(&plain), id);
    }
    let special =
        raw.starts_with("__") || raw.starts_with("mcp__") || looks_hashed(raw) || OBJECT_PROTOTYPE.contains(&raw);
    if is_legal(raw) && !special { raw.to_owned() } else { hashed(&sanitised(raw), id) }
}

/// Whether `__` between this part and the next can be told from the part itself.
fn is_plain_part(part: &str) -> bool {
    !part.is_empty()
        && part.bytes().all(is_legal_byte)
        && !part.contains("__")
        && !part.starts_with('_')
        && !part.ends_with('_')
}

/// Whether a name ends as hashed names do: `_` and ten upper-case base-32 characters.
fn looks_hashed(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() > HASH
        && bytes[bytes.len() - HASH - 1] == b'_'
        && bytes[bytes.len() - HASH..].iter().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7'))
}

/// `base`, cut to make room, with the hash of `id`.
fn hashed(base: &str, id: &str) -> String {
    let kept = &base[..base.len().min(MAX_NAME - HASH - 1)];
    let hash = BASE32_NOPAD.encode(&Sha256::digest(id.as_bytes()));
    format!("{kept}_{}", &hash[..HASH])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mcp(server: &str, raw: &str) -> String {
        exposed(SourceKind::Mcp, server, raw, &format!("mcp:{server}/{raw}"))
    }
    fn ext(raw: &str) -> String {
        exposed(SourceKind::Ext, "e", raw, &format!("ext:e/{raw}"))
    }

    #[test]
    fn plain_names_stay_plain() {
        assert_eq!(ext("read"), "read");
        assert_eq!(ext("get_categories"), "get_categories");
        assert_eq!(mcp("everything", "get-sum"), "mcp__everything__get-sum");
        assert_eq!(mcp("acme-kb", "find"), "mcp__acme-kb__find");
    }

    #[test]
    fn every_other_name_is_legal_and_hashed() {
        let long = "x".repeat(100);
        for raw in ["fs.read", "__proto__", "constructor", "mcp__a__b", "é", "a_ABCDEFGHIJ", &long] {
            let name = ext(raw);
            assert!(is_legal(&name) && looks_hashed(&name), "{raw} {name}");
        }
        for (server, raw) in [("Acme.KB", "find"), ("a__b", "c"), ("a", "_c"), ("a_", "c"), ("a", "b__c"), ("s", &long)]
        {
            let name = mcp(server, raw);
            assert!(is_legal(&name) && looks_hashed(&name) && name.starts_with("mcp__"), "{server} {raw} {name}");
        }
    }
}
