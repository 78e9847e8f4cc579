import { describe, expect, test } from "vitest";

import { ToolIndex, ToolscopeError, type SourcedTool } from "../../index.js";

const tool = (name: string, description = "", more: Partial<SourcedTool> = {}): SourcedTool => {
  return { source: "mcp:crm", name, description, ...more };
};
const ids = (index: ToolIndex, query: string, options = {}): string[] =>
  index.search(query, options).items.map((item) => item.id);
const first = (index: ToolIndex, query: string): string | undefined => index.search(query).items[0]?.name;

describe("public cases", () => {
  test("search-camel: names in camel case come apart, and an exact id beats its siblings", () => {
    const index = new ToolIndex([tool("addPerson"), tool("addActivity"), tool("listPersons")]);
    expect(["addPerson", "add person", "mcp__crm__addPerson"].map((query) => first(index, query))).toEqual([
      "addPerson",
      "addPerson",
      "addPerson",
    ]);
  });

  test("search-snake-kebab: names in snake and kebab case come apart, and a name counts more than a description", () => {
    const index = new ToolIndex([
      tool("canvas_create_edge", "links two nodes"),
      tool("canvas-delete-node", "removes; opposite of create edge"),
    ]);
    expect(["create edge", "delete node", "edge"].map((query) => first(index, query))).toEqual([
      "canvas_create_edge",
      "canvas-delete-node",
      "canvas_create_edge",
    ]);
  });

  // Its session's half (the source's notice, the call) is a test of the session.
  test("listchanged-index-stale, the index's half: a tool is found by the first search after it was added", () => {
    const index = new ToolIndex([tool("unlock", "", { source: "mcp:lazy" })]);
    expect(ids(index, "secret number")).toEqual([]);
    index.add(tool("secret_number", "", { source: "mcp:lazy" }));
    expect(ids(index, "secret number")).toEqual(["mcp:lazy/secret_number"]);
  });
});

describe("what is found", () => {
  test("an item has all that a program needs to call the tool", () => {
    const inputSchema = { properties: { owner: {}, title: {}, body: {} }, required: ["owner", "title"] };
    const index = new ToolIndex([tool("create_issue", "Create an issue.", { source: "mcp:git-hub", inputSchema })]);
    expect(index.search("issue").items).toEqual([
      {
        id: "mcp:git-hub/create_issue",
        name: "create_issue",
        path: 'tools["git-hub"].create_issue',
        description: "Create an issue.",
        signature: "create_issue(owner, title, body?)",
        score: expect.any(Number),
      },
    ]);
  });

  test("words of every field lead to a tool", () => {
    const index = new ToolIndex([
      tool("a", "First. Then gadgets", {
        annotations: { title: "Zebra" },
        category: "Aviation",
        sourceDescription: "about volcanoes",
        source: "ext:harbour",
        inputSchema: {
          properties: { latitude: { description: "degrees north", enum: ["arctic"] } },
        },
      }),
      tool("b", "something else"),
    ]);
    const queries = ["zebras", "gadget", "aviation", "volcano", "harbour", "latitude", "degree", "arctic"];
    expect(queries.filter((query) => first(index, query) !== "a")).toEqual([]);
  });

  test("an exact id, name or path comes first, and an id before a name", () => {
    const index = new ToolIndex([
      tool("read", "Reads.", { source: "builtin" }),
      tool("read", "Read, read, read what is to read.", { source: "ext:files" }),
      tool("read_all", "read read read", { source: "ext:files" }),
    ]);
    expect(ids(index, "builtin:read")[0]).toBe("builtin:read");
    expect(ids(index, "ext:files/read")[0]).toBe("ext:files/read");
    expect(ids(index, "tools.builtin.read")[0]).toBe("builtin:read");
    expect(ids(index, "tools.files.read_all")[0]).toBe("ext:files/read_all");
    expect(ids(index, "read").slice(0, 2).sort()).toEqual(["builtin:read", "ext:files/read"]);
  });

  test("hidden and model-only tools are never found, by no name", () => {
    const index = new ToolIndex([tool("a", "secret", { exposure: "hidden" }), tool("b", "secret", { exposure: "model-only" })]);
    expect(["secret", "a", "mcp:crm/b", ""].map((query) => index.search(query).total)).toEqual([0, 0, 0, 0]);
    expect(index.size).toBe(0);
    index.add(tool("a", "secret"));
    expect(index.size).toBe(1);
    index.add(tool("a", "secret", { exposure: "hidden" }));
    expect(index.size).toBe(0);
  });

  test("other languages, folded letters and slips of the pen", () => {
    const index = new ToolIndex([
      tool("bing", "使用必应搜索指定的关键词"),
      tool("fetch", "根据提供的链接获取网页内容"),
      tool("cotizacion", "Obtener la cotización de créditos"),
      tool("list_repositories", "List repositories"),
      tool("cook", "스테이크 레시피 검색"),
    ]);
    const queries = ["搜索关键词", "获取网页", "cotizacion credito", "repositroies", "레시피를 찾아줘"];
    expect(queries.map((query) => first(index, query))).toEqual(["bing", "fetch", "cotizacion", "list_repositories", "cook"]);
  });

  test("several needs in one query each get something", () => {
    const forecasts = Array.from({ length: 12 }, (_, day) => tool(`forecast_${day}`, "Weather forecast of a city"));
    const index = new ToolIndex([...forecasts, tool("exchange", "Convert an amount of money to another currency")]);
    const query = "What is the weather forecast for the city of Rome? Then convert an amount of dollars into another currency.";
    expect(ids(index, query, { limit: 3 })).toContain("mcp:crm/exchange");
  });

  test("an empty query lists everything by id, and pages part it", () => {
    const index = new ToolIndex(["c", "a", "b"].map((name) => tool(name)));
    const one = index.search("", { limit: 2 });
    expect(one.items.map((item) => item.name)).toEqual(["a", "b"]);
    expect(one).toMatchObject({ total: 3, next: { offset: 2 } });
    const two = index.search("", { limit: 2, ...one.next });
    expect(two.items.map((item) => item.name)).toEqual(["c"]);
    expect(two.next).toBeNull();
  });

  test("selectors narrow it", () => {
    const index = new ToolIndex([tool("find", "find it"), tool("find", "find it", { source: "ext:files" })]);
    expect(ids(index, "find", { in: ["ext:*"] })).toEqual(["ext:files/find"]);
    expect(ids(index, "find", { in: [] })).toEqual([]);
    expect(ids(index, "", { in: ["mcp:crm/f*"] })).toEqual(["mcp:crm/find"]);
  });

  test("what was removed is gone, and adding it again is no different", () => {
    const both = [tool("send_mail", "Send a mail"), tool("send_message", "Send a message")];
    const index = new ToolIndex(both);
    const before = index.search("send mail");
    index.remove("mcp:crm/send_mail", "mcp:crm/nothing");
    expect(ids(index, "send mail")).toEqual(["mcp:crm/send_message"]);
    index.add(both[0] as SourcedTool);
    expect(index.search("send mail")).toEqual(before);
  });

  test("use lifts a tool among its likes, and the explanation says so", () => {
    const index = new ToolIndex([tool("list_alpha", "list things"), tool("list_beta", "list things")]);
    expect(ids(index, "list things")).toEqual(["mcp:crm/list_alpha", "mcp:crm/list_beta"]);
    expect(index.explain("list things", "mcp:crm/list_beta")?.usage).toBe(1);
    index.prefer([{ id: "mcp:crm/list_beta", weight: 3 }, { id: "mcp:crm/gone", weight: 9 }]);
    expect(ids(index, "list things")).toEqual(["mcp:crm/list_beta", "mcp:crm/list_alpha"]);
    const explanation = index.explain("listing things", "mcp:crm/list_beta");
    expect(explanation?.usage).toBe(1.25);
    expect(explanation?.words.map(({ word }) => word)).toEqual(["list", "thing"]);
    expect(explanation?.score).toBe(index.search("listing things").items[0]?.score);
    expect(index.explain("listing things", "mcp:crm/gone")).toBeUndefined();
    index.prefer([]);
    expect(ids(index, "list things")).toEqual(["mcp:crm/list_alpha", "mcp:crm/list_beta"]);
  });
});

describe("bad input", () => {
  const refused = (run: () => unknown): string => {
    try {
      run();
    } catch (error) {
      expect(ToolscopeError.isInstance(error)).toBe(true);
      const { code, message } = error as ToolscopeError;
      return `${code}: ${message}`;
    }
    throw new Error("nothing was thrown");
  };

  test("errors name the value and the fix", () => {
    const index = new ToolIndex([tool("a")]);
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect([
      refused(() => index.search(7 as never)),
      refused(() => index.search("a", { limit: 0 })),
      refused(() => index.search("a", { offset: -1 })),
      refused(() => index.search("a", { in: ["nope:x"] })),
      refused(() => index.add({ name: "b" } as never)),
      refused(() => index.add({ name: 3, source: "mcp:x" } as never)),
      refused(() => index.add({ name: "b", source: "" })),
      refused(() => index.add(tool("b", "", { inputSchema: cycle }))),
      refused(() => index.add(null as never)),
    ]).toMatchInlineSnapshot(`
      [
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: the query is \`7\`; give a string",
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: \`limit\` of the search is \`0\`; give a whole number from 1 to 4294967295",
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: \`offset\` of the search is \`-1\`; give a whole number from 0 to 4294967295",
        "ERR_TOOLSCOPE_SELECTOR_INVALID: selector \`nope:x\`, column 1: unknown kind \`nope\`; use one of \`builtin\`, \`host\`, \`ext\`, \`mcp\`",
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: tool 0 has no \`source\` and \`name\`; give both as strings",
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: name \`3\` of tool 0 is no string; give its raw name",
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: source \`""\` of tool \`b\` is no source; give one such as \`mcp:github\`",
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: tool \`b\` cannot be written as JSON; leave out cycles and BigInts",
        "ERR_TOOLSCOPE_INVALID_ARGUMENT: a tool is \`null\`; give an object",
      ]
    `);
    expect(index.size).toBe(1);
  });

  test("a call adds all of its tools or none", () => {
    const index = new ToolIndex();
    expect(() => index.add(tool("a"), { name: "b" } as never)).toThrow(ToolscopeError);
    expect(() => index.add(tool("a"), ["ext:e", "b"] as never)).toThrow(ToolscopeError);
    expect(index.size).toBe(0);
  });

  test("texts of wrong types and broken characters are passed over", () => {
    const index = new ToolIndex([
      tool("a", 5 as never, { inputSchema: ["x"] as never, category: {} as never, annotations: null as never }),
      tool("lone\ud800", "half a \udc00 pair", { inputSchema: { properties: { "\ud800": { description: "odd\ud800" } } } }),
      tool("__proto__", "a name of every object's"),
    ]);
    expect(index.size).toBe(3);
    expect(ids(index, "pair")).toEqual(["mcp:crm/lone\ufffd"]);
    expect(first(index, "__proto__")).toBe("__proto__");
    expect(index.search("a").items[0]?.description).toBe("");
  });

  test("a schema as deep as it likes is read as far as it goes", () => {
    let schema: Record<string, unknown> = { properties: { deepest: {} } };
    for (let depth = 0; depth < 2000; depth++) schema = { properties: { [`level${depth}`]: schema } };
    const index = new ToolIndex([tool("deep", "a deep one", { inputSchema: schema })]);
    expect(ids(index, "deep")).toEqual(["mcp:crm/deep"]);
    expect(ids(index, "level1999")).toEqual(["mcp:crm/deep"]);
  });

  const hostile: [name: string, query: string][] = [
    ["a megabyte of words", "list open pull requests ".repeat(43_000)],
    ["a megabyte of one word", "a".repeat(1_000_000)],
    ["a megabyte of different words", Array.from({ length: 120_000 }, (_, number) => `zq${number.toString(36)}x`).join(" ")],
    ["a megabyte of Chinese", "检索".repeat(170_000)],
    ["a megabyte of quotes", `"'`.repeat(500_000)],
    ["only stop words", "the of and to in is it that".repeat(50)],
    ["control characters", "\u0000\u0001\u001b[31m\u202e\u200b".repeat(500)],
    ["lone surrogates", "\ud800 list \udfff issues \ud83d".repeat(500)],
    ["a regular expression", "^(?:(a+)+)+$|[\\s\\S]*?(?=.*){1,99999}(\\w+\\s?)*$"],
    ["SQL", "'; DROP TABLE tools; -- SELECT * FROM tools WHERE name LIKE '%issue%' OR 1=1"],
  ];
  const many = new ToolIndex(
    Array.from({ length: 2000 }, (_, number) => tool(`tool_${number.toString(36)}_list`, `List issue ${number} of pull requests`)),
  );
  test.each(hostile)("%s is answered within 5 ms", (_name, query) => {
    const times = Array.from({ length: 7 }, () => {
      const started = performance.now();
      many.search(query);
      return performance.now() - started;
    });
    expect(Math.min(...times)).toBeLessThan(5);
  });
});
