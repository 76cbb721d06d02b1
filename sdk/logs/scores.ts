import { AnchorEvalError } from "../core/errors.ts";
import { contentHash, type ItemContent } from "../core/bundle/digest.ts";
import type { ScaleOptions } from "../tables/score-reader.ts";
import type { MetricValue } from "./choices.ts";
import type { LoggedSample, RunSamples, TaskResults } from "./run-log.ts";

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
