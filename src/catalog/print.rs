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
    let mut out = String::with_capacity(plan.used);
    out.push_str(&head(plan.shown, view.total, view.sources.len(), is_complete, detail));
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
    let blocks = blocks(plan, pinned);
    for slot in blocks.iter().flat_map(Printed::tools).filter(|slot| plan.level(*slot) == Level::Full) {
        out.push_str(&index.signature(slot).1.types);
    }
    if !blocks.is_empty() {
        out.push_str("declare const tools: {\n");
        for block in &blocks {
            print_block(index, plan, block, &mut out);
        }
        out.push_str("}\n");
    }
    out.pop();
    let shown = pinned.iter().map(|pin| pin.slot).chain(blocks.iter().flat_map(|block| block.others.iter().copied()));
    let shown = shown.map(|slot| ShownTool {
        slot,
        id: index.entry(slot).tool.id(),
        level: match plan.level(slot) {
            Level::Full => ShownLevel::Full,
            Level::Line | Level::Sentence => ShownLevel::Compact,
            Level::Name | Level::Not => ShownLevel::Name,
        },
    });
    let shown = shown.collect();
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

/// A source's block: its tools in the order in which they are printed.
struct Printed {
    source: usize,
    /// By rank.
    pinned: Vec<u32>,
    /// Those with lines, then those that are named alone; each by name, as the source has them, so that a change of one
    /// tool's cost moves nothing else.
    others: Vec<u32>,
}

impl Printed {
    fn tools(&self) -> impl Iterator<Item = u32> {
        self.pinned.iter().chain(&self.others).copied()
    }
}

/// The blocks: sources with pinned tools lead, in the order of their first pin; the others follow alphabetically.
fn blocks(plan: &Plan<'_>, pins: &[Place]) -> Vec<Printed> {
    let mut blocks: Vec<Printed> = Vec::new();
    let mut is_taken = vec![false; plan.blocks.len()];
    for source in pins.iter().map(|pin| pin.source).chain(0..plan.blocks.len()) {
        if !plan.blocks[source].is_open() || std::mem::replace(&mut is_taken[source], true) {
            continue;
        }
        let pinned: Vec<u32> = pins.iter().filter(|pin| pin.source == source).map(|pin| pin.slot).collect();
        let shown = plan.view.sources[source].tools.iter().map(|(slot, _)| *slot);
        let others = shown.filter(|slot| plan.level(*slot) != Level::Not && !pinned.contains(slot));
        let (names, mut others): (Vec<u32>, Vec<u32>) = others.partition(|slot| plan.level(*slot) == Level::Name);
        others.extend(names);
        blocks.push(Printed { source, pinned, others });
    }
    blocks
}

fn print_block(index: &mut CatalogIndex, plan: &Plan<'_>, printed: &Printed, out: &mut String) {
    let (source, block) = (&plan.view.sources[printed.source], &plan.blocks[printed.source]);
    text::push_key(out, source.namespace());
    out.push_str(": {");
    let (all, there) = (source.tools.len(), block.lines + block.names);
    if block.counted || !plan.terse {
        out.push_str(&count_note(there, all));
    }
    out.push_str(&block.note);
    out.push('\n');
    let mut names = String::new();
    for slot in printed.tools() {
        match plan.level(slot) {
            Level::Full => {
                let (tool, signature) = index.signature(slot);
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
