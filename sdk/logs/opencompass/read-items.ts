import { AnchorEvalError } from "../../core/errors.ts";

/** What the details say of one item. */
export interface ItemDetails {
  /** The item's number in its dataset; in details by number, the one among the questions asked. */
  readonly id: number;
  /** By field, a value a run. */
  readonly fields: ReadonlyMap<string, readonly unknown[]>;
}

interface Source {
  /** Names the file in messages. */
  readonly file: string;
  /** How often every question is asked. */
  readonly runs: number;
}

/**
 * Reads `details`. Where the evaluator made them, they are a list of items, each with a list of values a run; else an
 * object of answers by number, run after run.
 * @throws AnchorEvalError `invalid_data` where there are none, or naming the entry that is broken or there twice
 */
export function readItems(details: unknown, source: Source): ItemDetails[] {
  const items = Array.isArray(details) ? listedItems(details, source) : numberedItems(details, source);
  if (items.length > 0) return items;
  throw new AnchorEvalError(
    "invalid_data",
    `${source.file}: there are no details of single items: opencompass leaves them out with --dump-eval-details False`,
  );
}

function listedItems(details: readonly unknown[], { file }: Source): ItemDetails[] {
  const seen = new Map<number, number>();
  return details.map((entry, index): ItemDetails => {
    const { example_abbr: name, ...fields } = readEntry(entry, file, index + 1);
    const number = typeof name === "string" ? /_(\d+)$/.exec(name)?.[1] : undefined;
    const id = number === undefined ? index : Number(number);
    const first = seen.get(id);
    if (first !== undefined)
      throw broken(file, index + 1, "duplicate", `item ${id} is there twice, first in entry ${first}`);
    seen.set(id, index + 1);
    return { id, fields: new Map(Object.entries(fields).map(([key, value]) => [key, [value].flat()])) };
  });
}

function numberedItems(details: unknown, { file, runs }: Source): ItemDetails[] {
  if (typeof details !== "object" || details === null) return [];
  const answers = Object.entries(details).filter(([key]) => /^\d+$/.test(key));
  const questions = answers.length / runs;
  if (!Number.isInteger(questions))
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: the details have ${answers.length} answers, which are not ${runs} for every question: the run is not complete, or its configuration is another's`,
    );
  const items = new Map<number, Map<string, unknown[]>>();
  for (const [key, answer] of answers) {
    const id = Number(key) % questions;
    const fields = items.get(id) ?? new Map<string, unknown[]>();
    items.set(id, fields);
    for (const [name, value] of Object.entries(readEntry(answer, file, key)))
      fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return [...items].map(([id, fields]) => ({ id, fields }));
}

function readEntry(entry: unknown, file: string, where: number | string): Record<string, unknown> {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry))
    throw broken(file, where, "invalid", "it is no object");
  return entry as Record<string, unknown>;
}

function broken(file: string, where: number | string, code: string, message: string): AnchorEvalError {
  return new AnchorEvalError("invalid_data", `${file}: details, entry ${where}: ${message}`, {
    issues: [{ path: [file, "details", where], code, message }],
  });
}
