import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** One error of the compiler; `unit` is the place of the text in the list that was given. */
export interface CompilerError {
  unit: number;
  message: string;
}

const compiler = resolve(import.meta.dirname, "../../node_modules/typescript/bin/tsc");

/**
 * Type-checks texts, each in a namespace of its own, with the TypeScript compiler, strictly but for `options`.
 * The texts are spread over files, so that a few thousand take seconds.
 */
export function compile(texts: readonly string[], options: readonly string[] = []): CompilerError[] {
  const folder = mkdtempSync(join(tmpdir(), "toolscope-types-"));
  try {
    const perFile = 500;
    const files: string[] = [];
    const starts: number[][] = [];
    for (let from = 0; from < texts.length; from += perFile) {
      let text = "export {};\n";
      let line = 2;
      const own: number[] = [];
      for (const [offset, unit] of texts.slice(from, from + perFile).entries()) {
        own.push(line);
        text += `namespace unit${from + offset} {\n${unit}\n}\n`;
        line += unit.split("\n").length + 2;
      }
      const file = join(folder, `part${files.length}.ts`);
      writeFileSync(file, text);
      files.push(file);
      starts.push(own);
    }
    const settings = ["--noEmit", "--ignoreConfig", "--strict", "--pretty", "false", "--skipLibCheck", "--types", "", "--target", "es2022", ...options];
    try {
      execFileSync(process.execPath, [compiler, ...settings, ...files], { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
      return [];
    } catch (error) {
      const { stdout } = error as { stdout?: string };
      if (!stdout) throw error;
      return stdout.split("\n").flatMap((report) => {
        const match = /part(\d+)\.ts\((\d+),\d+\): (error .*)$/.exec(report);
        if (match === null) return report.startsWith(" ") || report === "" ? [] : [{ unit: -1, message: report }];
        const part = Number(match[1]);
        const own = starts[part] ?? [];
        const at = own.findLastIndex((start) => start <= Number(match[2]));
        return [{ unit: part * perFile + at, message: match[3] ?? "" }];
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
