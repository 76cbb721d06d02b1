import { appendFile } from "node:fs/promises";
import { textTable } from "anchoreval/internal/words/figures";
import { option, type OptionReader, type OptionSpecs } from "./command.ts";
import { checkFilePlace, writing } from "./errors.ts";

/** A table of a result; the first row is its heading. */
interface ResultTable {
  readonly rows: readonly (readonly string[])[];
  /** `l` or `r` for each column. */
  readonly align: string;
}

/** A result for people: lines, and tables among them. */
export type ResultParts = readonly (string | ResultTable)[];

/** The lines of a result in a terminal. */
export function plainLines(parts: ResultParts): string[] {
  return parts.flatMap((part) => (typeof part === "string" ? [part] : textTable(part.rows, part.align)));
}

export const SUMMARY_OPTION = {
  summary: option("FILE", "also add the result to FILE as Markdown, for a job summary or a comment"),
} as const satisfies OptionSpecs;

/**
 * The file of an option that is written beside the result, once it is known that it can be; undefined where it isn't given.
 * @throws AnchorEvalError `invalid_option` where its folder isn't there, or it is one
 */
export async function readSideFile(options: OptionReader, name: string): Promise<string | undefined> {
  const file = options.text(name);
  if (file === undefined) return undefined;
  await checkFilePlace(`--${name}`, file);
  return file;
}

/**
 * Adds a result to a file of Markdown: a heading, its lines, its tables. What the file has stays, as a job summary is one
 * for several commands.
 * @param file - undefined for none
 * @throws AnchorEvalError `unavailable`
 */
export async function addSummary(file: string | undefined, heading: string, parts: ResultParts): Promise<void> {
  if (file === undefined) return;
  await writing(file, () => appendFile(file, markdown(heading, parts)));
}

function markdown(heading: string, parts: ResultParts): string {
  const blocks = parts.flatMap((part) => {
    if (typeof part !== "string") return [markdownTable(part)];
    if (part === "") return [];
    const [, warning] = /^warning: (.*)$/s.exec(part) ?? [];
    return [warning === undefined ? escaped(part) : `> **warning:** ${escaped(warning)}`];
  });
  return `### ${escaped(heading)}\n\n${blocks.join("\n\n")}\n\n`;
}

function markdownTable({ rows: [heading = [], ...rows], align }: ResultTable): string {
  const line = (cells: readonly string[]): string =>
    `| ${Array.from(align, (_, column) => escaped(cells[column] ?? "")).join(" | ")} |`;
  const rule = `| ${Array.from(align, (side) => (side === "r" ? "---:" : ":---")).join(" | ")} |`;
  return [line(heading), rule, ...rows.map(line)].join("\n");
}

/** Text as Markdown shows it: names of models and scenarios may have its signs. */
function escaped(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_|[\]#~]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
