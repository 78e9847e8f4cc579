import { stripVTControlCharacters } from "node:util";

/** How much of a text is printed, in characters. */
export const widest = 100;

/** Text from tools and models on one line: nothing in it may drive the terminal. */
export function oneLine(value, limit = widest) {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const plain = stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  return plain.length > limit ? `${plain.slice(0, limit - 1)}…` : plain;
}
