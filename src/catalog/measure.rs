//! A tool's lines, and what they cost.
//!
//! Most tools of a large inventory are never shown, and to know that takes no exact cost: what a tool costs at the least
//! is found step by step, each step reading more of its declaration, and only the last one writes its lines.

use super::index::Tool;
use super::signature::{self, Declaration, least};
use super::text;

/// What the lines of a tool have at the least beside its name.
const LEAST_FULL: &str = "(input: 1): any\n";
const LEAST_COMPACT: &str = "(_?)\n";

/// What a cost was found from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Known {
    /// The name alone.
    Name,
    /// That, and the line of the description.
    Description,
    /// All that, and the names of the parameters.
    Parameters,
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
    /// Where in the declaration the next look begins.
    pub from: u32,
    /// The line of its description.
    comment: u32,
    /// Its compact line, and its sentence on top of it.
    pub compact: Option<(u32, u32)>,
}

impl Measure {
    pub(super) fn of_name(member: &str) -> Self {
        let name = characters(text::key_length(member));
        Self { name, full: (name + length(LEAST_FULL), Known::Name), from: 0, comment: 0, compact: None }
    }

    /// The compact line with its sentence.
    pub(super) fn sentence(&self) -> (u32, Known) {
        match self.compact {
            Some((line, sentence)) => (line + sentence, Known::Exact),
            None => (self.name + length(LEAST_COMPACT), Known::Name),
        }
    }

    /// Takes one more look at the declaration, short of writing the lines.
    pub(super) fn look(&mut self, declaration: &str) {
        let (found, known) = if self.full.1 == Known::Name {
            self.take_comment(declaration);
            (self.comment, Known::Description)
        } else {
            (characters(least::parameters(declaration, self.from as usize)), Known::Parameters)
        };
        self.full = (self.full.0.saturating_add(found), known);
    }

    /// Writes the tool's signature, by which its full lines are known.
    pub(super) fn write(&mut self, tool: &Tool) -> Signature {
        if self.full.1 == Known::Name {
            self.take_comment(&tool.declaration);
        }
        let signature = Signature::of(tool, self.from as usize);
        self.full = (self.comment.saturating_add(signature.length()), Known::Exact);
        signature
    }

    fn take_comment(&mut self, declaration: &str) {
        let mut comment = String::with_capacity(2 * signature::DESCRIPTION_LENGTH);
        self.from = characters(signature::push_comment(&mut comment, declaration));
        self.comment = length(&comment);
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
    /// `from` is a place in the declaration ahead of its schemas.
    fn of(tool: &Tool, from: usize) -> Self {
        let mut declaration = Declaration::checked_from(&tool.declaration, from);
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

fn characters(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalog::Origin;

    fn tool(declaration: &str) -> Tool {
        let (source, prefix, namespace) = ("s".to_owned(), "s/".to_owned(), "s".to_owned());
        let origin = Arc::new(Origin { source, prefix, namespace, description: None });
        Tool { origin, member: "t".into(), declaration: declaration.into() }
    }

    /// Takes look after look; none may find more than the one before it allows, or than the lines have.
    fn look_at(declaration: &str) {
        let tool = tool(declaration);
        let mut measure = Measure::of_name(&tool.member);
        measure.write(&tool);
        let exact = measure.full.0;
        let mut measure = Measure::of_name(&tool.member);
        let mut before = 0;
        for known in [Known::Name, Known::Description, Known::Parameters] {
            assert_eq!(measure.full.1, known);
            assert!(before <= measure.full.0 && measure.full.0 <= exact, "{known:?} {measure:?} {exact} {declaration}");
            before = measure.full.0;
            measure.look(declaration);
        }
    }

    proptest::proptest! {
        /// Members in any order, any of them twice, as no JSON value could hold them.
        #[test]
        fn no_look_finds_more_than_lines_of_any_keywords_have(
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
    fn no_look_finds_more_than_the_lines_have() {
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
        let found = |declaration: String| {
            let mut measure = Measure::of_name("t");
            measure.look(&declaration);
            measure.look(&declaration);
            measure.full.0
        };
        let after = found(format!(r#"{{"name":"t","description":"d","inputSchema":{schema}}}"#));
        assert_eq!(after, found(format!(r#"{{"name":"t","inputSchema":{schema},"description":"d"}}"#)));
        assert!(after > found(r#"{"name":"t","description":"d","inputSchema":{}}"#.to_owned()));
    }
}
