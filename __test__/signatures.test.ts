import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { generateSync } from "json-schema-faker";
import { describe, expect, it } from "vitest";
import { renderSignature, type SourcedTool } from "../index.js";
import { compile } from "./support/compiler.js";
import { hasData, sets, tools } from "./support/data.js";

type Schema = { $schema?: string };

/** A sample input that the schema accepts; none where the library gives none that a validator agrees with. */
function sampler(): (schema: Schema) => { sample: unknown } | undefined {
  const settings = { strict: false, validateFormats: false, logger: false } as const;
  const draft7 = new Ajv(settings);
  const draft2020 = new Ajv2020(settings);
  for (const ajv of [draft7, draft2020]) addFormats.default(ajv);
  return (schema) => {
    const { $schema, ...rest } = schema;
    try {
      const validate = ($schema?.includes("draft-07") === true ? draft7 : draft2020).compile(rest);
      for (let seed = 1; seed <= 5; seed++) {
        const sample: unknown = generateSync(rest as never, { seed, optionalsProbability: 0.5 } as never);
        if (validate(sample)) return { sample };
      }
    } catch {
      // A schema that is none, or one the library does not know: no sample, and so it is counted.
    }
    return undefined;
  };
}

const call = (tool: SourcedTool, sample: unknown) =>
  `tools[${JSON.stringify(tool.source)}][${JSON.stringify(tool.name)}](${JSON.stringify(sample)});`;

describe.skipIf(!hasData)("every signature of the inventories", () => {
  const all = hasData ? sets.flatMap((set) => tools(set)) : [];
  const sample = sampler();
  const samples = all.map((tool) => sample(tool.inputSchema as Schema));
  const sampled = samples.filter((one) => one !== undefined).length;

  it("there are 11,138 of them, nearly all with a sample", () => {
    console.log(`samples that the schema accepts: ${sampled} of ${all.length} (${((100 * sampled) / all.length).toFixed(2)} %)`);
    expect(all).toHaveLength(11_138);
    expect(sampled / all.length).toBeGreaterThan(0.99);
  });

  for (const [detail, options] of [["full", []], ["compact", ["--noImplicitAny", "false"]]] as const) {
    const signatures = all.map((tool) => renderSignature(tool, detail));
    const errors = (texts: string[]) =>
      compile(texts, options).map(({ unit, message }) => `${all[unit]?.source}/${all[unit]?.name}: ${message}\n${texts[unit]}`);

    it(`parses and type-checks: ${detail}`, { timeout: 120_000 }, () => {
      expect(errors(signatures)).toEqual([]);
    });

    // As object literals, where the compiler is strictest. A schema is open: a sample may owe its validity to a variant
    // that does not know one of its members, and there the compiler, which looks for a variant that knows them all,
    // refuses what the schema accepts. Hence a share, and not all.
    it(`accepts the sample: ${detail}`, { timeout: 120_000 }, () => {
      const refused = errors(all.map((tool, index) => {
        const found = samples[index];
        return `${signatures[index]}${found === undefined ? "" : `\n${call(tool, found.sample)}`}`;
      }));
      const share = (sampled - refused.length) / sampled;
      console.log(`${detail}: ${sampled - refused.length} of ${sampled} samples are accepted (${(100 * share).toFixed(2)} %)`);
      expect(share, refused.slice(0, 3).join("\n\n")).toBeGreaterThan(0.999);
    });
  }
});
