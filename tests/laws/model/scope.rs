//! Who is in scope: ((`allow` ∩ `narrow`) ∪ `required`), minus `exclude`, under the seal.

use super::{
    Answer, Code, Hint, Model, Scope, Selector, Source, SourceKind, SourceState, Standing, Tool,
    name::sanitised,
    selector::{fits, fits_folded, fits_joined, splits},
};

impl Model {
    /// The scope's verdict on a known tool. Where several rules refuse, the first of these is told: `exclude`, the
    /// owner of the name, the grant, the seal, guards, the source, the definition.
    pub fn verdict(&self, source: &Source, tool: &Tool) -> Code {
        if let Some(code) = self.scoped(source, tool) {
            return code;
        }
        if self.scope.guards.iter().any(|guard| !self.guards.contains(guard)) {
            return Code::GuardError;
        }
        match tool.standing {
            Standing::Quarantined | Standing::Withdrawn => return Code::Quarantined,
            Standing::Announced => return Code::Pending,
            Standing::Here if source.state != SourceState::Ready => return Code::Pending,
            Standing::Here => {}
        }
        let approved = self.approved.get(&tool.id);
        if approved.is_some_and(|&approved| tool.definition() != Some(approved)) {
            return Code::Changed;
        }
        Code::Allowed
    }

    /// Why the scope leaves a tool out, whatever its guards and whether it is there.
    pub fn scoped(&self, source: &Source, tool: &Tool) -> Option<Code> {
        if self.excluded(source, tool) {
            return Some(Code::Excluded);
        }
        if self.shadowed_by(tool).is_some() {
            return Some(Code::Shadowed);
        }
        if !self.granted(&self.scope.required, 1, source, tool) {
            if let Some(allow) = &self.scope.allow
                && !self.granted(allow, 0, source, tool)
            {
                return Some(Code::OutOfScope);
            }
            // The predicate was asked about the tools that are there, so it says nothing of any other.
            if self.scope.narrow && tool.standing == Standing::Here {
                match &source.answer {
                    Some(Answer::Everything) => {}
                    Some(Answer::Only(names)) if names.contains(&tool.raw) => {}
                    Some(Answer::Nothing | Answer::Only(_)) => return Some(Code::OutOfScope),
                    Some(Answer::Failed) | None => return Some(Code::GuardError),
                }
            }
        }
        let above = self.ceiling.as_ref().is_some_and(|ceiling| !ceiling.contains(&tool.id));
        above.then_some(Code::OutOfScope)
    }

    /// Who owns the name of a tool, where another one does: of those registered, the highest precedence, then the
    /// order of `addSource`.
    pub fn shadowed_by(&self, tool: &Tool) -> Option<&Tool> {
        let owner = self.owner(&tool.exposed)?;
        (owner.registered() && owner.id != tool.id).then_some(owner)
    }

    /// The tool an exposed name means: a registered one before one that is only known.
    pub fn owner(&self, exposed: &str) -> Option<&Tool> {
        let mut bearers: Vec<(bool, i32, &Tool)> = self
            .sources
            .iter()
            .flat_map(|source| source.tools.iter().map(move |tool| (tool.registered(), precedence(source), tool)))
            .filter(|(_, _, tool)| tool.exposed == exposed)
            .collect();
        // A stable sort leaves equals in the order of `addSource`.
        bearers.sort_by_key(|&(registered, precedence, _)| (!registered, -precedence));
        bearers.first().map(|&(_, _, tool)| tool)
    }

    pub fn excluded(&self, source: &Source, tool: &Tool) -> bool {
        self.scope.exclude.iter().any(|selector| denies(selector, source, tool))
    }

    /// Whether a grant list has a tool.
    fn granted(&self, entries: &[Selector], list: usize, source: &Source, tool: &Tool) -> bool {
        let finer = entries.iter().any(|entry| self.names_a_tool_of(entry, source));
        entries.iter().enumerate().any(|(at, entry)| {
            self.bound[list].get(&at) == Some(&tool.id)
                || (self.grants(entry, source, tool) && !(finer && self.is_bare(entry)))
        })
    }

    /// Whether `required` keeps a tool.
    pub fn requires(&self, source: &Source, tool: &Tool) -> bool {
        self.granted(&self.scope.required, 1, source, tool)
    }

    /// Whether any entry names this one tool, and not others by a `*` or by their source.
    pub fn names(&self, source: &Source, tool: &Tool) -> bool {
        let lists = [self.scope.allow.as_deref().unwrap_or_default(), &self.scope.required];
        lists.iter().enumerate().any(|(list, entries)| {
            entries.iter().enumerate().any(|(at, entry)| {
                let in_full = match entry {
                    Selector::Path { kind, source, tool: Some(tool), .. } => {
                        !tool.contains('*') && (!source.contains('*') || *kind == SourceKind::Builtin)
                    }
                    Selector::Joined(rest) => {
                        !rest.contains('*') && self.surely_meant(rest).iter().all(|(_, tool)| tool.is_some())
                    }
                    _ => false,
                };
                self.bound[list].get(&at) == Some(&tool.id) || (in_full && self.grants(entry, source, tool))
            })
        })
    }

    /// Whether an entry other than by its word grants a tool.
    fn grants(&self, entry: &Selector, source: &Source, tool: &Tool) -> bool {
        match entry {
            Selector::Everything => true,
            Selector::Name(name) => name.contains('*') && fits(name, &tool.exposed),
            Selector::Path { tool: pattern, hint, .. } => {
                self.reaches(entry, source)
                    && pattern.as_ref().is_none_or(|pattern| surely_is(pattern, source, tool))
                    && hint.is_none_or(|hint| trusted(hint, source, tool).unwrap_or(false))
            }
            Selector::Joined(rest) => self.surely_meant(rest).iter().any(|(meant, pattern)| {
                meant.spec == source.spec && pattern.is_none_or(|pattern| surely_is(pattern, source, tool))
            }),
            Selector::Nothing | Selector::Invalid { .. } => false,
        }
    }

    /// Whether a path means a source: an alias that fits two grants neither, and a glob is never ambiguous.
    fn reaches(&self, path: &Selector, source: &Source) -> bool {
        let Selector::Path { kind, source: pattern, .. } = path else { return false };
        if source.spec.kind != *kind || *kind == SourceKind::Builtin {
            return source.spec.kind == *kind;
        }
        if pattern.contains('*') || fits_folded(pattern, &source.spec.name) {
            return answers(source, pattern);
        }
        let rivals = self.sources.iter().filter(|other| other.spec.kind == *kind && answers(other, pattern));
        answers(source, pattern) && rivals.count() == 1
    }

    /// The one reading of `mcp__server__tool` that fits the servers there are; none where several do.
    fn surely_meant<'a>(&'a self, rest: &'a str) -> Vec<(&'a Source, Option<&'a str>)> {
        let servers = |fits: &dyn Fn(&Source) -> bool| -> Vec<&Source> {
            self.sources.iter().filter(|source| source.spec.kind == SourceKind::Mcp && fits(source)).collect()
        };
        let splits = splits(rest);
        let literal = splits.iter().filter(|(server, _)| !server.contains('*'));
        let readings: Vec<(&Source, Option<&str>)> = literal
            .flat_map(|&(server, tool)| {
                // As a path does: by its name, else by an alias that it shares with nobody.
                let mut fits = servers(&|source| fits_folded(server, &source.spec.name));
                if fits.is_empty() {
                    fits = servers(&|source| answers(source, server));
                }
                if fits.is_empty() {
                    fits = servers(&|source| answers_spelled(source, server));
                }
                fits.into_iter().map(move |source| (source, tool))
            })
            .collect();
        match splits[..] {
            [(glob, tool), ..] if readings.is_empty() && glob.contains('*') => {
                servers(&|source| answers(source, glob)).into_iter().map(|source| (source, tool)).collect()
            }
            _ if readings.len() == 1 => readings,
            _ => Vec::new(),
        }
    }

    /// `ext:foo`, beside which a finer entry stands alone.
    fn is_bare(&self, entry: &Selector) -> bool {
        match entry {
            Selector::Path { kind, source, tool: None, hint: None } => {
                *kind != SourceKind::Builtin && !source.contains('*')
            }
            // Where a source is called as all but the `*`; else that is part of a tool's name.
            Selector::Joined(rest) if rest.contains('*') => {
                rest.ends_with("__*")
                    && !rest.trim_end_matches("__*").contains('*')
                    && self.surely_meant(rest).iter().all(|(_, tool)| tool.is_none())
            }
            Selector::Joined(rest) => self.surely_meant(rest).iter().all(|(_, tool)| tool.is_none()),
            _ => false,
        }
    }

    /// Whether an entry names a source and tools of it, beside which a bare entry for it means nothing.
    fn names_a_tool_of(&self, entry: &Selector, source: &Source) -> bool {
        match entry {
            Selector::Path { kind, source: pattern, tool: Some(_), .. } => {
                (!pattern.contains('*') || *kind == SourceKind::Builtin) && self.reaches(entry, source)
            }
            Selector::Joined(rest) if splits(rest).iter().all(|(server, _)| server.contains('*')) => false,
            Selector::Joined(rest) => {
                self.surely_meant(rest).iter().any(|(meant, tool)| meant.spec == source.spec && tool.is_some())
            }
            _ => false,
        }
    }

    /// Words bind to what they mean; what is bound stays so once the session has been presented.
    pub(super) fn bind(&mut self) {
        let Scope { allow, required, .. } = self.scope.clone();
        for (list, entries) in [allow.unwrap_or_default(), required].iter().enumerate() {
            for (at, entry) in entries.iter().enumerate() {
                let Some(word) = entry.word() else { continue };
                if self.presented && self.bound[list].contains_key(&at) {
                    continue;
                }
                match self.meaning(&word) {
                    Some(id) => self.bound[list].insert(at, id),
                    None => self.bound[list].remove(&at),
                };
            }
        }
    }

    /// The one tool a word means: of a builtin source, else host, else ext; never an mcp raw name.
    pub fn meaning(&self, word: &str) -> Option<String> {
        if word.starts_with("mcp__") {
            let mut bearers = self.tools();
            bearers.retain(|(source, tool)| source.spec.kind == SourceKind::Mcp && tool.exposed == word);
            bearers.sort_by_key(|(source, tool)| (!tool.registered(), -precedence(source)));
            return bearers.first().map(|(_, tool)| tool.id.clone());
        }
        let mut exact = self.tools();
        let is_raw = |source: &Source, tool: &Tool| source.spec.kind != SourceKind::Mcp && tool.raw == word;
        exact.retain(|(source, tool)| is_raw(source, tool) || tool.exposed == word);
        exact.sort_by_key(|(source, _)| (source.spec.kind, -precedence(source)));
        if let Some((first, _)) = exact.first() {
            let mut own = exact.iter().filter(|(source, _)| source.spec == first.spec);
            // Of two that the host gave one name, the one that is there owns it.
            let found = own.clone().find(|(source, tool)| is_raw(source, tool));
            let found = found.or_else(|| own.clone().find(|(_, tool)| tool.registered())).or_else(|| own.next());
            return found.map(|(_, tool)| tool.id.clone());
        }
        let mut spelled = self.tools();
        spelled.retain(|(source, tool)| source.spec.kind != SourceKind::Mcp && is_spelled(word, source, tool));
        let kind = spelled.first().map(|(source, _)| source.spec.kind)?;
        spelled.retain(|(source, _)| source.spec.kind == kind);
        if let [(_, tool)] = spelled[..] { Some(tool.id.clone()) } else { None }
    }
}

pub fn precedence(source: &Source) -> i32 {
    source.spec.precedence.unwrap_or(match source.spec.kind {
        SourceKind::Host => 300,
        SourceKind::Ext => 200,
        SourceKind::Builtin => 100,
        SourceKind::Mcp => 0,
    })
}

/// Whether a source answers to a pattern, by its name or an alias, without case.
fn answers(source: &Source, pattern: &str) -> bool {
    fits_folded(pattern, &source.spec.name) || source.spec.aliases.iter().any(|alias| fits_folded(pattern, alias))
}

fn answers_spelled(source: &Source, pattern: &str) -> bool {
    fits_folded(pattern, &sanitised(&source.spec.name))
        || source.spec.aliases.iter().any(|alias| fits_folded(pattern, &sanitised(alias)))
}

/// Whether a hint holds of a tool, where that is known.
fn trusted(hint: Hint, source: &Source, tool: &Tool) -> Option<bool> {
    let trusts = source.spec.trust_hints.unwrap_or(matches!(source.spec.kind, SourceKind::Builtin | SourceKind::Host));
    tool.declaration.as_ref()?.hints.says(hint).filter(|_| trusts)
}

/// Whether a tool alone answers to a sanitised spelling in its source.
pub fn is_spelled(spelling: &str, source: &Source, tool: &Tool) -> bool {
    let answering = source.tools.iter().filter(|other| other.raw == spelling || sanitised(&other.raw) == spelling);
    sanitised(&tool.raw) == spelling && answering.count() == 1
}

/// The grant side's reading of a tool part.
fn surely_is(pattern: &str, source: &Source, tool: &Tool) -> bool {
    fits(pattern, &tool.raw) || (!pattern.contains('*') && is_spelled(pattern, source, tool))
}

/// Every spelling of a tool: what the exclude side reads a name against.
fn possibly_is(pattern: &str, tool: &Tool) -> bool {
    [&tool.raw, &tool.exposed, &sanitised(&tool.raw)].into_iter().any(|spelling| fits(pattern, spelling))
}

/// What other agents may write for the server and for the tool, where it is of a server.
fn joined_parts(source: &Source, tool: &Tool) -> Vec<(String, String)> {
    if source.spec.kind != SourceKind::Mcp {
        return Vec::new();
    }
    let spellings = |name: &str| [name.to_owned(), sanitised(name)];
    let servers = std::iter::once(&source.spec.name).chain(&source.spec.aliases).flat_map(|name| spellings(name));
    servers.flat_map(|server| spellings(&tool.raw).map(|tool| (server.clone(), tool))).collect()
}

/// Whether an exclude entry matches a tool in any possible reading.
pub fn denies(entry: &Selector, source: &Source, tool: &Tool) -> bool {
    match entry {
        Selector::Everything => true,
        Selector::Nothing => false,
        Selector::Name(name) => {
            possibly_is(name, tool)
                || joined_parts(source, tool).iter().any(|(server, tool)| fits(name, &format!("mcp__{server}__{tool}")))
        }
        Selector::Path { kind, source: pattern, tool: part, hint } => {
            source.spec.kind == *kind
                && (*kind == SourceKind::Builtin || answers(source, pattern))
                && part.as_ref().is_none_or(|part| possibly_is(part, tool))
                && hint.is_none_or(|hint| trusted(hint, source, tool).unwrap_or(true))
        }
        Selector::Joined(rest) => {
            possibly_is(&entry.text(), tool)
                || joined_parts(source, tool).iter().any(|(server, tool)| fits_joined(rest, server, tool))
                || (source.spec.kind == SourceKind::Mcp
                    && splits(rest).iter().any(|(server, part)| {
                        (answers(source, server) || answers_spelled(source, server))
                            && part.is_none_or(|part| possibly_is(part, tool))
                    }))
        }
        Selector::Invalid { prefix, .. } => prefix.as_ref().is_some_and(|prefix| denies(prefix, source, tool)),
    }
}
