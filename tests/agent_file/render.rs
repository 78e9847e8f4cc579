//! A file as text: whole, damaged so that its author's meaning is plain, and mutated at random.

use crate::model::{Entry, Extensions, File};
use proptest::{collection::vec, prelude::*, sample::select};
use toolscope::agent_file::Dialect;

/// Small choices of style, drawn from one number.
struct Style(u64);

impl Style {
    fn pick(&mut self, of: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % of
    }
}

fn entry(entry: &Entry, dialect: Dialect) -> String {
    let joined = |name: &str, tool: &Option<String>, between: &str| {
        tool.as_ref().map_or_else(|| name.to_owned(), |tool| format!("{name}{between}{tool}"))
    };
    match (entry, dialect) {
        (Entry::Builtin(name), Dialect::Toolscope) => format!("builtin:{name}"),
        (Entry::Builtin(name), _) => name.clone(),
        (Entry::All, _) => "*".to_owned(),
        (Entry::Ext(name, tool), _) => joined(&format!("ext:{name}"), tool, "/"),
        (Entry::Server(name, tool), Dialect::Toolscope) => joined(&format!("mcp:{name}"), tool, "/"),
        (Entry::Server(name, tool), _) => joined(&format!("mcp__{name}"), tool, "__"),
        (Entry::Spawner(names), _) => format!("Agent({})", names.join(", ")),
        (Entry::Specified(name), _) => format!("{name}(x:*)"),
    }
}

/// The text of a list, in one of YAML's ways.
fn list(items: &[String], style: &mut Style) -> String {
    let quoted = |item: &String| match item.contains(['*', ',', ':', '(']) {
        true => format!("\"{item}\""),
        false => item.clone(),
    };
    let csv = items.join(", ");
    match style.pick(5) {
        _ if items.is_empty() => " []\n".to_owned(),
        0 => format!(" [{}]\n", items.iter().map(quoted).collect::<Vec<_>>().join(", ")),
        1 => format!("\n{}", items.iter().map(|item| format!("  - {}\n", quoted(item))).collect::<String>()),
        2 => format!(" '{csv}'\n"),
        3 => format!(" \"{csv}\" # a comment\n"),
        _ if csv.contains(['*', ':', '#']) => format!(" '{csv}'\n"),
        _ => format!(" {csv}\n"),
    }
}

/// The fields of a file: key and text.
fn fields(file: &File, style: &mut Style) -> Vec<(String, String)> {
    let (allow, deny) = match file.dialect {
        Dialect::Pi => ("tools", "disallowed_tools"),
        Dialect::Claude => ("tools", "disallowedTools"),
        Dialect::Toolscope => {
            (["allow", "tools"][style.pick(2)], ["exclude", "disallowedTools", "disallowed_tools"][style.pick(3)])
        }
    };
    let mut fields = vec![
        ("name".to_owned(), " scout\n".to_owned()),
        ("description".to_owned(), " >\n  looks at\n  things\n".to_owned()),
    ];
    let mut add = |key: &str, text: String| fields.push((key.to_owned(), text));
    if let Some(tools) = &file.tools {
        let items: Vec<String> = tools.iter().map(|tool| entry(tool, file.dialect)).collect();
        add(allow, list(&items, style));
    }
    if !file.denied.is_empty() {
        add(deny, list(&file.denied, style));
    }
    match &file.extensions {
        Extensions::Unsaid => {}
        Extensions::None => add("extensions", [" false\n", " none\n", " []\n", " \"\"\n"][style.pick(4)].to_owned()),
        Extensions::Only(names) => {
            let paths: Vec<String> = names
                .iter()
                .map(|name| match style.pick(4) {
                    0 => format!("./extensions/{name}.ts"),
                    1 => format!("./{name}/index.js"),
                    2 => name.to_uppercase(),
                    _ => name.clone(),
                })
                .collect();
            add("extensions", list(&paths, style));
        }
    }
    if !file.excluded.is_empty() {
        add("exclude_extensions", list(&file.excluded, style));
    }
    if file.isolated {
        add("isolated", [" true\n", " True\n"][style.pick(2)].to_owned());
    }
    if file.memory {
        add("memory", [" user\n", " project\n", " \"local\"\n"][style.pick(3)].to_owned());
    }
    if let Some(names) = &file.subagents {
        let key = if file.dialect == Dialect::Toolscope && style.pick(2) == 0 { "spawns" } else { "allowed_subagents" };
        add(key, list(names, style));
    }
    for at in (1..fields.len()).rev() {
        fields.swap(at, style.pick(at + 1));
    }
    fields
}

fn file_of(fields: &[(String, String)], style: &mut Style) -> String {
    let body: String = fields.iter().map(|(key, text)| format!("{key}:{text}")).collect();
    let text = format!("---\n{body}---\nYou are a scout.\ntools: all\n");
    match style.pick(6) {
        0 => text.replace('\n', "\r\n"),
        1 => format!("\u{feff}{text}"),
        2 => text.replacen("---\n", "--- \n", 1),
        _ => text,
    }
}

/// The file, well written.
pub fn whole(file: &File, style: u64) -> String {
    let mut style = Style(style);
    let fields = fields(file, &mut style);
    file_of(&fields, &mut style)
}

/// A slip that leaves the author's meaning plain to a person.
#[derive(Clone, Debug)]
pub enum Damage {
    /// The closing line is missing.
    Unterminated,
    /// A line stands above the front matter.
    Preceded,
    /// A key is written in another case, or with other dashes.
    KeyStyle(usize, usize),
    /// A letter of a key is missing, doubled or swapped with the next.
    KeySlip(usize, usize, usize),
    /// A field is there twice, the second one open.
    Twice(usize),
    /// A merge key opens what is narrowed.
    Merged,
    /// A value is behind an anchor and an alias.
    Aliased(usize),
    /// A value bears a tag.
    Tagged(usize),
    /// A value is a mapping.
    Mapped(usize),
    /// A line is indented by a tab.
    Tab(usize),
    /// A value is an unquoted star.
    Star(usize),
    /// A quote, bracket or brace is opened and not closed.
    Unclosed(usize, char),
    /// The kind of a selector is in capitals.
    KindCase,
    /// A selector has a space behind its colon.
    KindSpace,
    /// Names of what is denied are in another case.
    DeniedCase,
    /// Names are divided by something other than commas.
    Divided(char),
    /// `isolated` says yes in a word.
    Yes(usize),
    /// There is a second document.
    Documents,
    /// The file's lines end in a lone carriage return.
    CarriageReturns,
    /// The file is read by the rules of another dialect's keys.
    Unknown,
}

/// Damages, each as likely.
pub fn damages() -> impl Strategy<Value = Damage> {
    let at = || 0..12_usize;
    prop_oneof![
        Just(Damage::Unterminated),
        Just(Damage::Preceded),
        (at(), 0..4_usize).prop_map(|(at, how)| Damage::KeyStyle(at, how)),
        (at(), at(), 0..3_usize).prop_map(|(at, letter, how)| Damage::KeySlip(at, letter, how)),
        at().prop_map(Damage::Twice),
        Just(Damage::Merged),
        at().prop_map(Damage::Aliased),
        at().prop_map(Damage::Tagged),
        at().prop_map(Damage::Mapped),
        at().prop_map(Damage::Tab),
        at().prop_map(Damage::Star),
        (at(), select(vec!['"', '\'', '[', '{', '&', '!', '|', '>', '%', '@', '`']))
            .prop_map(|(at, open)| Damage::Unclosed(at, open)),
        Just(Damage::KindCase),
        Just(Damage::KindSpace),
        Just(Damage::DeniedCase),
        select(vec![' ', ';', '|', '\n']).prop_map(Damage::Divided),
        (0..4_usize).prop_map(Damage::Yes),
        Just(Damage::Documents),
        Just(Damage::CarriageReturns),
        Just(Damage::Unknown),
    ]
}

/// Whether a field only takes away or gives, so that losing it could widen the file.
fn restricts(key: &str) -> bool {
    !matches!(key, "name" | "description" | "memory" | "spawns" | "allowed_subagents")
}

/// The file, with a slip.
pub fn damaged(file: &File, style: u64, damage: &Damage) -> String {
    let mut style = Style(style);
    let mut fields = fields(file, &mut style);
    let count = fields.len();
    let restricting: Vec<usize> = (0..count).filter(|&at| restricts(&fields[at].0)).collect();
    let chosen = |at: usize| restricting.get(at % restricting.len().max(1)).copied();
    match damage {
        Damage::Unterminated => return file_of(&fields, &mut style).replacen("\n---", "\n", 1),
        Damage::Preceded => return format!("\n{}", file_of(&fields, &mut style)),
        Damage::CarriageReturns => return file_of(&fields, &mut style).replace("\r\n", "\n").replace('\n', "\r"),
        Damage::KeyStyle(at, how) => {
            if let Some(at) = chosen(*at) {
                let key = &mut fields[at].0;
                *key = match how {
                    0 => key.to_uppercase(),
                    1 => key.replace('_', "-"),
                    2 => key[..1].to_uppercase() + &key[1..],
                    _ => key.replace("_t", "T").replace("_e", "E"),
                };
            }
        }
        Damage::KeySlip(at, letter, how) => {
            if let Some(at) = chosen(*at) {
                let key = &mut fields[at].0;
                // A short word a slip away is another word; `tools` is the shortest that is known again.
                let letter = 1 + letter % (key.len() - 1);
                match how {
                    _ if key.len() < 5 => {}
                    0 => drop(key.remove(letter)),
                    1 => key.insert(letter, key.as_bytes()[letter].into()),
                    _ => {
                        let moved = key.remove(letter);
                        key.insert(letter - 1, moved);
                    }
                }
            }
        }
        Damage::Twice(at) => {
            if let Some(at) = chosen(*at) {
                let again = (fields[at].0.clone(), " \n".to_owned());
                fields.push(again);
            }
        }
        Damage::Merged => {
            fields.insert(0, ("base".to_owned(), " &base {tools: all, isolated: false}\n".to_owned()));
            fields.push(("<<".to_owned(), " *base\n".to_owned()));
        }
        Damage::Aliased(at) => {
            if let Some(at) = chosen(*at) {
                fields[at].1 = " *open\n".to_owned();
                fields.insert(0, ("version".to_owned(), " &open \"*\"\n".to_owned()));
            }
        }
        Damage::Tagged(at) => {
            if let Some(at) = chosen(*at) {
                fields[at].1 = format!(" !!binary{}", fields[at].1);
            }
        }
        Damage::Mapped(at) => {
            if let Some(at) = chosen(*at) {
                fields[at].1 = " {read: true, write: false}\n".to_owned();
            }
        }
        Damage::Tab(at) => {
            let at = at % count;
            fields[at].0 = format!("\t{}", fields[at].0);
        }
        Damage::Star(at) => {
            if let Some(at) = chosen(*at) {
                fields[at].1 = " *\n".to_owned();
            }
        }
        Damage::Unclosed(at, open) => {
            if let Some(at) = chosen(*at) {
                fields[at].1 = format!(" {open}{}", fields[at].1.trim_start_matches(' '));
            }
        }
        Damage::KindCase => replace_all(&mut fields, |text| text.replace("ext:", "EXT:")),
        Damage::KindSpace => replace_all(&mut fields, |text| text.replace("ext:", "ext: ")),
        Damage::DeniedCase => {
            for (key, text) in fields.iter_mut().filter(|(key, _)| key.starts_with("dis") || key.starts_with("excl")) {
                if file.dialect != Dialect::Toolscope && !text.contains("mcp__") && key != "exclude" {
                    *text = swapped_case(text);
                }
            }
        }
        Damage::Divided(by) => {
            let by = if *by == '\n' { "\n  ".to_owned() } else { format!("{by} ") };
            replace_all(&mut fields, |text| {
                if text.contains(['[', '\'', '"', '-', '>', '(']) { text.to_owned() } else { text.replace(", ", &by) }
            });
        }
        Damage::Yes(how) => {
            for (_, text) in fields.iter_mut().filter(|(key, _)| key == "isolated") {
                *text = [" yes\n", " on\n", " \"true\"\n", " 1\n"][*how].to_owned();
            }
        }
        Damage::Documents => fields.push(("version".to_owned(), " 1\n...\ntools: all\n".to_owned())),
        Damage::Unknown => {
            for (key, _) in &mut fields {
                *key = match &**key {
                    "tools" | "allow" => "allowed-tools".to_owned(),
                    "disallowed_tools" | "disallowedTools" | "exclude" => "denyTools".to_owned(),
                    other => other.to_owned(),
                };
            }
        }
    }
    file_of(&fields, &mut style)
}

/// Of names alone: the words of a comment may be anything.
fn swapped_case(text: &str) -> String {
    let (names, comment) = text.split_once('#').map_or((text, ""), |(names, _)| (names, "\n"));
    let swap =
        |letter: char| if letter.is_lowercase() { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() };
    let known = |word: &str| crate::model::PI_BUILTINS.contains(&word) || crate::model::CLAUDE_BUILTINS.contains(&word);
    let words = names.split_inclusive(|letter: char| !letter.is_alphanumeric());
    let swapped: String = words
        .map(|word| {
            let name = word.trim_end_matches(|letter: char| !letter.is_alphanumeric());
            if known(name) { name.chars().map(swap).collect::<String>() + &word[name.len()..] } else { word.to_owned() }
        })
        .collect();
    swapped + comment
}

fn replace_all(fields: &mut [(String, String)], replace: impl Fn(&str) -> String) {
    for (key, text) in fields {
        if key != "description" {
            *text = replace(text);
        }
    }
}

/// One change of a text at random.
#[derive(Clone, Debug)]
pub enum Mutation {
    Delete(usize, usize),
    Insert(usize, String),
    Repeat(usize, usize),
}

/// A few of them.
pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let tokens: Vec<String> = [
        "\n",
        "\r",
        "\t",
        " ",
        ":",
        ": ",
        "-",
        "- ",
        "*",
        "&a ",
        "*a",
        "!",
        "!!str ",
        "|",
        ">",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "#",
        ",",
        "~",
        "null",
        "true",
        "no",
        "all",
        "none",
        "ext:",
        "mcp__",
        "tools: ",
        "extensions: ",
        "isolated: ",
        "---",
        "---\n",
        "...",
        "<<: ",
        "?",
        "%",
        "@",
        "`",
        "\\",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\u{0}",
        "read",
        "é",
    ]
    .map(str::to_owned)
    .to_vec();
    let one = prop_oneof![
        (any::<usize>(), 1..6_usize).prop_map(|(at, length)| Mutation::Delete(at, length)),
        (any::<usize>(), select(tokens)).prop_map(|(at, token)| Mutation::Insert(at, token)),
        (any::<usize>(), 1..20_usize).prop_map(|(at, length)| Mutation::Repeat(at, length)),
    ];
    vec(one, 1..6)
}

/// The file, mutated.
pub fn mutated(file: &File, style: u64, mutations: &[Mutation]) -> String {
    let mut text: Vec<char> = whole(file, style).chars().collect();
    for mutation in mutations {
        let length = text.len().max(1);
        match mutation {
            Mutation::Delete(at, count) => {
                let from = (at % length).min(text.len());
                let to = (from + count).min(text.len());
                text.drain(from..to);
            }
            Mutation::Insert(at, token) => {
                let at = (at % length).min(text.len());
                text.splice(at..at, token.chars());
            }
            Mutation::Repeat(at, count) => {
                let from = (at % length).min(text.len());
                let to = (from + count).min(text.len());
                let piece: Vec<char> = text[from..to].to_vec();
                text.splice(to..to, piece);
            }
        }
    }
    text.into_iter().collect()
}
