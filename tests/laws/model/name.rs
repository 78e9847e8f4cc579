//! Exposed names, as DESIGN §8 says them.

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};
use toolscope::source::SourceKind;

fn is_legal_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}

pub fn is_legal(name: &str) -> bool {
    (1..=64).contains(&name.chars().count()) && name.chars().all(is_legal_character)
}

pub fn sanitised(name: &str) -> String {
    name.chars().map(|character| if is_legal_character(character) { character } else { '_' }).collect()
}

pub fn looks_hashed(name: &str) -> bool {
    let characters: Vec<char> = name.chars().collect();
    characters.len() > 10
        && characters[characters.len() - 11] == '_'
        && characters[characters.len() - 10..].iter().all(|character| matches!(character, 'A'..='Z' | '2'..='7'))
}

const OF_EVERY_OBJECT: [&str; 7] =
    ["constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// The name of the tool `raw` of the source `source`, whose id is `id`.
pub fn exposed(kind: SourceKind, source: &str, raw: &str, id: &str) -> String {
    let (plain, keeps) = if kind == SourceKind::Mcp {
        let is_plain =
            |part: &str| is_legal(part) && !part.contains("__") && !part.starts_with('_') && !part.ends_with('_');
        (format!("mcp__{source}__{raw}"), is_plain(source) && is_plain(raw))
    } else {
        (raw.to_owned(), !raw.starts_with("mcp__") && !raw.starts_with("__") && !OF_EVERY_OBJECT.contains(&raw))
    };
    if keeps && is_legal(&plain) && !looks_hashed(&plain) {
        return plain;
    }
    let base: String = sanitised(&plain).chars().take(64 - 11).collect();
    format!("{base}_{}", &BASE32_NOPAD.encode(&Sha256::digest(id.as_bytes()))[..10])
}
