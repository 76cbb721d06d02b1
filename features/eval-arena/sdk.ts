import { chooseMetric } from "../../sdk/logs/choices.ts";
import { type Fields, filledLines, nameText, parseLine } from "../../sdk/logs/json.ts";
import type { RunSamples } from "../../sdk/logs/run-log.ts";
import { documentId, emptyRun, type LoggedRow, type SampleOptions, scoreRows } from "../../sdk/logs/score-rows.ts";
import type { LineBatch } from "../../sdk/tables/chunk-lines.ts";
import { DataIssues, jsonKind } from "../../sdk/tables/data-issues.ts";
import { isObject, parseWithNaN } from "../../sdk/tables/json-records.ts";
import { counted } from "../../sdk/words/figures.ts";

/** The one metric: the share of an example's attempts that are right. */
const PASS1 = "pass1";

/** Largest difference between a row's share and its counts; chosen, not measured: shares are written in full. */
const SHARE_TOLERANCE = 1e-6;

/** Most attempts at an example. Chosen, not measured: each is held. */
const MOST_ATTEMPTS = 10_000;

/** A row: a model's attempts at an example of a benchmark. */
export interface ArenaRow {
  readonly row: number;
  readonly benchmark: string;
  readonly model: string;
  readonly example: number | string;
  /** Share of the attempts that are right; null where it isn't known. */
  readonly share: number | null;
  /** The attempts, where the row has them. */
  readonly count: number | null;
  /** Those of them that are right, where the row has them. */
  readonly correct: number | null;
}

/** Whether a line is a row of eval-arena: a summary has a benchmark, and no example. */
export function isArenaLine(line: string): boolean {
  try {
    const value = parseWithNaN(line);
    return isObject(value) && "benchmark_id" in value && "model" in value && "example_id" in value;
  } catch {
    return false;
  }
}

/** The first line of a file that isn't empty; null where there is none. */
export async function firstLine(batches: AsyncIterable<LineBatch>): Promise<string | null> {
  for await (const { text } of filledLines(batches)) return text;
  return null;
}

/**
 * The rows of a file of eval-arena, one an example of a benchmark and a model.
 * @throws AnchorEvalError `invalid_data` naming file, line and rule: for a field that is missing or of another kind, a share
 * that isn't that of the counts, an example that is there twice
 */
export async function readArenaRows(file: string, batches: AsyncIterable<LineBatch>): Promise<ArenaRow[]> {
  const issues = new DataIssues(file, "lines");
  const rows: ArenaRow[] = [];
  const seen = new Map<string, number>();
  for await (const { row: number, text } of filledLines(batches)) {
    const fields = parseLine(text, number, issues);
    const row = fields && readRow(fields, number, issues);
    if (row === null) continue;
    const key = JSON.stringify([row.benchmark, row.model, String(row.example)]);
    const before = seen.get(key);
    if (before !== undefined)
      issues.addTwice({ row: row.row }, `example ${row.example} of ${row.benchmark} by ${row.model}`, issues.rowName(before)); // prettier-ignore
    else {
      seen.set(key, row.row);
      rows.push(row);
    }
  }
  issues.refuse();
  return rows;
}

function readRow(fields: Fields, row: number, issues: DataIssues): ArenaRow | null {
  const [benchmark, model, example] = [
    readName(fields.benchmark_id, "benchmark_id", row, issues),
    readName(fields.model, "model", row, issues),
    readName(fields.example_id, "example_id", row, issues),
  ];
  const share = readNumber(fields.pass1, PASS1, row, issues);
  const count = readNumber(fields.count ?? null, "count", row, issues);
  const correct = readNumber(fields.correct ?? null, "correct", row, issues);
  if (benchmark === null || model === null || example === null) return null;
  if (share === undefined || count === undefined || correct === undefined) return null;
  const problem = countsProblem(share, count, correct);
  if (problem === null) return { row, benchmark, model, example: documentId(example), share, count, correct };
  const column = correct === null ? "count" : "correct";
  issues.add({ row, column }, "wrong_counts", `example ${example} by ${model}: ${problem}`);
  return null;
}

/** Text, or a whole number as text. @returns null, with the issue noted, for anything else */
function readName(value: unknown, column: string, row: number, issues: DataIssues): string | null {
  const name = nameText(value);
  if (name === null) issues.add({ row, column }, "wrong_type", `${column} must be text, got ${jsonKind(value)}`);
  return name?.normalize("NFC") ?? null;
}

/** @returns null where it isn't known; undefined, with the issue noted, where it is no number */
function readNumber(value: unknown, column: string, row: number, issues: DataIssues): number | null | undefined {
  if (value === null || typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  issues.add({ row, column }, "wrong_type", `${column} must be a number, got ${jsonKind(value)}`);
  return undefined;
}

function countsProblem(share: number | null, count: number | null, correct: number | null): string | null {
  const all = count ?? 1;
  if (!Number.isInteger(all) || all < 1 || all > MOST_ATTEMPTS)
    return `count must be a whole number from 1 to ${MOST_ATTEMPTS}, got ${all}`;
  if (correct === null) return null;
  if (!(correct >= 0 && correct <= all)) return `correct must be from 0 to count, ${all}, got ${correct}`;
  const isShare = share !== null && Math.abs(share - correct / all) <= SHARE_TOLERANCE;
  return isShare ? null : `${PASS1} is ${share}, and correct/count ${correct}/${all}`;
}

/**
 * Refuses a benchmark of which some rows have a count: in eval-arena all have one, or none, and each then is of one attempt.
 * @throws AnchorEvalError `invalid_data` naming the first row without one
 */
export function refuseMixedCounts(rows: readonly ArenaRow[], file: string): void {
  const issues = new DataIssues(file, "lines");
  const counting = new Map<string, number>();
  for (const { benchmark, count, row } of rows) if (count !== null && !counting.has(benchmark)) counting.set(benchmark, row); // prettier-ignore
  for (const { benchmark, count, row } of rows) {
    const other = counting.get(benchmark);
    if (count === null && other !== undefined) {
      counting.delete(benchmark);
      issues.add({ row, column: "count" }, "missing", `${benchmark} has rows with a count, such as line ${other}, and rows without: a benchmark has it in all, or in none`); // prettier-ignore
    }
  }
  issues.refuse();
}

/**
 * The samples of a model on a benchmark. Where a row's count is of several attempts, and a whole number of them is right, its
 * attempts are those, the right ones first, as no row tells their order; else it is one attempt with its share.
 * @throws AnchorEvalError `invalid_option` for another metric than `pass1`; `invalid_data` for a share outside the scale
 */
export function arenaSamples(rows: readonly ArenaRow[], options: SampleOptions): RunSamples {
  if (rows.length === 0) return emptyRun(options.task);
  const metric = chooseMetric(new Map([[PASS1, null]]), options);
  const issues = new DataIssues(options.file, "lines");
  let partial = 0;
  const attempts = rows.flatMap(({ row, example, share, count, correct }): LoggedRow[] => {
    const item = { row, id: example, hash: null, text: null, failure: null };
    const right = count === null || share === null ? null : wholeRight(share, count, correct);
    if (right === null && (count ?? 1) > 1 && share !== null) partial++;
    if (right === null || count === null || count === 1) return [{ ...item, values: new Map([[PASS1, share]]) }];
    return Array.from({ length: count }, (_, k) => ({
      ...{ ...item, attempt: k + 1 },
      values: new Map([[PASS1, k < right ? 1 : 0]]),
    }));
  });
  const remarks =
    partial === 0
      ? []
      : [`${counted(partial, "example")} of several attempts of which no whole number is right: ${partial === 1 ? "it counts" : "they count"} by pass1 alone`]; // prettier-ignore
  return scoreRows(attempts, { metric, filter: "none", issues, item: "example", remarks }, options);
}

/** How many of several attempts are right, where that is a whole number. */
function wholeRight(share: number, count: number, correct: number | null): number | null {
  const right = correct ?? share * count;
  const whole = Math.round(right);
  return Math.abs(right - whole) <= SHARE_TOLERANCE * count && whole >= 0 && whole <= count ? whole : null;
}
