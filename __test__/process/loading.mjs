// Says which of Node's modules are loaded while a session is made, gets tools, starts, calls one and prepares a request: one JSON line.
import { ToolSession } from "../../index.mjs";

const before = new Set(process.moduleLoadList);
const session = new ToolSession();
session.addSource({ kind: "builtin", name: "b", tools: [{ name: "read", exposure: "code", execute: () => 1 }, { name: "write", execute: () => 1 }] });
session.start();
session.catalog();
session.search("read");
const { ok } = await session.call({ name: "write" });
await session.prepare();
session.endTurn();
const after = process.moduleLoadList.filter((name) => name.startsWith("NativeModule ") && !before.has(name));
if (!ok) throw new Error("the session does not work");
process.stdout.write(JSON.stringify(after));
