import { AnchorEvalError, type Issue } from "../core/errors.ts";
import { readScore } from "../core/numeric/score-bounds.ts";

/** A score in [0,1], true and false for 1 and 0; null = no answer. */
export type Score = number | boolean | null;

/**
 * Answers of one model: item id → score in [0,1], true and false for 1 and 0, null = no answer. An array holds the scores of a form in the order of
 * its anchors, and needs `formDigest`.
 */
export type Responses = Readonly<Record<string, Score>> | ReadonlyMap<string, Score> | readonly Score[];

/** Answers as JSON has them. */
export type PlainResponses = Exclude<Responses, ReadonlyMap<string, Score>>;

/** Answers of one item over several trials: a score in [0,1] each (null = no answer), or how many passed. */
export type ItemTrials = readonly (number | null)[] | { readonly passed: number; readonly of: number };

/** Trials of one item in figures. */
export interface TrialSummary {
  /** Trials with a score, R. */
  readonly count: number;
  /** Their mean ȳ, in [0,1]; NaN of none. */
  readonly mean: number;
  /** Their unbiased variance Σ(y − ȳ)²/(R − 1), at least 0; NaN of fewer than two. */
  readonly variance: number;
}

/**
 * Number, mean and unbiased variance of an item's trials. A missing trial is left out, and never counts as 0; the order
 * can't matter, and counts say the same as the list of as many ones and zeros.
 * @example summariseTrials([1, 0, null, 1]) // { count: 3, mean: 2/3, variance: 1/3 }
 */
export function summariseTrials(trials: ItemTrials): TrialSummary {
  if ("passed" in trials) {
    const { passed, of } = trials;
    const mean = passed / of;
    return { count: of, mean, variance: of < 2 ? NaN : (passed * (of - passed)) / (of * (of - 1)) };
  }
  const scores = trials.filter((score) => score !== null);
  const count = scores.length;
  const mean = scores.reduce((sum, score) => sum + score, 0) / count;
  const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
  return { count, mean, variance: count < 2 ? NaN : squares / (count - 1) };
}

/** The rule that an item's trials break. */
export interface TrialProblem {
  readonly code: string;
  readonly message: string;
}

/** The rule that trials break as a whole; null where they break none. The scores of a list are checked one by one. */
export function trialProblem(value: unknown): TrialProblem | null {
  if (Array.isArray(value))
    return value.length > 0
      ? null
      : { code: "empty", message: "a list of trials has one score a trial, this has none: leave the item out" };
  const { passed, of, ...others } = value as Readonly<Record<string, unknown>>;
  const isCount = (count: unknown): count is number => typeof count === "number" && Number.isSafeInteger(count);
  if (Object.keys(others).length > 0 || !isCount(passed) || !isCount(of))
    return {
      code: "wrong_type",
      message: 'trials are a list of scores, or counts {"passed": 3, "of": 5}, both whole numbers',
    };
  if (of < 1)
    return {
      code: "out_of_range",
      message: `of counts the trials, at least 1, got ${of}: leave out an item that has none`,
    };
  if (passed < 0 || passed > of)
    return { code: "out_of_range", message: `passed must be from 0 to the ${of} trials that there are, got ${passed}` };
  return null;
}

/** Whether a value is to be read as trials, not as one score: a list, or counts however wrong they are. */
export function isTrials(value: unknown): value is object {
  return typeof value === "object" && value !== null && (Array.isArray(value) || "passed" in value || "of" in value);
}

/** Whether an item has trials in place of a score. */
export function hasTrials(responses: unknown): boolean {
  if (typeof responses !== "object" || responses === null) return false;
  const values: Iterable<unknown> = responses instanceof Map ? responses.values() : Object.values(responses);
  for (const value of values) if (isTrials(value)) return true;
  return false;
}

/** Answers of one model by item id: a score, or the trials of an item; true and false are 1 and 0, null = no answer. */
export type TrialResponses = Readonly<Record<string, Score | ItemTrials>> | ReadonlyMap<string, Score | ItemTrials>;

/**
 * Answers over trials as means by item, and the trials behind them of the items that have a score, in figures and as they
 * are; one score is one trial.
 * Single scores are passed on as they are: they are checked with all others.
 * @throws AnchorEvalError `invalid_answers` with one issue for each that breaks a rule
 */
export function checkedTrials(responses: TrialResponses): {
  readonly means: ReadonlyMap<string, number | null>;
  readonly summaries: ReadonlyMap<string, TrialSummary>;
  readonly trials: ReadonlyMap<string, ItemTrials>;
} {
  if (typeof responses !== "object" || (responses as unknown) === null || Array.isArray(responses))
    throw new AnchorEvalError(
      "invalid_answers",
      "answers over trials are an object or a Map: item id → score or trials",
    );
  const issues: Issue[] = [];
  const means = new Map<string, number | null>();
  const summaries = new Map<string, TrialSummary>();
  const trials = new Map<string, ItemTrials>();
  const entries = responses instanceof Map ? responses : Object.entries(responses);
  for (const [id, value] of entries as Iterable<[string, unknown]>) {
    if (!isTrials(value)) {
      const read = readScore(value);
      means.set(id, typeof read === "number" ? read : (value as number | null));
      if (typeof read !== "number") continue;
      summaries.set(id, { count: 1, mean: read, variance: NaN });
      trials.set(id, [read]);
      continue;
    }
    const scores = readItemTrials(id, value, issues);
    if (!scores) continue;
    const summary = summariseTrials(scores);
    means.set(id, summary.count === 0 ? null : summary.mean);
    if (summary.count === 0) continue;
    summaries.set(id, summary);
    trials.set(id, scores);
  }
  if (issues.length === 0) return { means, summaries, trials };
  const message = `${issues.length} ${issues.length === 1 ? "answer" : "answers"} cannot be scored: ${issues[0]!.message}`;
  throw new AnchorEvalError("invalid_answers", message + (issues.length > 1 ? ", …" : ""), { issues });
}

/** An item's trials with each score as {@link readScore} reads it; null, with the issues noted, where they break a rule. */
function readItemTrials(id: string, value: object, issues: Issue[]): ItemTrials | null {
  const problem = trialProblem(value);
  if (problem) issues.push({ path: ["responses", id], code: problem.code, message: `${id}: ${problem.message}` });
  if (problem) return null;
  if (!Array.isArray(value)) return value as ItemTrials;
  const before = issues.length;
  const scores = (value as unknown[]).map((score, k) => {
    const read = readScore(score);
    if (typeof read !== "object" || read === null) return read;
    const message = `${id}: trial ${k + 1} must be a score in [0,1], or null for none, got ${shown(score)}`;
    issues.push({ path: ["responses", id, k], code: "out_of_range", message });
    return null;
  });
  return issues.length > before ? null : scores;
}

/** A value as messages show it. */
function shown(value: unknown): string {
  return typeof value === "number" ? String(value) : value === undefined ? "none" : `a value of type ${typeof value}`;
}

/** Scores or trials, by item id or in the order of a form. */
export type AnyResponses = Responses | TrialResponses | readonly (number | null | ItemTrials)[];
