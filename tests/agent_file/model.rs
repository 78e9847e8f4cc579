//! What an agent file says, as data, and what that grants of a fixed inventory; written from the dialects' own rules,
//! tool by tool, and not by way of selectors.

use proptest::{collection::vec, option, prelude::*, sample::select};
use std::collections::BTreeSet;
use toolscope::{
    agent_file::Dialect,
    scope::{ScopeSpec, verdict::Code},
    session::{
        SessionIndex, SessionSpec, Tree,
        decision::{Call, Via},
    },
    source::{SourceKind, SourceSpec, declaration::Declaration},
};

/// Names a file may hold; most are of the inventory.
pub const PI_BUILTINS: [&str; 7] = ["read", "bash", "edit", "write", "grep", "find", "ls"];
pub const CLAUDE_BUILTINS: [&str; 7] = ["Read", "Bash", "Edit", "Write", "Grep", "Glob", "Agent"];
pub const EXTENSIONS: [(&str, [&str; 2]); 3] =
    [("foo", ["bar", "baz"]), ("web", ["search", "fetch"]), ("mcp", ["read_mcp_resource", "list_mcp_resources"])];
pub const SERVERS: [(&str, [&str; 2]); 2] = [("github", ["get_issue", "create_issue"]), ("kb", ["find", "store"])];

fn builtins(dialect: Dialect) -> [&'static str; 7] {
    if dialect == Dialect::Claude { CLAUDE_BUILTINS } else { PI_BUILTINS }
}

/// The ids of every tool there is.
pub fn inventory(dialect: Dialect) -> Vec<String> {
    let mut ids: Vec<String> = builtins(dialect).iter().map(|name| format!("builtin:{name}")).collect();
    ids.push("host:app/finish".to_owned());
    ids.extend(
        EXTENSIONS.iter().flat_map(|(source, tools)| tools.iter().map(move |tool| format!("ext:{source}/{tool}"))),
    );
    ids.extend(SERVERS.iter().flat_map(|(source, tools)| tools.iter().map(move |tool| format!("mcp:{source}/{tool}"))));
    ids
}

fn world(dialect: Dialect, scope: ScopeSpec) -> Tree {
    let mut tree = Tree::new(SessionSpec { id: "root".to_owned(), scope, ..SessionSpec::default() }).expect("a root");
    let mut add = |kind: SourceKind, name: &str, tools: &[&str]| {
        let source = tree.add_source(SourceSpec::new(kind, name)).expect("a source");
        let lines = tools.iter().map(|tool| Declaration::parse(&format!("{{\"name\":\"{tool}\"}}"))).collect();
        tree.set(source, lines).expect("its tools");
    };
    add(SourceKind::Builtin, "builtin", &builtins(dialect));
    add(SourceKind::Host, "app", &["finish"]);
    for (name, tools) in EXTENSIONS {
        add(SourceKind::Ext, name, &tools);
    }
    for (name, tools) in SERVERS {
        add(SourceKind::Mcp, name, &tools);
    }
    tree
}

/// The ids that a scope grants.
pub fn granted_by(scope: &ScopeSpec, dialect: Dialect) -> BTreeSet<String> {
    let mut tree = world(dialect, scope.clone());
    let allowed = |tree: &mut Tree, id: &str| {
        let call = Call { name: id, id: None, via: Via::Direct };
        tree.check(SessionIndex(0), call).code == Code::Allowed
    };
    inventory(dialect).into_iter().filter(|id| allowed(&mut tree, id)).collect()
}

/// One entry of `tools`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    Builtin(String),
    All,
    Ext(String, Option<String>),
    Server(String, Option<String>),
    Spawner(Vec<String>),
    /// Some calls of a tool.
    Specified(String),
}

/// Which extensions a pi file loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extensions {
    Unsaid,
    None,
    Only(Vec<String>),
}

/// A file.
#[derive(Clone, Debug)]
pub struct File {
    pub dialect: Dialect,
    pub tools: Option<Vec<Entry>>,
    pub denied: Vec<String>,
    pub extensions: Extensions,
    pub excluded: Vec<String>,
    pub isolated: bool,
    pub memory: bool,
    pub subagents: Option<Vec<String>>,
}

impl Default for File {
    fn default() -> Self {
        Self {
            dialect: Dialect::Toolscope,
            tools: None,
            denied: Vec::new(),
            extensions: Extensions::Unsaid,
            excluded: Vec::new(),
            isolated: false,
            memory: false,
            subagents: None,
        }
    }
}

fn source_of(id: &str) -> (&str, &str, &str) {
    let (kind, rest) = id.split_once(':').unwrap_or(("", id));
    let (source, tool) = rest.split_once('/').unwrap_or(("", rest));
    (kind, source, tool)
}

impl File {
    /// The ids that the file grants, of the inventory.
    pub fn says(&self) -> BTreeSet<String> {
        let grants = |id: &String| {
            !self.denies(id)
                && (self.remembers(id)
                    || match self.dialect {
                        Dialect::Pi => self.pi_grants(id),
                        Dialect::Claude | Dialect::Toolscope => self.list_grants(id),
                    })
        };
        inventory(self.dialect).into_iter().filter(grants).collect()
    }

    /// Which agents may be spawned, where the file says so.
    pub fn spawns(&self) -> Option<Vec<String>> {
        match self.dialect {
            Dialect::Pi if self.isolated => Some(Vec::new()),
            Dialect::Claude => None,
            _ => self.subagents.clone(),
        }
    }

    fn denies(&self, id: &str) -> bool {
        let (kind, source, tool) = source_of(id);
        let excluded = self.excluded.iter().any(|name| match kind {
            "ext" => name == source,
            "mcp" => name == "mcp",
            _ => false,
        });
        (self.dialect == Dialect::Pi && excluded)
            || self.denied.iter().any(|name| name == tool || *name == id || *name == format!("mcp__{source}__{tool}"))
    }

    fn lists(&self, name: &str) -> bool {
        self.tools.iter().flatten().any(|entry| matches!(entry, Entry::Builtin(listed) if listed == name))
    }

    fn remembers(&self, id: &str) -> bool {
        let (kind, _, tool) = source_of(id);
        let Some(tools) = self.tools.as_ref().filter(|_| self.memory && kind == "builtin") else { return false };
        match self.dialect {
            Dialect::Pi if tools.contains(&Entry::All) => false,
            Dialect::Pi => {
                let writes = ["write", "edit"]
                    .iter()
                    .any(|name| self.lists(name) && !self.denied.iter().any(|denied| denied == name));
                tool == "read" || (writes && matches!(tool, "write" | "edit"))
            }
            Dialect::Claude => matches!(tool, "Read" | "Write" | "Edit"),
            Dialect::Toolscope => false,
        }
    }

    fn loads(&self, extension: &str) -> bool {
        !self.isolated
            && match &self.extensions {
                Extensions::Unsaid => true,
                Extensions::None => false,
                Extensions::Only(names) => names.iter().any(|name| name == extension),
            }
    }

    fn pi_grants(&self, id: &str) -> bool {
        let (kind, source, tool) = source_of(id);
        let unsaid = self.tools.is_none() && self.extensions == Extensions::Unsaid && !self.isolated;
        let tools = self.tools.as_deref();
        let selected: Vec<(&str, Option<&str>)> = tools
            .unwrap_or_default()
            .iter()
            .filter_map(|entry| match entry {
                Entry::Ext(extension, tool) => Some((&**extension, tool.as_deref())),
                _ => None,
            })
            .collect();
        let all = tools.is_none_or(|tools| tools.contains(&Entry::All));
        match kind {
            "builtin" => all || self.lists(tool),
            // A host's own tools are in where nothing is narrowed.
            "host" => unsaid || (all && selected.is_empty() && self.extensions == Extensions::Unsaid && !self.isolated),
            "ext" if selected.is_empty() => self.loads(source),
            "ext" => {
                let narrowed = selected.iter().any(|(extension, tool)| *extension == source && tool.is_some());
                self.loads(source)
                    && selected.iter().any(|(extension, named)| {
                        *extension == source && if narrowed { *named == Some(tool) } else { named.is_none() }
                    })
            }
            _ if selected.is_empty() => self.loads("mcp"),
            _ => {
                let narrowed = selected.iter().any(|(extension, tool)| *extension == "mcp" && tool.is_some());
                self.loads("mcp") && !narrowed && selected.contains(&("mcp", None))
            }
        }
    }

    fn list_grants(&self, id: &str) -> bool {
        let (kind, source, tool) = source_of(id);
        let Some(tools) = &self.tools else { return true };
        let narrowed = self.dialect == Dialect::Toolscope
            && tools.iter().any(|entry| match entry {
                Entry::Ext(extension, Some(_)) => kind == "ext" && extension == source,
                Entry::Server(server, Some(_)) => kind == "mcp" && server == source,
                _ => false,
            });
        tools.iter().any(|entry| match entry {
            Entry::All => true,
            Entry::Builtin(name) => kind == "builtin" && name == tool,
            Entry::Ext(extension, named) => {
                kind == "ext" && extension == source && named.as_deref().map_or(!narrowed, |named| named == tool)
            }
            Entry::Server(server, named) => {
                kind == "mcp" && server == source && named.as_deref().map_or(!narrowed, |named| named == tool)
            }
            Entry::Spawner(_) => kind == "builtin" && tool == "Agent",
            Entry::Specified(_) => false,
        })
    }
}

fn entries(dialect: Dialect) -> BoxedStrategy<Entry> {
    let builtin = select(builtins(dialect).to_vec()).prop_map(|name| Entry::Builtin(name.to_owned()));
    let server = (select(SERVERS.to_vec()), option::of(0..2_usize))
        .prop_map(|((server, tools), tool)| Entry::Server(server.to_owned(), tool.map(|at| tools[at].to_owned())));
    let extension = (select(EXTENSIONS.to_vec()), option::of(0..2_usize))
        .prop_map(|((extension, tools), tool)| Entry::Ext(extension.to_owned(), tool.map(|at| tools[at].to_owned())));
    match dialect {
        Dialect::Pi => prop_oneof![6 => builtin, 1 => Just(Entry::All), 3 => extension].boxed(),
        Dialect::Claude => {
            let builtin = select(CLAUDE_BUILTINS[..6].to_vec()).prop_map(|name| Entry::Builtin(name.to_owned()));
            let spawner = vec(select(vec!["worker", "scout"]).prop_map(str::to_owned), 1..3).prop_map(Entry::Spawner);
            let specified = select(CLAUDE_BUILTINS[..6].to_vec()).prop_map(|name| Entry::Specified(name.to_owned()));
            prop_oneof![6 => builtin, 3 => server, 1 => spawner, 1 => specified].boxed()
        }
        Dialect::Toolscope => prop_oneof![6 => builtin, 3 => server, 3 => extension].boxed(),
    }
}

fn names(dialect: Dialect) -> BoxedStrategy<String> {
    let tools = ["bar", "search", "get_issue", "mcp__kb__find"];
    let names: Vec<String> = builtins(dialect)[..6].iter().chain(&tools).map(|name| (*name).to_owned()).collect();
    select(names).boxed()
}

/// Files of every dialect.
pub fn files() -> impl Strategy<Value = File> {
    select(Dialect::ALL.to_vec()).prop_flat_map(|dialect| {
        let pi = dialect == Dialect::Pi;
        let extension_names = || vec(select(vec!["foo", "web", "mcp"]).prop_map(str::to_owned), 1..3);
        let extensions = prop_oneof![
            4 => Just(Extensions::Unsaid),
            1 => Just(Extensions::None),
            2 => extension_names().prop_map(Extensions::Only),
        ];
        (
            option::of(vec(entries(dialect), 0..5)),
            vec(names(dialect), 0..3),
            extensions,
            prop_oneof![3 => Just(Vec::new()), 1 => extension_names()],
            prop::bool::weighted(0.15),
            prop::bool::weighted(0.2),
            option::of(vec(select(vec!["worker", "scout"]).prop_map(str::to_owned), 0..3)),
        )
            .prop_map(move |(tools, denied, extensions, excluded, isolated, memory, subagents)| File {
                dialect,
                tools,
                denied,
                extensions: if pi { extensions } else { Extensions::Unsaid },
                excluded: if pi { excluded } else { Vec::new() },
                isolated: isolated && pi,
                memory: memory && dialect != Dialect::Toolscope,
                subagents: subagents.filter(|_| dialect != Dialect::Claude),
            })
    })
}
