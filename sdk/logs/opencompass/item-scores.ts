import { DataIssues } from "../../tables/data-issues.ts";
import { isObject } from "../../tables/json-records.ts";
import { meanScore } from "../attempts.ts";
import type { MetricValue } from "../choices.ts";
import { invalidLog, metricValue } from "../scores.ts";

interface ItemScores {
  /** The values of each item, one a run; by metric. */
  readonly scores: ReadonlyMap<string, readonly (readonly MetricValue[])[]>;
  /** The metric that says whether answers are right; null where nothing does. */
  readonly share: string | null;
  /** The details don't say which answers are right: those that equal the reference are. */
  readonly inferred: boolean;
}

/** Fields of the details that say whether an answer is right, in the order in which OpenCompass looks for them. */
const RIGHT = ["correct", "is_correct", "cascade_correct"];
/** Fields that may be numbers and are no score. */
const NO_SCORE =
  /^(pred|prediction|predictions|answer|answers|refr|ref|reference|references|gold|idx|index|id)$|prompt/;
/** OpenCompass's names for the share of right answers, the usual first. */
const SHARES = ["accuracy", "score", "pass@1"];
/** Some evaluators round what they report, to hundredths of a percent. */
const ROUNDED = 0.0000501;

/**
 * The scores that the details hold: fields that are numbers, and whether answers are right, under the name of the reported
 * metric that is their mean. Where the details don't say what is right, answers that equal the reference are, if their
 * share is a metric that OpenCompass reports.
 * @param reported - in percent, by metric
 * @param metric - the name that is asked for
 */
export function itemScores(
  items: readonly ItemDetails[],
  reported: ReadonlyMap<string, number>,
  metric: string | undefined,
): ItemScores {
  const scores = new Map<string, MetricValue[][]>();
  const valuesOf = (name: string): (readonly unknown[])[] => items.map(({ fields }) => fields.get(name) ?? []);
  for (const name of new Set(items.flatMap(({ fields }) => [...fields.keys()]))) {
    if (RIGHT.includes(name) || NO_SCORE.test(name)) continue;
    const values = valuesOf(name).map((row) => row.map(metricValue));
    const read = values.flat().filter((value) => value !== null);
    const numbers = read.filter((value) => typeof value === "number" || typeof value === "boolean");
    // Text among numbers is a score that nobody can read; numbers among text are no scores.
    if (numbers.length > read.length / 2) scores.set(name, values);
  }
  const shareNames = [...(metric === undefined ? [] : [metric]), ...SHARES, ...reported.keys()];
  const reportedAs = (values: readonly (readonly MetricValue[])[]): string | undefined => {
    const share = mean(values.map(mean));
    return shareNames.find((name) => {
      const percent = reported.get(name);
      return percent !== undefined && share !== null && Math.abs(percent / 100 - share) <= ROUNDED;
    });
  };
  const flag = RIGHT.find((name) => valuesOf(name).some((values) => values.some((value) => value != null)));
  if (flag !== undefined) {
    const values = valuesOf(flag).map((row) => row.map(metricValue));
    const share = reportedAs(values) ?? flag;
    return { scores: scores.set(share, values), share, inferred: false };
  }
  const equal = items.map(equalities);
  const share = scores.size > 0 || equal.some((values) => values.length === 0) ? undefined : reportedAs(equal);
  if (share === undefined) return { scores, share: null, inferred: false };
  return { scores: scores.set(share, equal), share, inferred: true };
}

/** Which of a question's answers are the reference; none where either isn't logged. */
function equalities({ fields }: ItemDetails): number[] {
  const [answers, references] = [fields.get("predictions") ?? [], fields.get("references") ?? []];
  if (answers.length !== references.length) return [];
  return answers.map((answer, run) => Number(answer === references[run]));
}

/** Mean of those that there are. */
function mean(values: readonly MetricValue[]): number | null {
  return meanScore(
    values.flatMap((value) => (typeof value === "number" || typeof value === "boolean" ? Number(value) : [])),
  );
}

interface ItemDetails {
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
  const issues = new DataIssues(source.file, { row: "details, entry" });
  const items = Array.isArray(details) ? listedItems(details, issues) : numberedItems(details, source, issues);
  if (items.length > 0) return items;
  throw invalidLog(
    source.file,
    "there are no details of single items: opencompass leaves them out with --dump-eval-details False",
  );
}

function listedItems(details: readonly unknown[], issues: DataIssues): ItemDetails[] {
  const seen = new Map<number, number>();
  return details.map((entry, index): ItemDetails => {
    const { example_abbr: name, ...fields } = readEntry(entry, index + 1, issues);
    const number = typeof name === "string" ? /_(\d+)$/.exec(name)?.[1] : undefined;
    const id = number === undefined ? index : Number(number);
    const first = seen.get(id);
    if (first !== undefined)
      issues.fail({ row: index + 1 }, "duplicate", `item ${id} is there twice, first in entry ${first}`);
    seen.set(id, index + 1);
    return { id, fields: new Map(Object.entries(fields).map(([key, value]) => [key, [value].flat()])) };
  });
}

function numberedItems(details: unknown, { file, runs }: Source, issues: DataIssues): ItemDetails[] {
  if (typeof details !== "object" || details === null) return [];
  const answers = Object.entries(details).filter(([key]) => /^\d+$/.test(key));
  const questions = answers.length / runs;
  if (!Number.isInteger(questions))
    throw invalidLog(
      file,
      `the details have ${answers.length} answers, which are not ${runs} for every question: the run is not complete, or its configuration is another's`,
    );
  const items = new Map<number, Map<string, unknown[]>>();
  for (const [key, answer] of answers) {
    const id = Number(key) % questions;
    const fields = items.get(id) ?? new Map<string, unknown[]>();
    items.set(id, fields);
    for (const [name, value] of Object.entries(readEntry(answer, key, issues)))
      fields.set(name, [...(fields.get(name) ?? []), value]);
  }
  return [...items].map(([id, fields]) => ({ id, fields }));
}

function readEntry(entry: unknown, row: number | string, issues: DataIssues): Record<string, unknown> {
  return isObject(entry) ? entry : issues.fail({ row }, "invalid", "it is no object");
}
