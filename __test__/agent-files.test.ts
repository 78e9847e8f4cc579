import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AgentFile, type ScopeSpec, type SourceSpec, ToolSession, ToolscopeError, parseAgentFile } from "../index.js";

type Dialect = "pi" | "claude" | "toolscope";

const sources = (dialect: Dialect): SourceSpec[] => {
  const builtins =
    dialect === "claude"
      ? ["Read", "Write", "Edit", "Bash", "Grep", "Glob", "WebFetch", "Agent"]
      : ["read", "bash", "powershell", "edit", "write", "grep", "find", "ls"];
  const of = (kind: SourceSpec["kind"], name: string, ...names: string[]): SourceSpec => ({ kind, name, tools: names.map((name) => ({ name })) });
  return [
    of("builtin", "builtin", ...builtins),
    of("host", "app", "finish"),
    of("ext", "foo", "bar", "baz"),
    of("ext", "web", "search", "fetch"),
    of("mcp", "github", "get_issue", "create_issue"),
    of("mcp", "kb", "find"),
  ];
};

/** The ids that a scope grants, with `builtin:*` and the like where all of a source is. */
function granted(scope: ScopeSpec, dialect: Dialect): string {
  const session = new ToolSession({ scope: { ...scope, requireGuards: [] }, spawnTools: [] });
  const all = sources(dialect);
  for (const spec of all) session.addSource(spec);
  session.start();
  const ids = all.map(({ kind, name, tools = [] }) => {
    const source = kind === "builtin" ? "builtin:" : `${kind}:${name}/`;
    const allowed = tools.map((tool) => tool.name).filter((tool) => session.checkScope(source + tool).allowed);
    return allowed.length === tools.length ? [`${source}*`] : allowed.map((tool) => source + tool);
  });
  session.dispose();
  return ids.flat().length === all.length && ids.flat().every((id) => id.endsWith("*")) ? "everything" : ids.flat().join(" ");
}

const remarks = (file: AgentFile): string[] => file.diagnostics.map(({ line, column, code }) => `${line}:${column} ${code}`);
const spawns = ({ spawns }: AgentFile): string => (spawns === undefined ? "unsaid" : spawns === "all" ? "all" : spawns.join(" "));
const front = (text: string): string => `---\n${text}\n---\nYou are an agent.\n`;

/** [front matter, what it grants, "line:column code" of each diagnostic, what may be spawned] */
type Row = [text: string, grants: string, remarks?: string[], spawns?: string];

function table(dialect: Dialect, rows: Row[]): void {
  for (const [text, grants, told = [], spawned] of rows) {
    it(JSON.stringify(text), () => {
      const file = parseAgentFile(front(text), { dialect });
      expect(granted(file.scope, dialect)).toBe(grants);
      expect(remarks(file)).toEqual(told);
      if (spawned !== undefined) expect(spawns(file)).toBe(spawned);
      for (const { message, level } of file.diagnostics) {
        expect(["info", "warning", "error"]).toContain(level);
        expect(message).toMatch(/^[a-z`]/);
      }
    });
  }
}

const extensions = "ext:foo/* ext:web/* mcp:github/* mcp:kb/*";

describe("pi: every field, value and pitfall", () => {
  describe("tools", () =>
    table("pi", [
      ["name: a", "everything", [], "unsaid"],
      ["tools:", "everything", ["2:6 value_empty"]],
      ["tools: all", "everything"],
      ['tools: "*"', "everything"],
      ["tools: none", extensions],
      ['tools: ""', extensions],
      ["tools: []", extensions],
      ["tools: read, bash", `builtin:read builtin:bash ${extensions}`],
      ["tools: [read, bash]", `builtin:read builtin:bash ${extensions}`],
      ["tools:\n  - read\n  - bash", `builtin:read builtin:bash ${extensions}`],
      ["tools: ext:foo", "ext:foo/*"],
      ["tools: all, ext:foo/bar", "builtin:* ext:foo/bar"],
      ["tools: read, ext:FOO/bar", "builtin:read ext:foo/bar"],
      ["tools: ext:foo/Bar", ""],
      ["tools: ext:foo, ext:foo/bar, ext:web", "ext:foo/bar ext:web/*"],
      ["tools: ext:absent", ""],
      ["tools: ext:mcp", "mcp:github/* mcp:kb/*"],
      ["tools: ext:mcp/mcp__github__get_issue", "mcp:github/get_issue"],
      ["tools: read, mcp__kb__find", "builtin:read ext:foo/* ext:web/* mcp:kb/*"],
    ]));
  describe("pitfalls of tools", () =>
    table("pi", [
      ["tools: 'ext:'", "", ["2:9 selector_empty"]],
      ["tools: ext:", "", ["2:11 front_matter_invalid"], ""],
      ["tools: read, EXT:foo", "builtin:read ext:foo/*", ["2:14 selector_case"]],
      ["tools: read, ext:foo/*", "builtin:read", ["2:14 selector_glob"]],
      ["tools: read, ext:fo*", "builtin:read", ["2:14 selector_glob"]],
      ["tools:\n  - read\n  - ext: foo", "builtin:read", ["4:5 value_type"]],
      ["tools: 'read, ext: foo'", "builtin:read", ["2:15 selector_invalid"]],
      ["tools: READ", extensions, ["2:8 name_case"]],
      ["tools: search", extensions, ["2:8 name_unknown"]],
      ["tools: builtin:read", "", ["2:8 selector_invalid"]],
      ["tools: read bash", extensions, ["2:8 name_invalid"]],
      ["tools: read, none", `builtin:read ${extensions}`, ["2:14 value_ambiguous"]],
      ["tools: *", "", ["2:8 front_matter_invalid"], ""],
      ["tools: [read, *]", "", ["2:15 front_matter_invalid"]],
      ["tools: {read: true}", "", ["2:8 value_type"]],
      ["tools: !!set read", "", ["2:8 value_type"]],
      ["tools: true", "", ["2:8 value_type"]],
      ["tools: &read", "", ["2:8 value_type"]],
      ["exclude_extensions: &foo", "builtin:* host:app/*", ["2:21 value_type"]],
      ["tools: 7", extensions, ["2:8 value_type", "2:8 name_unknown"]],
      ["tools:\n  -\n  - read", `builtin:read ${extensions}`, ["3:4 value_empty"]],
    ]));
  describe("disallowed_tools", () =>
    table("pi", [
      ["tools: read, bash\ndisallowed_tools: bash\nextensions: false", "builtin:read"],
      ["disallowed_tools: none", "everything"],
      ["disallowed_tools:", "everything"],
      ["tools: read\ndisallowed_tools: ext:foo, search", "builtin:read ext:web/fetch mcp:github/* mcp:kb/*"],
      ["tools: read\ndisallowed_tools: ext:mcp", "builtin:read ext:foo/* ext:web/*"],
      ["tools: read, bash\nextensions: false\ndisallowed_tools: READ", "builtin:bash", ["4:19 name_case"]],
      ["tools: read, bash, ls\nextensions: false\ndisallowed_tools: read bash", "builtin:ls", ["4:19 list_separator"]],
      ["tools: read\nextensions: false\ndisallowed_tools: '[read, ls]'", "", ["4:20 list_separator", "4:27 list_separator"]],
      ["disallowed_tools: {a: b}", "", ["2:19 value_type"]],
      ["disallowed_tools: '*'", ""],
    ]));
  describe("extensions and exclude_extensions", () =>
    table("pi", [
      ["extensions: true", "everything"],
      ["extensions:", "everything", ["2:11 value_empty"]],
      ["extensions: false", "builtin:*"],
      ["extensions: none", "builtin:*"],
      ["extensions: []", "builtin:*"],
      ['extensions: "*"', "everything"],
      ["extensions: foo", "builtin:* ext:foo/*"],
      ["extensions: [FOO, mcp]", "builtin:* ext:foo/* mcp:github/* mcp:kb/*"],
      ["extensions: ./x/foo.ts", "builtin:* ext:foo/*", ["2:13 extension_path"]],
      ["extensions: ./web/index.js", "builtin:* ext:web/*", ["2:13 extension_path"]],
      ["extensions: '@acme/foo'", "builtin:* ext:foo/*", ["2:14 extension_path"]],
      ["extensions: web\ntools: read, ext:foo, ext:web/search", "builtin:read ext:web/search", ["3:14 selector_ineffective"]],
      ["extensions: false\ntools: ext:foo", "", ["3:8 selector_ineffective"]],
      ["extensions: no", "builtin:*", ["2:13 value_ambiguous"]],
      ["extensions: yes", "builtin:*", ["2:13 value_ambiguous"]],
      ["extensions: {foo: true}", "builtin:*", ["2:13 value_type"]],
      ["tools: none\nexclude_extensions: foo, mcp", "ext:web/*"],
      ["tools: none\nextensions: foo, web\nexclude_extensions: foo", "ext:web/*"],
      ["tools: ls\nexclude_extensions: {a: b}", "builtin:ls", ["3:21 value_type"]],
      ["tools: ls\nexclude_extensions: true", "builtin:ls", ["3:21 value_type"]],
      ["tools: ls\nexclude_extensions: none", `builtin:ls ${extensions}`],
    ]));
  describe("isolated, memory, allowed_subagents", () =>
    table("pi", [
      ["isolated: true", "builtin:*", [], ""],
      ["isolated: false", "everything", [], "unsaid"],
      ["isolated: true\ntools: read, ext:foo", "builtin:read", ["3:14 selector_ineffective"], ""],
      ["isolated: yes", "builtin:*", ["2:11 value_ambiguous"], ""],
      ["isolated: 1", "builtin:*", ["2:11 value_ambiguous"], ""],
      ['isolated: "true"', "builtin:*", ["2:11 value_ambiguous"], ""],
      ["isolated: no", "everything", ["2:11 value_ambiguous"], "unsaid"],
      ["isolated:", "everything", ["2:9 value_empty"], "unsaid"],
      ["tools: write\nextensions: false\nmemory: user", "builtin:read builtin:edit builtin:write"],
      ["tools: grep\nextensions: false\nmemory: local", "builtin:read builtin:grep"],
      ["tools: grep, write\ndisallowed_tools: write\nextensions: false\nmemory: local", "builtin:read builtin:grep"],
      ["tools: grep\nextensions: false\nmemory: always", "builtin:grep", ["4:9 value_unknown"]],
      ["tools: grep\nextensions: false\nmemory: user\ndisallowed_tools: read", "builtin:grep"],
      ["allowed_subagents: scout, worker", "everything", [], "scout worker"],
      ['allowed_subagents: "*"', "everything", [], "all"],
      ["allowed_subagents: none", "everything", [], ""],
      ["allowed_subagents: {a: b}", "everything", ["2:20 value_type"], ""],
    ]));
  describe("what is broken as a whole", () =>
    table("pi", [
      ["tools: read\ntools: bash", "", ["3:1 key_duplicate"], ""],
      ["base: &base {tools: read}\n<<: *base", "", ["2:1 key_unknown", "3:1 key_merge"], ""],
      ["version: &open '*'\ntools: *open", "", ["3:8 value_type"]],
      ["Tools: read", "", ["2:1 key_misspelt"], ""],
      ["allowed-tools: read", "", ["2:1 key_misspelt"], ""],
      ["disallowedTools: bash", "", ["2:1 key_misspelt"], ""],
      ["permission: {bash: deny}", "", ["2:1 key_misspelt"], ""],
      ["favourite: blue", "everything", ["2:1 key_unknown"]],
      ['tools: |\n  - "ext:web"', "", ["3:3 entry_negated", "3:3 list_separator"]],
      ["banned_tools: bash", "", ["2:1 key_misspelt"], ""],
      ["toolsAvailable: read", "", ["2:1 key_misspelt"], ""],
      ["no-tools: bash", "", ["2:1 key_misspelt"], ""],
      ["cannot: bash", "", ["2:1 key_misspelt"], ""],
      ["forbid: bash", "", ["2:1 key_misspelt"], ""],
      ["tools: read: bash", "", ["2:12 front_matter_invalid"], ""],
      ["- read", "", ["2:1 front_matter_invalid"], ""],
      ["? [a]\n: b", "", ["2:3 key_invalid"], ""],
      ["tools: read\n--- \nmore: 1", `builtin:read ${extensions}`],
      ["tools: read\n----", "", ["3:1 front_matter_delimiter"], ""],
      ["tools: read\n...\ntools: all", "", ["3:1 front_matter_delimiter"], ""],
      ["\ttools: read", "", ["2:1 front_matter_tab"], ""],
      ["tools: read\u2028", "", ["2:12 front_matter_character"], ""],
      [`description: ${"x".repeat(70_000)}`, "", ["2:1 front_matter_too_large"], ""],
      [`x: ${"[".repeat(40)}${"]".repeat(40)}`, "", ["2:35 front_matter_invalid"], ""],
    ]));
});

describe("claude: every field, value and pitfall", () =>
  table("claude", [
    ["name: a", "everything", [], "unsaid"],
    ["tools:", "", ["2:6 value_empty"], ""],
    ["tools: []", "", [], ""],
    ["tools: Read, Grep", "builtin:Read builtin:Grep", [], ""],
    ['tools: "*"', "everything", ["2:9 value_ambiguous"], "unsaid"],
    ["tools: Agent, Read", "builtin:Read builtin:Agent", [], "all"],
    ["tools: Task(a, b), Agent(b, c)", "builtin:Agent", [], "a b c"],
    ["tools: Agent(a), Agent", "builtin:Agent", [], "all"],
    ["tools: Agent(), Read", "builtin:Read", ["2:8 spawns_empty"], ""],
    ["tools: 'Agent(a, Read'", "", ["2:9 name_invalid"], ""],
    ["tools: Read\ndisallowedTools: Read", ""],
    ["disallowedTools: Agent", "builtin:Read builtin:Write builtin:Edit builtin:Bash builtin:Grep builtin:Glob builtin:WebFetch host:app/* ext:foo/* ext:web/* mcp:github/* mcp:kb/*", [], ""],
    ["tools: mcp__github", "mcp:github/*"],
    ["tools: mcp__github__*", "mcp:github/*"],
    ["tools: mcp__github__get_issue", "mcp:github/get_issue"],
    ["tools: mcp__git__*", ""],
    ["tools: mcp__*", "", ["2:8 selector_invalid"]],
    ["tools: mcp__github__get_*", "", ["2:8 selector_invalid"]],
    ["tools: Read\ndisallowedTools: mcp__*", "builtin:Read"],
    ["tools: mcp__github, mcp__kb\ndisallowedTools: mcp__github__get_issue", "mcp:github/create_issue mcp:kb/*"],
    ["tools: mcp__github, mcp__kb\ndisallowedTools: mcp__*", ""],
    ["tools: read", "", ["2:8 name_case"]],
    ["tools: Read, Bash\ndisallowedTools: bash", "builtin:Read", ["3:18 name_case"]],
    ["tools: Read, Bash\ndisallowedTools: Bash(rm *)", "builtin:Read", ["3:18 tool_specifier"]],
    ["tools: Read, Bash(git:*)", "builtin:Read", ["2:14 tool_specifier"]],
    ["tools: Read Write", "", ["2:8 name_invalid"]],
    ["tools: ext:foo/bar", "", ["2:8 name_invalid"]],
    ["tools: Read, AskUserQuestion", "builtin:Read", ["2:14 name_unavailable"]],
    ["tools: Grep\nmemory: user", "builtin:Read builtin:Write builtin:Edit builtin:Grep"],
    ["tools: Grep\nmemory: user\ndisallowedTools: Write, Edit", "builtin:Read builtin:Grep"],
    ["tools: Read\npermissionMode: plan", "builtin:Read", ["3:17 field_not_held"]],
    ["tools: Read\nmcpServers: [github]", "builtin:Read"],
    ["tools: Read\nmcpServers: {x: {command: y}}", "builtin:Read", ["3:13 server_inline"]],
    ["disallowed_tools: Bash", "", ["2:1 key_misspelt"], ""],
    ["isolated: true", "", ["2:1 key_misspelt"], ""],
    ["disallowedTools: {Bash: true}", "", ["2:18 value_type"]],
  ]));

describe("toolscope: every field, value and pitfall", () =>
  table("toolscope", [
    ["name: a", "everything"],
    ["allow:", "", ["2:6 value_empty"]],
    ["allow: []", ""],
    ["allow: none", ""],
    ['allow: "*"', "everything"],
    ["allow: read, ext:foo/bar, mcp:*/find", "builtin:read ext:foo/bar mcp:kb/*"],
    ["tools: read", "builtin:read"],
    ["allow: [mcp__github__get_issue]", "mcp:github/get_issue"],
    ["allow: ext:web, ext:foo\nexclude: ext:*/search", "ext:foo/* ext:web/fetch"],
    ["allow: ext:web\nrequired: finish", "host:app/* ext:web/*"],
    ["allow: [read, 'ext:']", "builtin:read", ["2:20 selector_invalid"]],
    ["allow: read bash", "", ["2:8 list_separator"]],
    ["allow: read, bash\nexclude: bash ls", "builtin:read", ["3:10 list_separator"]],
    ["allow: read, bash\nexclude: '\"bash\", \"ls\"'", "builtin:read", ["3:11 selector_invalid", "3:19 selector_invalid"]],
    ["allow: true", "", ["2:8 value_type"]],
    ["narrow: everything", "", ["2:1 key_misspelt"]],
    ["allow: read\ntools: bash", "", ["3:1 key_duplicate"]],
    ["exclude: bash\ndisallowed_tools: read", "", ["3:1 key_duplicate"]],
    ["allow: read\nspawns: a, b", "builtin:read", [], "a b"],
    ["allow: read\nspawns: '*'", "builtin:read", [], "all"],
    ["allow: read\nrequireGuards: {a: b}", "", ["3:16 value_type", "3:16 value_type"]],
  ]));

describe("toolscope: what is no list of selectors", () => {
  it("seals, and closes on doubt", () => {
    expect(parseAgentFile(front("sealed: true")).scope).toEqual({ sealed: true });
    expect(parseAgentFile(front("sealed: false")).scope).toEqual({});
    expect(parseAgentFile(front("sealed: yes")).scope).toEqual({ sealed: true });
  });
  it("requires guards", () => {
    expect(parseAgentFile(front("requireGuards: [approval, budget]")).scope).toEqual({ requireGuards: ["approval", "budget"] });
  });
  it("gives the name", () => {
    expect(parseAgentFile(front("name: scout")).name).toBe("scout");
    expect(parseAgentFile(front("name: [scout]")).name).toBeUndefined();
  });
});

describe("what is denied in the notation of another tool", () => {
  const rows: readonly (readonly [string, readonly string[], string?])[] = [
    ["Bash(git:*)", ["Bash"], "tool_specifier"],
    ["Bash(rm *), Write", ["Bash", "Write"], "tool_specifier"],
    ["Bash[git]", ["Bash"], "tool_specifier"],
    ["Bash{git}", ["Bash"], "tool_specifier"],
    ["Read(x, Bash", ["Read", "Bash"]],
    ["Read, 'Bash'", ["Bash", "Read"], "list_separator"],
    ["Read, `Bash`", ["Bash", "Read"], "list_separator"],
    ["(Bash)", ["Bash"], "list_separator"],
    ["[Read] [Bash]", ["Read", "Bash"], "list_separator"],
    ["Read|Bash", ["Read", "Bash"], "list_separator"],
    ["!Bash", ["Bash"], "name_ambiguous"],
    ["Bash@all", ["Bash"], "name_ambiguous"],
    ["foo/bar", ["ext:foo/bar"], "name_ambiguous"],
    ["ext:foo;ext:web", ["ext:foo/bar", "ext:web/search"], "list_separator"],
    ["ext:foo.ts", ["ext:foo/bar"], "name_ambiguous"],
    ["extension:foo", ["ext:foo/bar"]],
    ["MCP__kb__find", ["mcp:kb/find"], "name_ambiguous"],
    ["mcp_kb_find", ["mcp:kb/find"]],
    ["kb__find", ["mcp:kb/find"]],
    ["servers:*", ["mcp:kb/find"]],
    ["Bash (git:*)", ["Bash"]],
    ["all", ["Read", "ext:foo/bar", "mcp:kb/find"]],
    ["()", ["Read", "ext:foo/bar", "mcp:kb/find"], "name_invalid"],
  ];
  const keys = { pi: "disallowed_tools", claude: "disallowedTools", toolscope: "exclude" } as const;
  for (const dialect of ["pi", "claude", "toolscope"] as const) {
    it.each(rows)(`${dialect}: %s`, (text, denied = [], code) => {
      const { scope, diagnostics } = parseAgentFile(front(`${keys[dialect]}: ${JSON.stringify(text)}`), { dialect });
      const session = new ToolSession({ scope });
      session.addSource({ kind: "builtin", name: "b", tools: ["Read", "Write", "Bash", "Grep"].map((name) => ({ name })) });
      session.addSource({ kind: "ext", name: "foo", tools: [{ name: "bar" }] });
      session.addSource({ kind: "ext", name: "web", tools: [{ name: "search" }] });
      session.addSource({ kind: "mcp", name: "kb", tools: [{ name: "find" }] });
      for (const name of denied) expect(session.checkScope(name.includes(":") ? name : `builtin:${name}`), name).toMatchObject({ allowed: false, code: "excluded" });
      if (text !== "all" && text !== "()") expect(session.checkScope("Grep").allowed).toBe(true);
      // What is no selector is told as that.
      const codes = diagnostics.map(({ code }) => code);
      if (code !== undefined) expect(codes).toContain(codes.includes("selector_invalid") ? "selector_invalid" : code);
    });
  }
});

it.each([
  ["pi", 'tools: "*, !read"', "builtin:read"],
  ["pi", 'tools: ["*", "! ext:foo"]', "ext:foo/bar"],
  ["pi", 'extensions: "*, !foo"', "ext:foo/bar"],
  ["pi", "extensions: ['*', -./x/foo.ts]", "ext:foo/bar"],
  ["claude", 'tools: "*, !Read(x)"', "builtin:Read"],
  ["claude", 'tools: "*, -mcp__kb"', "mcp:kb/find"],
  ["toolscope", 'allow: "*, !read"', "builtin:read"],
  ["toolscope", 'allow: ["*", "!mcp:kb"]', "mcp:kb/find"],
] as const)("%s: what a list of grants takes away again is denied: %s", (dialect, text, denied) => {
  const { scope, diagnostics } = parseAgentFile(front(text), { dialect });
  const session = new ToolSession({ scope });
  session.addSource({ kind: "builtin", name: "b", tools: ["Read", "read", "grep"].map((name) => ({ name })) });
  session.addSource({ kind: "ext", name: "foo", tools: [{ name: "bar" }] });
  session.addSource({ kind: "mcp", name: "kb", tools: [{ name: "find" }] });
  expect(session.checkScope(denied)).toMatchObject({ allowed: false, code: "excluded" });
  expect(session.checkScope("grep").allowed).toBe(true);
  expect(diagnostics.map(({ code }) => code)).toContain("entry_negated");
});

it.each(["seal", "seals", "Seal", "sealled", "locked", "frozen"])("a key that was to restrict closes the file: %s", (key) => {
  const { scope, diagnostics } = parseAgentFile(front(`${key}: true`));
  expect(scope).toEqual({ allow: [] });
  expect(diagnostics[0]).toMatchObject({ code: "key_misspelt" });
  if (key.toLowerCase().startsWith("seal")) expect(diagnostics[0]?.suggestion).toBe("sealed");
});

it("says what to write instead", () => {
  const suggested = (text: string, dialect: Dialect): unknown => parseAgentFile(front(text), { dialect }).diagnostics[0]?.suggestion;
  expect(suggested("tools: *", "pi")).toBe('tools: "*"');
  expect(suggested("tools: EXT:foo", "pi")).toBe("ext:foo");
  expect(suggested("tools: ext:foo/*", "pi")).toBe("ext:foo");
  expect(suggested("tools: READ", "pi")).toBe("read");
  expect(suggested("isolated: yes", "pi")).toBe("isolated: true");
  expect(suggested("allowedTools: Read", "claude")).toBe("tools");
  expect(suggested("disallowed-tools: Read", "claude")).toBe("disallowedTools");
});

it("throws for arguments alone", () => {
  expect(() => parseAgentFile(7 as never)).toThrow(ToolscopeError);
  expect(() => parseAgentFile("", { dialect: "yaml" as never })).toThrow(/dialect/);
  expect(parseAgentFile("\ud800").scope).toEqual({ allow: [] });
});

/** What each file grants, what is told of it, and what it may spawn. */
const files: { [path: string]: Row } = {
  "claude/any-agent.md": ["lead", "builtin:Read builtin:Agent", [], "all"],
  "claude/both.md": ["both", "builtin:Read builtin:Bash", [], ""],
  "claude/coordinator.md": ["coordinator", "builtin:Read builtin:Agent", [], "worker researcher"],
  "claude/empty-list.md": ["thinker", "", [], ""],
  "claude/inline-server.md": ["browser", "builtin:Read", ["5:3 server_inline", "9:17 field_not_held"], ""],
  "claude/local-only.md": ["local-only", "builtin:* host:app/* ext:foo/* ext:web/* mcp:kb/*", [], "unsaid"],
  "claude/main-alone.md": ["asker", "builtin:Read", ["3:8 name_case", "3:20 name_unavailable"], ""],
  "claude/misspelt.md": ["careful", "", ["3:1 key_misspelt"], ""],
  "claude/no-servers.md": ["offline", "builtin:Read builtin:Write builtin:Edit builtin:Bash builtin:Grep builtin:Glob builtin:Agent host:app/* ext:foo/* ext:web/*", [], "unsaid"],
  "claude/no-writes.md": ["no-writes", "builtin:Read builtin:Bash builtin:Grep builtin:Glob builtin:WebFetch builtin:Agent host:app/* ext:foo/* ext:web/* mcp:github/* mcp:kb/*", [], "unsaid"],
  "claude/one-server.md": ["triage", "builtin:Read mcp:github/* mcp:kb/*", [], ""],
  "claude/rememberer.md": ["rememberer", "builtin:Read builtin:Write builtin:Grep", [], ""],
  "claude/safe-researcher.md": ["safe-researcher", "builtin:Read builtin:Bash builtin:Grep builtin:Glob", [], ""],
  "claude/specifier.md": ["committer", "builtin:Read", ["3:14 tool_specifier", "3:31 tool_specifier"], ""],
  "pi/all-builtins.md": ["builder", "builtin:read builtin:edit builtin:write builtin:grep builtin:find builtin:ls ext:foo/*", [], "unsaid"],
  "pi/bare-ext.md": ["slip", "builtin:read", ["3:15 selector_empty"], "unsaid"],
  "pi/capital-ext.md": ["slip", "builtin:read ext:foo/bar", ["3:14 selector_case"], "unsaid"],
  "pi/empty-text.md": ["talker", "", [], "unsaid"],
  "pi/glob-ext.md": ["slip", "builtin:read", ["3:16 selector_glob"], "unsaid"],
  "pi/isolated-yes.md": ["hermit", "builtin:*", ["3:11 value_ambiguous"], ""],
  "pi/isolated.md": ["hermit", "builtin:read", ["3:14 selector_ineffective"], ""],
  "pi/memory-reader.md": ["keeper", "builtin:read builtin:grep", [], "unsaid"],
  "pi/memory-writer.md": ["keeper", "builtin:read builtin:edit builtin:write builtin:grep", [], "unsaid"],
  "pi/no-builtins.md": ["talker", "ext:foo/* mcp:github/* mcp:kb/*", [], "unsaid"],
  "pi/paths.md": ["paths", "builtin:read ext:foo/* ext:web/*", ["4:13 extension_path", "4:34 extension_path"], "scout worker"],
  "pi/researcher.md": ["researcher", "builtin:read ext:web/search", [], "unsaid"],
  "pi/scout.md": ["scout", "builtin:read builtin:grep builtin:find builtin:ls", [], "unsaid"],
  "pi/servers.md": ["servers", "builtin:read mcp:github/* mcp:kb/*", [], "all"],
  "pi/unquoted-star.md": ["", "", ["3:8 front_matter_invalid"], ""],
  "pi/unrestricted.md": ["worker", "everything", [], "unsaid"],
  "pi/wrong-case.md": ["slip", "", ["3:8 name_case", "4:19 name_case"], "unsaid"],
  "toolscope/bad-selector.md": ["bad-selector", "builtin:read", ["3:16 selector_invalid", "3:41 selector_invalid", "4:25 selector_invalid"], "unsaid"],
  "toolscope/everything.md": ["everything", "builtin:read builtin:powershell builtin:edit builtin:write builtin:grep builtin:find builtin:ls host:app/* ext:foo/* ext:web/* mcp:github/get_issue mcp:kb/*", [], "unsaid"],
  "toolscope/guarded.md": ["guarded", "builtin:read", [], ""],
  "toolscope/merged.md": ["", "", ["2:1 key_unknown", "4:1 key_merge"], ""],
  "toolscope/no-front-matter.md": ["", "", ["1:1 front_matter_missing"], ""],
  "toolscope/reader.md": ["reader", "builtin:read builtin:grep", [], "unsaid"],
  "toolscope/required.md": ["required", "host:app/*", [], "unsaid"],
  "toolscope/sources.md": ["sources", "ext:foo/* ext:web/search mcp:github/get_issue mcp:kb/*", [], "unsaid"],
  "toolscope/synonyms.md": ["synonyms", "builtin:read", [], "reader scout"],
  "toolscope/tabs.md": ["", "", ["3:1 front_matter_tab"], ""],
  "toolscope/twice.md": ["", "", ["3:1 key_duplicate"], ""],
  "toolscope/two-lists.md": ["two-lists", "", ["4:1 key_duplicate"], ""],
  "toolscope/unterminated.md": ["", "", ["1:1 front_matter_unterminated"], ""],
  "toolscope/windows.md": ["windows", "builtin:read", [], "unsaid"],
};

describe("the agent files", () => {
  const folder = join(import.meta.dirname, "agent-files");
  it("are all listed", () => {
    const there = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
    expect(there.map((path) => path.replaceAll("\\", "/")).sort()).toEqual(Object.keys(files).sort());
    expect(there.length).toBeGreaterThanOrEqual(40);
  });
  for (const [path, [name, grants, told, spawned]] of Object.entries(files)) {
    it(path, () => {
      const dialect = path.split("/")[0] as Dialect;
      const file = parseAgentFile(readFileSync(join(folder, path), "utf8"), { dialect });
      expect([file.name ?? "", granted(file.scope, dialect), remarks(file), spawns(file)]).toEqual([name, grants, told ?? [], spawned ?? "unsaid"]);
    });
  }
});
