//! Names of tools as people write them down by habit of other notations: in brackets and quotes, with arguments, as
//! lists with other separators, as paths.

use crate::model::{EXTENSIONS, SERVERS, inventory};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::BTreeSet;
use toolscope::agent_file::Dialect;

/// A text in a list of names, and the ids of the tools that it is about.
#[derive(Clone, Debug)]
pub struct Noted {
    pub text: String,
    pub about: BTreeSet<String>,
}

/// One name, plain, with what it is about.
fn plain(dialect: Dialect) -> BoxedStrategy<Noted> {
    let mut names: Vec<(String, Vec<String>)> = Vec::new();
    for id in inventory(dialect) {
        let tool = id.rsplit(['/', ':']).next().unwrap_or_default().to_owned();
        let same = inventory(dialect).into_iter().filter(|other| other.ends_with(&tool)).collect::<Vec<_>>();
        names.push((id.clone(), vec![id.clone()]));
        if same.len() == 1 {
            names.push((tool.clone(), same));
        }
        if dialect != Dialect::Toolscope && id.starts_with("builtin:") {
            names.push((tool.to_uppercase(), vec![id]));
        }
    }
    let of = |kind: &str, source: &str| -> Vec<String> {
        let prefix = format!("{kind}:{source}/");
        inventory(dialect).into_iter().filter(|id| id.starts_with(&prefix)).collect()
    };
    for (source, tools) in EXTENSIONS {
        for written in [
            format!("ext:{source}"),
            format!("EXT:{source}"),
            format!("ext: {source}"),
            format!("ext :{source}"),
            format!("ext:{source}.ts"),
            format!("ext:{source}.mjs"),
            format!("ext:./extensions/{source}.ts"),
            format!("ext:@acme/{source}"),
            format!("extension:{source}"),
        ] {
            names.push((written, of("ext", source)));
        }
        names.push((format!("ext:@acme/{source}/{}", tools[0]), vec![format!("ext:{source}/{}", tools[0])]));
        names.push((format!("{source}/{}", tools[0]), vec![format!("ext:{source}/{}", tools[0])]));
        names.push((format!("ext:{source} / {}", tools[0]), vec![format!("ext:{source}/{}", tools[0])]));
    }
    for (server, tools) in SERVERS {
        let id = format!("mcp:{server}/{}", tools[0]);
        for written in [
            format!("mcp__{server}__{}", tools[0]),
            format!("MCP__{server}__{}", tools[0]),
            format!("mcp__{server}/{}", tools[0]),
            format!("mcp__{server}.{}", tools[0]),
            format!("{server}/{}", tools[0]),
            format!("mcp: {server}/{}", tools[0]),
            format!("server:{server}/{}", tools[0]),
        ] {
            names.push((written, vec![id.clone()]));
        }
        for written in
            [format!("mcp__{server}"), format!("mcp__{server}__*"), format!("MCP:{server}"), format!("server:{server}")]
        {
            names.push((written, of("mcp", server)));
        }
    }
    select(names).prop_map(|(text, about)| Noted { text, about: about.into_iter().collect() }).boxed()
}

const AROUND: [(&str, &str); 24] = [
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("“", "”"),
    ("‘", "’"),
    ("«", "»"),
    ("\"", ""),
    ("", "'"),
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("[", ""),
    ("", ")"),
    ("", "(git:*)"),
    ("", "(a b, c)"),
    ("", "[x]"),
    ("", "{x: y}"),
    ("", " (all of it)"),
    ("!", ""),
    ("-", ""),
    ("", "."),
    ("", "\u{200B}"),
    ("\u{A0}", "\u{FEFF}"),
];
const BETWEEN: [&str; 12] = [", ", ",", ";", "; ", "|", " | ", " ", "  ", "\u{A0}", ",,", " & ", "、"];

/// Some names in one text, in notations upon notations.
pub fn texts(dialect: Dialect) -> impl Strategy<Value = Noted> {
    let one = (plain(dialect), vec(select(AROUND.to_vec()), 0..3)).prop_map(|(noted, around)| wrapped(noted, &around));
    let around = vec(select(AROUND[..12].to_vec()), 0..2);
    // Arguments that are not closed stand last: before others they would hold these.
    let end = select(vec!["", "", "", "(open", "(a(b)"]);
    (vec(one, 1..4), select(BETWEEN.to_vec()), around, end).prop_map(|(parts, between, around, end)| {
        let text = parts.iter().map(|part| &*part.text).collect::<Vec<_>>().join(between) + end;
        let about = parts.into_iter().flat_map(|part| part.about).collect();
        wrapped(Noted { text, about }, &around)
    })
}

fn wrapped(noted: Noted, around: &[(&str, &str)]) -> Noted {
    let text = around.iter().fold(noted.text, |text, (before, after)| format!("{before}{text}{after}"));
    Noted { text, ..noted }
}

/// A text as YAML: as a quoted value, or as the one item of a list.
pub fn yaml(text: &str, in_list: bool) -> String {
    let quoted = format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    if in_list { format!("[{quoted}]") } else { quoted }
}
