import { AnchorEvalError, type Issue } from "../core/errors.ts";
import { scoreScale, type ScaleOptions } from "../tables/score-reader.ts";
import type { MetricValues } from "./choices.ts";
import type { LoggedSample, SampleState, TaskResults } from "./run-log.ts";

/** Findings after which reading a file stops. */
const MOST_ISSUES = 20;

/** A metric's value in a log: null for none or NaN, undefined for what is not one number, which is no score. */
export function metricValue(value: unknown): number | null | undefined {
  if (typeof value === "number") return Number.isNaN(value) ? null : value;
  if (typeof value === "boolean") return Number(value);
  return value === null || value === undefined ? null : undefined;
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
export interface LoggedDocument {
  /** Its row, counted from 1. */
  readonly row: number;
  readonly id: number | string;
  readonly values: MetricValues;
  readonly errored: boolean;
  readonly hash: string | null;
  readonly text: string | null;
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
  { task, results, ...options }: ScaleOptions & { readonly task: string; readonly results?: TaskResults | undefined },
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
  const samples = documents.map(({ row, id, values, errored, hash, text }): LoggedSample => {
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
    return { task, doc_id: id, state: sampleState(errored, score), score, hash, text };
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
