import { readFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/core";

/** A line of a file, without white space around it. */
export interface FileLine {
  /** Counted from 1. */
  readonly row: number;
  readonly text: string;
}

/**
 * The lines of a short file that aren't empty.
 * @throws AnchorEvalError `not_found`
 */
export async function readLines(file: string): Promise<FileLine[]> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (cause) {
    throw new AnchorEvalError("not_found", `${file} could not be read`, { cause });
  }
  return content
    .split("\n")
    .map((line, index) => ({ row: index + 1, text: line.trim() }))
    .filter(({ text }) => text !== "");
}

/**
 * Takes a line `model,value` apart at its last comma: names may have commas.
 * @returns no model where there is no comma, or nothing before it
 * @example modelAndValue("a, b ,3") // ["a, b", "3"]
 */
export function modelAndValue(text: string): readonly [model: string, value: string] {
  const comma = text.lastIndexOf(",");
  return [text.slice(0, Math.max(0, comma)).trim(), text.slice(comma + 1).trim()];
}
