import { AnchorEvalError } from "../core/errors.ts";
import { contentHash, type ItemContent } from "../core/bundle/digest.ts";
import { type ScaleOptions, isLowerBetter, isUnitScale, scoreScale } from "../tables/score-reader.ts";
import type { MetricValue, MetricValues } from "./choices.ts";
import type { LoggedSample, RunSamples, TaskResults } from "./run-log.ts";
import { scoreOnScale } from "../core/numeric/score-bounds.ts";
import { type DataIssues, quoted } from "../tables/data-issues.ts";
import { counted } from "../words/figures.ts";
import { type Attempt, tally } from "./attempts.ts";
import { attemptCost, type LoggedCost } from "./cost.ts";

export interface SampleOptions extends ScaleOptions {
  /** Names the file in messages. */
  readonly file: string;
  readonly task: string;
  /**
   * The metric that is the score; needed where a log has several, and nothing tells which. For lm-eval `METRIC,FILTER` names
   * both, as results files do; for Inspect `SCORER/VALUE` names one of a scorer's values.
   */
  readonly metric?: string | undefined;
  /** The filter whose answers are scored; needed where the log has several. */
  readonly filter?: string | undefined;
  /** A field of lm-eval's documents whose value names them. @default their numbers do */
  readonly idField?: string | undefined;
  /** The task in the run's results. */
  readonly results?: TaskResults | undefined;
}

/** The error for a log that isn't what it should be. */
export function invalidLog(file: string, message: string, cause?: unknown): AnchorEvalError {
  return new AnchorEvalError("invalid_data", `${file}: ${message}`, { cause });
}

/** A run of which the log has no sample. */
export function emptyRun(task: string): RunSamples {
  return { task, metric: "", filter: "", samples: [], remarks: [] };
}

/**
 * A metric's value in a log: a number or a truth, null for none or NaN, undefined for a list or an object, which isn't one
 * score. Text stays what it is: no score, unless the harness has a meaning for it.
 */
export function metricValue(value: unknown): MetricValue {
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "boolean" || typeof value === "string") return value;
  return value === null || value === undefined ? null : undefined;
}

/** The hash of an item's content, and the content as a person reads it. */
export function contentFields(content: ItemContent | null): Pick<LoggedSample, "hash" | "text"> {
  if (content === null) return { hash: null, text: null };
  return { hash: contentHash(content), text: [content.input, ...(content.choices ?? [])].join("\n") };
}

/** An attempt at an item as a log has it. */
export interface LoggedRow extends Pick<LoggedSample, "hash" | "text"> {
  /** Where it stands in the log, for messages. */
  readonly row: number | string;
  readonly id: number | string;
  /** Which of the item's attempts it is, an epoch or a trial; rows of one item and attempt are there once. @default its only one */
  readonly attempt?: number | string;
  readonly values: MetricValues;
  /** Why no answer came back; null where one did. */
  readonly failure: string | null;
  readonly cost?: LoggedCost;
}

/** How rows become scores. */
interface Scoring extends Pick<RunSamples, "metric" | "filter"> {
  readonly issues: DataIssues;
  /** Remarks of the reader's. */
  readonly remarks?: readonly string[];
  /** The harness's word for an attempt: epoch, trial, run. */
  readonly noun?: string;
  /** Its word for an item: sample, document. */
  readonly item?: string;
  /** Why an item can't be there again, where its harness has a reason. */
  readonly duplicate?: string | undefined;
}

/**
 * The samples of a run: rows of one item are its attempts. One rule for all harnesses, of what is a score, of what an item is
 * called and of what it is: names are compared in Unicode's NFC and as text, and rows of one name have one content.
 * @throws AnchorEvalError `unsupported` for a metric of which lower is better, or that the log has on another scale than
 * [0,1], without a range that says so; `invalid_data` for scores
 * outside the scale, where text that is no score is all there is, and for rows of one name that aren't of one item
 */
export function scoreRows(
  rows: readonly LoggedRow[],
  { metric, filter, issues, remarks = [], noun = "attempt", item = "sample", duplicate }: Scoring,
  { task, results, ...options }: SampleOptions,
): RunSamples {
  const { file } = issues;
  refuseScale(metric, file, { results, ...options });
  const scale = scoreScale(options);
  const words = new Map<string, number>();
  const scoreOf = ({ row, values }: LoggedRow): number | null => {
    const logged = values.has(metric) ? values.get(metric) : null;
    const value = typeof logged === "boolean" && isUnitScale(options) ? Number(logged) : logged;
    if (value === null) return null;
    if (typeof value !== "number") {
      const word = value === undefined ? SEVERAL : String(value);
      words.set(word, (words.get(word) ?? 0) + 1);
      return null;
    }
    const score = scoreOnScale(scale(value));
    if (!Number.isNaN(score)) return score;
    issues.add(
      { row, column: metric },
      "out_of_range",
      `${metric} is ${value}: for scores that are not in [0,1] give \`scoreRange\` worst,best`,
    );
    return null;
  };
  const samples = [...groupRows(rows, { issues, noun, item, duplicate })].map(([name, same]): LoggedSample => {
    const { id, hash, text } = same[0]!;
    const attempts = same.map((row): Attempt => {
      const { failure, cost = {} } = row;
      return { score: scoreOf(row), ...(failure !== null && { failure }), ...attemptCost(cost, file, item, id) };
    });
    return { task, doc_id: typeof id === "number" ? id : name, attempts, hash, text };
  });
  issues.refuse();
  const times = samples.map(({ attempts }) => attempts.length);
  const several = times.reduce((most, count) => Math.max(most, count), 1);
  const upTo = times.every((count) => count === several) ? "" : "up to ";
  const unread = wordsRemark(metric, words, options);
  if (unread !== null && samples.every(({ attempts }) => attempts.every(({ score }) => score === null)))
    throw new AnchorEvalError("invalid_data", `${file}: there is no score: ${unread}`, {
      issues: Array.from(words.keys(), (word) => ({
        path: [file, metric],
        code: "not_a_number",
        message: `${quoted(word)} is no score`,
      })),
    });
  const made = [
    ...(several > 1 ? [`scores are means over ${upTo}${several} ${noun}s`] : []),
    ...remarks,
    ...(unread === null ? [] : [`${unread}; they count as missing`]),
  ];
  return { task, metric, filter, samples, remarks: made };
}

/** A metric's scale that the log says has to be said by the options: nothing is turned over or stretched unasked. */
function refuseScale(
  metric: string,
  file: string,
  { results, ...scale }: Pick<SampleOptions, "results" | "scoreRange">,
): void {
  const refuse = (words: string): never => {
    throw new AnchorEvalError("unsupported", `${file}: ${words}`);
  };
  const bounds = results?.bounds?.get(metric);
  if (results?.higherIsBetter.get(metric) === false && !isLowerBetter(scale))
    refuse(
      `lower is better for ${metric}: give \`scoreRange\` worst,best, such as ${bounds ? [...bounds].reverse().join(",") : "1,0"}`,
    );
  if (bounds !== undefined && scale.scoreRange === undefined && !isUnitScale({ scoreRange: bounds }))
    refuse(
      `the log says that ${metric} is on a scale of ${bounds.join(" to ")}: give \`scoreRange\` ${bounds.join(",")}, or 0,1 where its samples' scores are shares all the same`,
    );
}

/** A number that a log has as text, as harnesses have it; other names as they are. @example documentId("07") // "07" */
export function documentId(id: string): number | string {
  return /^(?:0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id;
}

/** The rows of each item, items in the order of the log. */
function groupRows(
  rows: readonly LoggedRow[],
  { issues, noun, item, duplicate }: Pick<Scoring, "issues" | "duplicate"> & { noun: string; item: string },
): Map<string, LoggedRow[]> {
  const items = new Map<string, LoggedRow[]>();
  for (const row of rows) {
    const id = typeof row.id === "number" ? String(row.id) : row.id.normalize("NFC");
    const same = items.get(id);
    if (same === undefined) {
      items.set(id, [row]);
      continue;
    }
    const first = same[0]!;
    const again = same.find(({ attempt }) => attempt === row.attempt);
    if (typeof first.id !== typeof row.id)
      issues.add(
        { row: row.row, column: "id" },
        "duplicate",
        `the number ${id} and the text ${quoted(id)} are ids of two samples, and would be one item: rename one of them`,
      );
    else if (again)
      issues.add(
        { row: row.row, column: row.attempt === undefined ? "id" : noun },
        "duplicate",
        row.attempt === undefined
          ? `${item} ${id} is there twice, first in ${issues.rowName(again.row)}${duplicate === undefined ? "" : `: ${duplicate}`}`
          : `${noun} ${row.attempt} is there twice`,
      );
    else if (first.hash !== null && row.hash !== null && first.hash !== row.hash)
      issues.add(
        { row: row.row, column: "id" },
        "other_content",
        `${quoted(id)} is also the id of other content, first in ${issues.rowName(first.row)}: two items need two ids`,
      );
    same.push(row);
  }
  return items;
}

/** Stands in a list of words for a value that isn't one. */
const SEVERAL = "a list or an object";

/** Text that stands where scores do, with its counts; null where there is none. */
function wordsRemark(metric: string, words: ReadonlyMap<string, number>, options: ScaleOptions): string | null {
  if (words.size === 0) return null;
  const total = [...words.values()].reduce((sum, count) => sum + count, 0);
  const scale = isUnitScale(options) ? "" : ` on a scale of ${options.scoreRange!.join(" to ")}`;
  return `${counted(total, "value")} of ${metric} ${total === 1 ? "is" : "are"} no score${scale}: ${tally(words, 5)}`;
}
