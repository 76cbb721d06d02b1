import { contentHash, type ItemContent } from "../../../sdk/core/bundle/digest.ts";
import { DataIssues } from "../../../sdk/tables/data-issues.ts";
import { attemptFailure, meanScore } from "../../../sdk/logs/attempts.ts";
import { chooseMetric, type MetricValue } from "../../../sdk/logs/choices.ts";
import { totalOf } from "../../../sdk/logs/cost.ts";
import { type Fields, canonicalJson, record } from "../../../sdk/logs/json.ts";
import type { RunSamples } from "../../../sdk/logs/run-log.ts";
import {
  type LoggedRow,
  scoreRows,
  emptyRun,
  invalidLog,
  type SampleOptions,
  metricValue,
} from "../../../sdk/logs/score-rows.ts";
import { readDatasetScores } from "./read-results.ts";
import { isObject } from "../../../sdk/tables/json-records.ts";

interface OpenCompassOptions extends SampleOptions {
  /** Whether prompts are put into a template of the model's; null where nothing tells. */
  readonly template: boolean | null;
}

/**
 * The scores of one dataset by OpenCompass, of several runs the mean.
 * @param value - results/MODEL/DATASET.json, parsed
 * @param beside - predictions/MODEL/DATASET.json, parsed; null where it isn't there: items are known by number alone
 * @throws AnchorEvalError `invalid_data` naming file and item, `invalid_option` with a list of metrics, `unsupported` for
 * a metric that is only reported of all items together
 */
export function readOpenCompassDetails(value: unknown, beside: Fields | null, options: OpenCompassOptions): RunSamples {
  const { file, task, results, template } = options;
  const { reported, details: counted, failure } = readDatasetScores(value, file);
  if (failure !== null) return emptyRun(task);
  const listed = counted?.listed === true;
  const times = counted && results?.documents && !listed ? counted.count / results.documents.run : 1;
  const items = readItems((value as { details?: unknown }).details, file, times);
  const runs = Math.max(
    1,
    ...items.map(({ fields }) => Math.max(0, ...[...fields.values()].map((values) => values.length))),
  );
  const lacking = beside === null ? 0 : Math.max(0, items.length * runs - Object.keys(beside).length);
  // Run after run: with some lacking, nothing tells where one ends.
  const predictions = lacking > 0 && runs > 1 ? null : beside;
  const asked = Object.keys(predictions ?? {}).length / runs;
  const { scores, share, inferred } = itemScores(items, reported, options.metric);
  const reasons = [...reported.keys(), ...scores.keys()].map(
    (name) => [name, scores.has(name) ? null : "is reported of all items together, and of none by itself"] as const,
  );
  const metric = chooseMetric(new Map(reasons), { file, task, metric: options.metric ?? share ?? undefined });
  const rows = items.flatMap(({ id, fields }, position): LoggedRow[] => {
    // Of a part of the questions the predictions are numbered anew; of items that the evaluator left out, they are not.
    const place = asked === items.length ? position : id;
    const answered = Array.from({ length: runs }, (_, run) => record(predictions?.[place + run * asked]));
    const gold = answered[0]!.gold ?? ["refr", "answer", "references"].flatMap((name) => fields.get(name) ?? [])[0];
    const content = itemContent(answered[0]!, gold, { shots: results?.shots ?? null, template });
    if (content === null && !listed && results && results.documents === null)
      throw invalidLog(
        file,
        `the run asked a part of ${task} (test_range) and numbered it anew, and its prompts don't tell the items from the examples before them: which items these are is not known`,
      );
    const values = scores.get(metric)![position]!;
    const hash = content && contentHash(content);
    const text = content && (content.choices ?? [content.input]).join("\n");
    return Array.from({ length: Math.max(values.length, 1) }, (_, run) => {
      // One value of several runs is their mean: it failed where all of them did.
      const answers = values.length > 1 ? answered.slice(run, run + 1) : answered;
      return {
        ...{ row: id, id, attempt: run + 1, values: new Map([[metric, values[run]]]) },
        failure: attemptFailure(answers.map(({ prediction }) => prediction)),
        ...{ cost: { tokens: answerTokens(answers) }, hash, text },
      };
    });
  });
  const remarks: string[] = [];
  if (beside === null) remarks.push("there are no predictions beside it: which answers failed isn't known");
  if (lacking > 0)
    remarks.push(
      `${lacking} of ${items.length * runs} answers have no predictions beside them: which of them failed isn't known`,
    );
  if (inferred && metric === share)
    remarks.push(
      `the details don't say which answers are right; those that equal the reference are, which gives the ${metric} that OpenCompass reports`,
    );
  const issues = new DataIssues(file, { row: "item" });
  return scoreRows(rows, { metric, filter: "none", issues, remarks, noun: "run", item: "item" }, options);
}

/**
 * Tokens of an answer, as OpenCompass counts them with `dump_res_length`: those asked, and of each of its texts. Of several
 * the mean over those that say it.
 */
function answerTokens(answers: readonly Fields[]): number | null {
  const tokens = answers.flatMap(({ all_input_length: asked, res_length: answered }) =>
    [answered].flat().flatMap((length) => totalOf(asked, length) ?? []),
  );
  return meanScore(tokens.filter((count) => count !== 0 && !Number.isNaN(count)));
}

const LABEL = "label: ";

/**
 * The content of an item, as far as a prediction tells it apart from examples and a model's template: a chat's last turn
 * of the asker, a prompt without either, or the question with each answer that its perplexity was asked of.
 * @returns null where the prompt may hold more than the item
 */
export function itemContent(
  prediction: Fields,
  gold: unknown,
  { shots, template }: { readonly shots: number | null; readonly template: boolean | null },
): ItemContent | null {
  const target = typeof gold === "string" ? gold : gold === undefined ? "" : canonicalJson(gold);
  const { origin_prompt: prompt } = prediction;
  if (Array.isArray(prompt)) {
    const asked: unknown = (prompt as ({ role?: unknown; prompt?: unknown } | null)[]).findLast(
      (message) => message?.role === "HUMAN" || message?.role === "user",
    )?.prompt;
    return typeof asked === "string" ? { input: asked, target } : null;
  }
  if (template !== false || typeof prompt !== "string") return null;
  const choices = Object.entries(prediction).flatMap(([name, entry]) => {
    const input = (entry as { "testing input"?: unknown } | null)?.["testing input"];
    return name.startsWith(LABEL) && typeof input === "string" ? [input] : [];
  });
  if (choices.length > 0) return { input: prompt, choices, target };
  return shots === 0 ? { input: prompt, target } : null;
}

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
 */
function itemScores(
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

/**
 * Reads `details` of questions that were each asked so many times. Where the evaluator made them, they are a list of items, each with a list of values a run; else an
 * object of answers by number, run after run.
 * @throws AnchorEvalError `invalid_data` where there are none, or naming the entry that is broken or there twice
 */
function readItems(details: unknown, file: string, runs: number): ItemDetails[] {
  const issues = new DataIssues(file, { row: "details, entry" });
  const items = Array.isArray(details) ? listedItems(details, issues) : numberedItems(details, runs, issues);
  if (items.length > 0) return items;
  throw invalidLog(
    file,
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

function numberedItems(details: unknown, runs: number, issues: DataIssues): ItemDetails[] {
  if (typeof details !== "object" || details === null) return [];
  const answers = Object.entries(details).filter(([key]) => /^\d+$/.test(key));
  const questions = answers.length / runs;
  if (!Number.isInteger(questions))
    throw invalidLog(
      issues.file,
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
