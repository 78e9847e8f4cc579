//! A tool's lines, and what they cost.
//!
//! Most tools of a large inventory are never shown, and to know that takes no exact cost: what a tool costs at the least
//! is known from its outline, and only what may be shown is written.

use super::index::Tool;
use super::outline::characters;
use super::signature::{self, Declaration};
use super::text;

/// What the lines of a tool have at the least beside its name.
const LEAST_FULL: &str = "(input: 1): any\n";
const LEAST_COMPACT: &str = "(_?)\n";

/// What a cost was found from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    /// The name and the outline: the lines cost no less.
    Outline,
    /// The lines.
    Exact,
}

/// What a tool costs, in characters with the line break.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Its name as a member.
    pub name: u32,
    /// Its full lines, at the least.
    pub full: (u32, Known),
    /// Its compact line, and its sentence on top of it.
    pub compact: Option<(u32, u32)>,
}

impl Measure {
    pub(super) fn of(tool: &Tool) -> Self {
        let name = characters(text::key_length(&tool.member));
        let full = name + length(LEAST_FULL);
        Self { name, full: (full.saturating_add(tool.outline.least()), Known::Outline), compact: None }
    }

    /// The compact line with its sentence.
    pub(super) fn sentence(&self) -> (u32, Known) {
        match self.compact {
            Some((line, sentence)) => (line + sentence, Known::Exact),
            None => (self.name + length(LEAST_COMPACT), Known::Outline),
        }
    }

    /// Writes the tool's signature, by which its full lines are known.
    pub(super) fn write(&mut self, tool: &Tool) -> Signature {
        let signature = Signature::of(tool);
        self.full = (tool.outline.comment.saturating_add(signature.length()), Known::Exact);
        signature
    }
}

/// A tool's full lines without the comment of its description, which is as quickly written as kept.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    /// Named types, a line each.
    pub types: String,
    /// The member.
    pub line: String,
}

impl Signature {
    fn of(tool: &Tool) -> Self {
        let mut declaration = Declaration::checked_from(&tool.declaration, tool.outline.schemas as usize);
        let types = signature::types(&mut declaration, || tool.id());
        let mut named = String::new();
        signature::push_declarations(&mut named, &types);
        let mut line = String::with_capacity(tool.member.len() + types.length() + signature::AROUND_MEMBER);
        signature::push_member(&mut line, &tool.member, &types, "any");
        line.push('\n');
        Self { types: named, line }
    }

    fn length(&self) -> u32 {
        length(&self.types) + length(&self.line)
    }
}

/// A tool's compact line without its line break, and its sentence.
#[derive(Clone, Debug)]
pub(super) struct CompactLine {
    pub line: Box<str>,
    pub sentence: Box<str>,
}

impl CompactLine {
    pub(super) fn of(tool: &Tool) -> Self {
        let mut declaration = Declaration::checked(&tool.declaration);
        let (mut line, mut sentence) = (String::new(), String::new());
        signature::push_compact(&mut line, &tool.member, &mut declaration);
        signature::push_sentence(&mut sentence, declaration.description);
        Self { line: line.into(), sentence: sentence.into() }
    }

    /// Of the line with its line break, and of the sentence.
    pub(super) fn lengths(&self) -> (u32, u32) {
        (length(&self.line) + 1, length(&self.sentence))
    }
}

fn length(text: &str) -> u32 {
    characters(text::length(text))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalog::{Origin, Outline};

    fn tool(declaration: &str) -> Tool {
        let (source, prefix) = ("s".to_owned(), "s/".to_owned());
        let (name, namespace) = (source.clone(), source.clone());
        let origin = Arc::new(Origin { source, name, prefix, namespace, description: None });
        Tool { origin, member: "t".into(), outline: Outline::of(declaration), declaration: declaration.into() }
    }

    /// The outline may not say more than the lines have.
    fn look_at(declaration: &str) {
        let tool = tool(declaration);
        let mut measure = Measure::of(&tool);
        let (least, known) = measure.full;
        assert_eq!(known, Known::Outline);
        measure.write(&tool);
        assert!(least <= measure.full.0, "{least} {measure:?} {declaration}");
    }

    proptest::proptest! {
        /// Members in any order, any of them twice, as no JSON value could hold them.
        #[test]
        fn no_outline_says_more_than_lines_of_any_keywords_have(
            names in proptest::collection::vec("[a-z]{1,12}|[a-z]-[é-ü]{1,4}|[a-z]{99,210}", 0..40),
            kinds in proptest::collection::vec(proptest::sample::select(KINDS), 1..4),
            keywords in proptest::collection::vec(proptest::sample::select(KEYWORDS), 0..4),
            at in proptest::prelude::any::<proptest::sample::Index>(),
            description in "[ -~]{0,200}|\\PC{0,20}",
        ) {
            let members = names.iter().zip(kinds.iter().cycle()).map(|(name, kind)| format!("\"{name}\":{kind}"));
            let properties = format!("\"properties\":{{{}}}", members.collect::<Vec<_>>().join(","));
            let mut all: Vec<&str> = keywords;
            all.insert(at.index(all.len() + 1), &properties);
            let description = serde_json::json!(description);
            let schema = all.join(",");
            look_at(&format!(r#"{{"name":"t","description":{description},"inputSchema":{{{schema}}}}}"#));
        }
    }
    const KINDS: &[&str] = &[
        "{}",
        "true",
        "false",
        r#"{"const":1}"#,
        r#"{"type":"string","description":"Said."}"#,
        r#"{"description":" \n */ said\ntwice","title":"Not this","type":"boolean","default":true}"#,
        r#"{"type":"integer","enum":[1]}"#,
        r#"{"type":"number","not":{}}"#,
        r#"{"type":"string","type":"null","nullable":true}"#,
        r#"{"type":["string","null"],"description":7}"#,
        r#"{"type":"string","oneOf":[{"const":""}]}"#,
        r#"{"type":"array","prefixItems":[0,0,0,0,0,0,0,0,0,0]}"#,
        r##"{"$ref":"#"}"##,
    ];
    const KEYWORDS: &[&str] = &[
        r#""type":"object""#,
        r#""type":["object"]"#,
        r#""type":["object","null"]"#,
        r#""type":"string""#,
        r#""nullable":true"#,
        r#""required":["a","other"]"#,
        r#""additionalProperties":false"#,
        r#""patternProperties":{"^x":{}}"#,
        r#""properties":{}"#,
        r#""properties":{"b":{"const":1}}"#,
        r#""items":{}"#,
        r#""prefixItems":[{}]"#,
        r#""allOf":[{"required":["a"]}]"#,
        r#""anyOf":[true,{"const":1}]"#,
        r#""oneOf":[]"#,
        r#""not":{}"#,
        r#""enum":[1]"#,
        r##""$ref":"#/nowhere""##,
        r#""\u0065num":[1]"#,
    ];

    #[test]
    fn no_outline_says_more_than_the_lines_have() {
        let many: Vec<String> = (0..400).map(|at| format!(r#""member_number_{at}":{{"type":"object"}}"#)).collect();
        let many = many.join(",");
        let schemas = [
            "true".to_owned(),
            "7".to_owned(),
            r#"{"properties":{"alpha":{},"alpha":{},"alpha":false}}"#.to_owned(),
            r#"{"type":"string","properties":{"alpha":{},"beta":{}}}"#.to_owned(),
            r#"{"type":["object","null"],"properties":{"alpha":{},"beta":{}},"nullable":true}"#.to_owned(),
            r#"{"properties":{"alpha":{},"beta":{}},"enum":[1]}"#.to_owned(),
            r#"{"properties":{"alpha":{},"beta":{}},"items":{}}"#.to_owned(),
            r#"{"properties":{"alpha":{},"beta":{}},"prefixItems":[{}],"minItems":1}"#.to_owned(),
            r#"{"items":[{"const":1}],"properties":{"alpha":{},"beta":{}}}"#.to_owned(),
            r#"{"if":{},"then":{"const":1},"properties":{"alpha":{},"beta":{}},"dependentSchemas":{}}"#.to_owned(),
            r#"{"properties":{"alpha":{},"beta":{}},"not":{}}"#.to_owned(),
            r#"{"properties":{"alpha":{},"beta":{}},"allOf":[false]}"#.to_owned(),
            r##"{"properties":{"alpha":{"$ref":"#"},"\u0062eta":{"const":1}},"anyOf":[true]}"##.to_owned(),
            r##"{"properties":{"alpha":{"$ref":"#"},"b-c":{"const":1},"日本":{"const":1}}}"##.to_owned(),
            r#"{"type":"object","properties":{"alpha":{"const":1}},"properties":{"b":{"const":2}}}"#.to_owned(),
            format!(r#"{{"properties":{{"{}":{{}},"b":{{"const":1}}}}}}"#, "n".repeat(300)),
            format!(r#"{{"properties":{{{many}}},"required":["member_number_3"]}}"#),
        ];
        for schema in schemas {
            for declaration in [
                format!(r#"{{"name":"t","description":"One  two\nthree","inputSchema":{schema}}}"#),
                format!(r#"{{"inputSchema":{schema},"name":"t","description":"{}"}}"#, "é */ ".repeat(90)),
                format!(r#"{{"description":"","inputSchema":{schema},"x":{{"inputSchema":{{}}}}}}"#),
            ] {
                look_at(&declaration);
            }
        }
    }

    #[test]
    fn parameters_are_found_on_either_side_of_the_description() {
        let schema = r#"{"type":"object","properties":{"alpha":{},"beta":{}}}"#;
        let found = |declaration: String| Outline::of(&declaration).least();
        let after = found(format!(r#"{{"name":"t","description":"d","inputSchema":{schema}}}"#));
        assert_eq!(after, found(format!(r#"{{"name":"t","inputSchema":{schema},"description":"d"}}"#)));
        assert!(after > found(r#"{"name":"t","description":"d","inputSchema":{}}"#.to_owned()));
    }
}
