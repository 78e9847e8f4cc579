import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env["TOOLSCOPE_DATA"] || join(import.meta.dirname, "..", "..", "..", "shared");

/** The lines of a file that is shared beside the project and is no part of it; undefined where it is not there. */
export function shared<T>(...path: string[]): T[] | undefined {
  const file = join(folder, ...path);
  if (!existsSync(file)) return undefined;
  return readFileSync(file, "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
