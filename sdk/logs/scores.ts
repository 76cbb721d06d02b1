import { AnchorEvalError, type Issue } from "../core/errors.ts";
import { scoreScale, type ScaleOptions } from "../tables/score-reader.ts";
import type { MetricValues } from "./choices.ts";
import { contentHash, type ItemContent } from "../core/bundle/digest.ts";
import type { LoggedSample, SampleState, TaskResults } from "./run-log.ts";

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

/** Findings after which reading a file stops. */
const MOST_ISSUES = 20;

/** A metric's value in a log: null for none or NaN, undefined for what is not one number, which is no score. */
export function metricValue(value: unknown): number | null | undefined {
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "boolean") return Number(value);
  return value === null || value === undefined ? null : undefined;
}

/** The hash of an item's content, and the content as a person reads it. */
export function contentFields(content: ItemContent | null): Pick<LoggedSample, "hash" | "text"> {
  if (content === null) return { hash: null, text: null };
  return { hash: contentHash(content), text: [content.input, ...(content.choices ?? [])].join("\n") };
}

/** An item's state: `errored` counts before the score that the harness may have given all the same. */
export function sampleState(errored: boolean, score: number | null): SampleState {
  return errored ? "errored" : score === null ? "unscored" : "scored";
}

/**
 * Maps the scores of single items to [0,1]; of several values their mean.
 * @returns a function of the values and of the item's name in messages; null without values
 * @throws AnchorEvalError `invalid_data`, from that function, for a score outside the scale
 */
export function itemScorer(
  file: string,
  metric: string,
  options: ScaleOptions,
): (values: readonly number[], noun: string, id: string | number) => number | null {
  const scale = scoreScale(options);
  return (values, noun, id) => {
    if (values.length === 0) return null;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const score = scale(mean) + 0; // -0 becomes 0
    if (score >= 0 && score <= 1) return score;
    const message = `${metric} is ${mean}`;
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: ${noun} ${id}: ${message}: for scores that are not in [0,1] give --score-range lo,hi`,
      { issues: [{ path: [file, id, metric], code: "out_of_range", message }] },
    );
  };
}

/** A document of a log that has one row for each. */
export interface LoggedDocument extends Pick<LoggedSample, "hash" | "text" | "cost"> {
  /** Its row, counted from 1. */
  readonly row: number;
  readonly id: number | string;
  readonly values: MetricValues;
  readonly errored: boolean;
}

/**
 * The samples of documents that are there once each.
 * @param duplicate - why a document of this id can't be there again, and the field that says so
 * @throws AnchorEvalError `unsupported` for a metric of which lower is better, without `flip`; `invalid_data` for repeated
 * documents and for scores outside the scale
 */
export function scoreDocuments(
  documents: readonly LoggedDocument[],
  metric: string,
  { task, results, ...options }: SampleOptions,
  issues: RowIssues,
  duplicate: { readonly field: string; message(id: number | string, first: number): string },
): LoggedSample[] {
  if (results?.higherIsBetter.get(metric) === false && options.flip !== true)
    throw new AnchorEvalError(
      "unsupported",
      `${issues.file}: lower is better for ${metric}: give --flip, and its bounds with --score-range`,
    );
  const scale = scoreScale(options);
  const first = new Map<number | string, number>();
  const samples = documents.map(({ row, id, values, errored, cost, hash, text }): LoggedSample => {
    const before = first.get(id);
    if (before !== undefined) issues.add(row, "duplicate", duplicate.message(id, before), duplicate.field);
    first.set(id, row);
    const value = values.get(metric) ?? null;
    const score = value === null ? null : scale(value) + 0; // -0 becomes 0
    if (score !== null && !(score >= 0 && score <= 1))
      issues.add(
        row,
        "out_of_range",
        `${metric} is ${value}: for scores that are not in [0,1] give --score-range lo,hi`,
        metric,
      );
    return { task, doc_id: id, state: sampleState(errored, score), score, ...(cost && { cost }), hash, text };
  });
  issues.refuse();
  return samples;
}

/** Findings in the rows of a log, told together. */
export class RowIssues {
  readonly file: string;
  readonly #noun: string;
  readonly #issues: Issue[] = [];

  /** @param noun - what a row is called: line, row */
  constructor(file: string, noun: string) {
    this.file = file;
    this.#noun = noun;
  }

  /** @throws AnchorEvalError once there are many */
  add(row: number, code: string, message: string, field?: string): void {
    this.#issues.push({ path: [this.file, row, ...(field === undefined ? [] : [field])], code, message });
    if (this.#issues.length >= MOST_ISSUES) this.refuse();
  }

  /** @throws AnchorEvalError `invalid_data` where there were findings */
  refuse(): void {
    const [first] = this.#issues;
    if (!first) return;
    const more = this.#issues.length > 1 ? ` (and ${this.#issues.length - 1} more)` : "";
    throw new AnchorEvalError(
      "invalid_data",
      `${this.file}: ${this.#noun} ${first.path[1]!}: ${first.message}${more}`,
      {
        issues: this.#issues,
      },
    );
  }
}
