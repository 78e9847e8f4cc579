//! A plan as text: one declaration in TypeScript, with everything that is not code in comments.

use super::budget::{Level, Plan, category_line};
use super::index::CatalogIndex;
use super::selection::Place;
use super::signature;
use super::text;
use super::{Catalog, CategoryCount, ShownLevel, ShownTool};

/// Characters of a source's description.
pub(super) const SOURCE_LENGTH: usize = 80;

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The first line. With `shown` at its largest it is as long as it can be.
pub(super) fn head(shown: usize, total: usize, sources: usize, is_complete: bool, detail: super::Detail) -> String {
    let (tools, sources) = (counted(total, "tool"), counted(sources, "source"));
    let mut line = if is_complete {
        format!("// All of {tools} in {sources}.")
    } else {
        format!("// {shown} of {tools} in {sources}; not complete.")
    };
    if detail != super::Detail::Full {
        line.push_str(" {a,b?}: keys of the one argument.");
    }
    line.push('\n');
    line
}

/// How many tools of a source its block holds.
pub(super) fn count_note(there: usize, all: usize) -> String {
    if there == all { format!(" // {all}") } else { format!(" // {there} of {all}") }
}

/// A source's description as its block shows it; empty where it says nothing.
pub(super) fn source_note(description: Option<&str>) -> String {
    let mut note = " · ".to_owned();
    if !text::push_sentence(&mut note, description.unwrap_or(""), SOURCE_LENGTH) {
        note.clear();
    }
    note
}

pub(super) fn catalog(
    index: &mut CatalogIndex,
    plan: &Plan<'_>,
    pinned: &[Place],
    is_complete: bool,
    detail: super::Detail,
    warnings: Vec<String>,
) -> Catalog {
    let view = plan.view;
    let mut out = head(plan.shown, view.total, view.sources.len(), is_complete, detail);
    print_sources(&mut out, plan);
    let mut categories = Vec::new();
    for line in &plan.categories {
        if line.reserved.is_some() && line.unshown > 0 {
            out.push_str(&category_line(&line.category, line.unshown));
        }
        categories.push(CategoryCount {
            namespace: line.category.namespace.to_string(),
            name: line.category.name.to_string(),
            unshown: line.unshown,
        });
    }
    // Sources with pinned tools lead, in the order of their first pin; the others follow alphabetically.
    let mut sources: Vec<usize> = pinned.iter().map(|pin| pin.source).collect();
    sources.extend(0..view.sources.len());
    let mut is_printed = vec![false; view.sources.len()];
    let (mut types, mut blocks) = (String::new(), String::new());
    let mut shown: Vec<(u32, Level)> = pinned.iter().map(|pin| (pin.slot, plan.level(pin.slot))).collect();
    for source in sources {
        if plan.blocks[source].is_open() && !std::mem::replace(&mut is_printed[source], true) {
            print_block(index, plan, source, pinned, &mut types, &mut blocks, &mut shown);
        }
    }
    out.push_str(&types);
    if !blocks.is_empty() {
        out.push_str("declare const tools: {\n");
        out.push_str(&blocks);
        out.push_str("}\n");
    }
    out.pop();
    let shown = shown
        .into_iter()
        .map(|(slot, level)| ShownTool {
            slot,
            id: index.entry(slot).tool.id(),
            level: match level {
                Level::Full => ShownLevel::Full,
                Level::Line | Level::Sentence => ShownLevel::Compact,
                Level::Name | Level::Not => ShownLevel::Name,
            },
        })
        .collect();
    let tokens = text::tokens(text::length(&out));
    Catalog { text: out, tokens, complete: is_complete, total: view.total, shown, categories, warnings }
}

fn print_sources(out: &mut String, plan: &Plan<'_>) {
    if plan.listed == 0 {
        return;
    }
    out.push_str("// sources: ");
    let mut more = 0;
    let mut is_first = true;
    for (source, block) in plan.view.sources.iter().zip(&plan.blocks) {
        if block.is_open() {
            continue;
        }
        if !block.listed {
            more += 1;
            continue;
        }
        out.push_str(if is_first { "" } else { ", " });
        is_first = false;
        text::push_key(out, source.namespace());
        out.push(' ');
        out.push_str(&source.tools.len().to_string());
    }
    if more > 0 {
        out.push_str(", and ");
        out.push_str(&more.to_string());
        out.push_str(" more");
    }
    out.push('\n');
}

fn print_block(
    index: &mut CatalogIndex,
    plan: &Plan<'_>,
    at: usize,
    pinned: &[Place],
    types: &mut String,
    out: &mut String,
    shown: &mut Vec<(u32, Level)>,
) {
    let (source, block) = (&plan.view.sources[at], &plan.blocks[at]);
    text::push_key(out, source.namespace());
    out.push_str(": {");
    let (all, there) = (source.tools.len(), block.lines + block.names);
    if block.counted || !plan.terse {
        out.push_str(&count_note(there, all));
    }
    out.push_str(&block.note);
    out.push('\n');
    let mut slots: Vec<u32> = pinned.iter().filter(|pin| pin.source == at).map(|pin| pin.slot).collect();
    let lead = slots.len();
    slots.extend(source.tools.iter().map(|(slot, _)| *slot).filter(|slot| plan.level(*slot) != Level::Not));
    // By name, as the source has them, so that a change of one tool's cost moves nothing else.
    let others = slots.split_off(lead);
    let others: Vec<u32> = others.into_iter().filter(|slot| !slots.contains(slot)).collect();
    shown.extend(others.iter().map(|slot| (*slot, plan.level(*slot))));
    let mut names = String::new();
    for slot in slots.into_iter().chain(others) {
        match plan.level(slot) {
            Level::Full => {
                let (tool, signature) = index.signature(slot);
                types.push_str(&signature.types);
                signature::push_comment(out, &tool.declaration);
                out.push_str(&signature.line);
            }
            level @ (Level::Line | Level::Sentence) => {
                let compact = index.compact_line(slot);
                out.push_str(&compact.line);
                if level == Level::Sentence {
                    out.push_str(&compact.sentence);
                }
                out.push('\n');
            }
            Level::Name | Level::Not => {
                names.push_str(if names.is_empty() { "// also " } else { ", " });
                text::push_key(&mut names, &index.entry(slot).tool.member);
            }
        }
    }
    if !names.is_empty() {
        out.push_str(&names);
        out.push('\n');
    }
    out.push_str("}\n");
}
