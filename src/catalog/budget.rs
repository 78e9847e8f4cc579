//! The one account a catalog is paid from: every line, header, list and category line, to the character.
//!
//! Invariant: what [`Plan`] has spent is at least what the printed text has, so that a plan within its limit prints a
//! text within its budget.

use std::sync::Arc;

use super::category::Category;
use super::text;
use super::view::View;

/// Around the blocks: `declare const tools: {`, `}` and their line breaks.
const WRAPPER: usize = "declare const tools: {\n}\n".len();
/// Around the tools of a source, beside its name and count.
const BLOCK: usize = ": {\n}\n".len();
/// Around the names of a source that are listed without parameters.
const NAMES: usize = "// also \n".len() - SEPARATOR;
const SEPARATOR: usize = ", ".len();
/// Around the sources that have no block.
const SOURCES: usize = "// sources: ".len() + "\n".len() - SEPARATOR;

/// How a tool is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    #[default]
    Not,
    Name,
    /// Parameter names.
    Line,
    /// Parameter names and a sentence.
    Sentence,
    Full,
}

impl Level {
    pub(super) const SHOWN: [Self; 4] = [Self::Name, Self::Line, Self::Sentence, Self::Full];
}

/// What a catalog will print of a source.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Tools that have lines, and tools that are named alone.
    pub lines: usize,
    pub names: usize,
    /// The source is in the list of sources, as long as it has no block.
    pub listed: bool,
    /// Its count is printed.
    pub counted: bool,
    /// What is printed of its description.
    pub note: String,
}

impl Block {
    pub(super) const fn is_open(&self) -> bool {
        self.lines + self.names > 0
    }
}

/// A category with its tools that are not shown.
#[derive(Debug)]
pub(super) struct CategoryLine {
    pub category: Arc<Category>,
    pub unshown: usize,
    /// What its line costs; nothing where it has no room.
    pub reserved: Option<usize>,
}

/// What will be printed, and what it costs.
#[derive(Debug)]
pub(super) struct Plan<'v> {
    pub view: &'v View,
    /// Characters.
    pub limit: usize,
    pub used: usize,
    /// Counts of sources with a block are not set room aside for: tools come first.
    pub terse: bool,
    pub blocks: Vec<Block>,
    /// By slot.
    levels: Vec<Level>,
    pub categories: Vec<CategoryLine>,
    /// By slot: the categories that hold the tool.
    of_category: Vec<(u32, usize)>,
    open: usize,
    pub listed: usize,
    /// Sources that the list of sources only counts.
    pub unlisted: usize,
    /// Every character that the rest of the list of sources may take.
    tail: usize,
    pub shown: usize,
}

impl<'v> Plan<'v> {
    pub(super) fn new(view: &'v View, budget: u32, slots: usize, terse: bool) -> Self {
        Self {
            view,
            // The last line break is not printed.
            limit: budget as usize * 4 + 1,
            used: 0,
            terse,
            blocks: vec![Block::default(); view.sources.len()],
            levels: vec![Level::Not; slots],
            categories: Vec::new(),
            of_category: Vec::new(),
            open: 0,
            listed: 0,
            unlisted: 0,
            tail: 0,
            shown: 0,
        }
    }

    pub(super) fn level(&self, slot: u32) -> Level {
        self.levels[slot as usize]
    }

    pub(super) fn left(&self) -> usize {
        self.limit.saturating_sub(self.used)
    }

    /// Spends what is printed whatever is chosen. Returns whether it has room.
    pub(super) fn spend(&mut self, characters: usize) -> bool {
        let fits = self.used + characters <= self.limit;
        if fits {
            self.used += characters;
        }
        fits
    }

    /// Takes a category up and sets room for its line aside, where it has no more than `room` characters.
    pub(super) fn add_category(&mut self, category: Arc<Category>, holds: &[u32], room: usize) -> &CategoryLine {
        let place = self.categories.len();
        let waiting = holds.iter().filter(|slot| self.levels[**slot as usize] == Level::Not);
        let waiting: Vec<(u32, usize)> = waiting.map(|slot| (*slot, place)).collect();
        let unshown = waiting.len();
        let cost = text::length(&category_line(&category, unshown));
        let reserved = (unshown > 0 && cost <= room && self.spend(cost)).then_some(cost);
        self.of_category.extend(waiting);
        self.categories.push(CategoryLine { category, unshown, reserved });
        &self.categories[place]
    }

    /// After the last category: lets a tool's categories be found.
    pub(super) fn settle_categories(&mut self) {
        self.of_category.sort_unstable();
    }

    fn categories_of(&self, slot: u32) -> std::ops::Range<usize> {
        let from = self.of_category.partition_point(|(other, _)| *other < slot);
        let to = self.of_category.partition_point(|(other, _)| *other <= slot);
        from..to
    }

    /// What a source's block costs before anything is in it.
    fn block_cost(&self, source: usize) -> usize {
        let source = &self.view.sources[source];
        let digits = digits(source.tools.len());
        let count = if self.terse { 0 } else { " // ".len() + digits + " of ".len() + digits };
        source.key_length + BLOCK + count
    }

    /// What opening a source's block costs, less what its place in the list of sources gives back.
    pub(super) fn opening(&self, source: usize) -> usize {
        if self.blocks[source].is_open() {
            return 0;
        }
        self.block_cost(source) + if self.open == 0 { WRAPPER } else { 0 }
    }

    /// What it takes to raise a tool of that source to `level`, `own` being what its lines cost there and `before`
    /// what they cost now.
    pub(super) fn cost(&self, slot: u32, source: usize, level: Level, own: usize, before: usize) -> isize {
        let block = &self.blocks[source];
        let mut cost = signed(self.opening(source)) + signed(own) - signed(before);
        let now = self.level(slot);
        if level == Level::Name {
            cost += signed(SEPARATOR) + if block.names == 0 { signed(NAMES) } else { 0 };
        } else if now == Level::Name {
            cost -= signed(SEPARATOR) + if block.names == 1 { signed(NAMES) } else { 0 };
        }
        if !block.is_open() && block.listed {
            cost -= signed(self.listing(source));
            if self.listed == 1 && self.unlisted == 0 {
                cost -= signed(SOURCES);
            }
        }
        if now == Level::Not {
            for (_, category) in &self.of_category[self.categories_of(slot)] {
                let category = &self.categories[*category];
                if category.unshown == 1 {
                    cost -= signed(category.reserved.unwrap_or(0));
                }
            }
        }
        cost
    }

    /// Whether a tool of that source whose lines cost `own` could fit, were it to give every category line back.
    pub(super) fn could_raise(&self, source: usize, own: usize) -> bool {
        let given_back: usize = self.categories.iter().filter_map(|line| line.reserved).sum();
        let listing = if self.blocks[source].listed { self.listing(source) + SOURCES } else { 0 };
        self.used + self.opening(source) + own <= self.limit + listing + given_back
    }

    /// Raises a tool to `level` where it fits.
    pub(super) fn raise(&mut self, slot: u32, source: usize, level: Level, own: usize, before: usize) -> bool {
        let cost = self.cost(slot, source, level, own, before);
        if signed(self.used) + cost > signed(self.limit) {
            return false;
        }
        let block = &mut self.blocks[source];
        if !block.is_open() {
            self.open += 1;
            if block.listed {
                block.listed = false;
                self.listed -= 1;
            }
        }
        let now = self.levels[slot as usize];
        match now {
            Level::Not => self.shown += 1,
            Level::Name => block.names -= 1,
            _ => block.lines -= 1,
        }
        if level == Level::Name {
            block.names += 1;
        } else {
            block.lines += 1;
        }
        if now == Level::Not {
            for at in self.categories_of(slot) {
                let category = self.of_category[at].1;
                self.categories[category].unshown -= 1;
            }
        }
        self.levels[slot as usize] = level;
        self.used = usize::try_from(signed(self.used) + cost).unwrap_or(0);
        true
    }

    /// What naming a source with its count costs.
    fn listing(&self, source: usize) -> usize {
        let source = &self.view.sources[source];
        source.key_length + 1 + digits(source.tools.len()) + SEPARATOR
    }

    /// Lists sources without a block, in alphabetical order, as many as fit into `share` characters; the rest is
    /// counted, once there is a list.
    pub(super) fn list_sources(&mut self, share: usize) {
        let waiting: Vec<usize> = (0..self.blocks.len())
            .filter(|source| !self.blocks[*source].is_open() && !self.blocks[*source].listed)
            .collect();
        if waiting.is_empty() {
            return;
        }
        // A list under way is paid for again, with the room it has already.
        let mut room = share.min(self.left() + self.tail);
        self.used -= self.tail;
        self.tail = 0;
        let more = "and  more".len() + digits(self.blocks.len()) + SEPARATOR;
        let mut cost = if self.listed == 0 && self.unlisted == 0 { SOURCES } else { 0 };
        let whole: usize = waiting.iter().map(|source| self.listing(*source)).sum::<usize>() + cost;
        let fits_whole = whole <= room;
        let mut taken = 0;
        if !fits_whole {
            room = room.saturating_sub(more);
        }
        for source in &waiting {
            let next = cost + self.listing(*source);
            if next > room {
                break;
            }
            cost = next;
            self.blocks[*source].listed = true;
            taken += 1;
        }
        self.listed += taken;
        self.unlisted = waiting.len() - taken;
        if self.listed == 0 {
            self.unlisted = 0;
            return;
        }
        self.tail = if self.unlisted > 0 { more } else { 0 };
        self.used += self.tail + if taken > 0 { cost } else { 0 };
    }
}

/// A category's line with its line break.
pub(super) fn category_line(category: &Category, unshown: usize) -> String {
    let mut line = "// ".to_owned();
    text::push_line(&mut line, &category.namespace, 64);
    line.push('/');
    text::push_line(&mut line, &category.name, 64);
    line.push_str(": ");
    line.push_str(&unshown.to_string());
    line.push_str(" more");
    let end = line.len();
    line.push_str(". ");
    if !text::push_line(&mut line, &category.description, 160) {
        line.truncate(end);
    }
    line.push('\n');
    line
}

pub(super) fn digits(number: usize) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

fn signed(number: usize) -> isize {
    isize::try_from(number).unwrap_or(isize::MAX)
}
