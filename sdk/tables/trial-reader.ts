import { type ItemTrials, trialProblem } from "./item-trials.ts";
import { jsonKind, quoted } from "./data-issues.ts";
import type { ScoreProblem, ScoreReader } from "./score-reader.ts";

/** The rule that a trial breaks. */
interface TrialRule {
  readonly code: string;
  readonly message: string;
}

/**
 * The trials of one item as JSON has them, a list of scores or counts, on the scale of the reader. A null in a list is a trial
 * without a score.
 */
export function readTrials(value: object, reader: ScoreReader): ItemTrials | ScoreProblem {
  const problem = trialProblem(value);
  if (problem) return problem as ScoreProblem;
  if (!Array.isArray(value)) {
    const { passed, of } = value as { readonly passed: number; readonly of: number };
    const pass = reader.fromJson(true);
    if (typeof pass === "object")
      return { ...pass, message: `counts are of trials that passed or didn't: ${pass.message}` };
    return { passed: pass === 1 ? passed : of - passed, of };
  }
  const scores: (number | null)[] = [];
  for (const [k, one] of (value as unknown[]).entries()) {
    const score = reader.fromJson(one);
    if (typeof score === "object") return { ...score, message: `trial ${k + 1} of ${value.length}: ${score.message}` };
    scores.push(Number.isNaN(score) ? null : score);
  }
  return scores;
}

/** The trials of a table's items, a row a trial, told apart by a column `trial`. */
export class TrialRows {
  readonly #items = new Map<string, Map<string, number | null>>();
  /** Whether rows name their trial, as the first one did. */
  #named: boolean | undefined;

  /** The rule that a row's trial breaks: it isn't there where others have one, or is there twice; null for none. */
  trialProblem(item: string, trial: unknown): TrialRule | null {
    const named = trial !== undefined;
    this.#named ??= named;
    if (this.#named !== named)
      return { code: "missing_trial", message: "some rows name their trial and some don't: all of them do, or none" };
    if (!named) return null;
    if ((typeof trial !== "string" && typeof trial !== "number") || trial === "")
      return {
        code: "missing_trial",
        message: `a trial has a number or a name, got ${trial === "" ? "none" : jsonKind(trial)}`,
      };
    if (!this.#items.get(item)?.has(String(trial))) return null;
    return { code: "duplicate", message: `trial ${String(trial)} of item ${quoted(item)} is there twice` };
  }

  /** Puts down one trial's score; NaN for none. */
  put(item: string, trial: unknown, score: number): void {
    const trials = this.#items.get(item) ?? new Map<string, number | null>();
    trials.set(String(trial), Number.isNaN(score) ? null : score);
    this.#items.set(item, trials);
  }

  /** The items with their trials, in the table's order. */
  get items(): [string, ItemTrials][] {
    return Array.from(this.#items, ([item, trials]) => [item, [...trials.values()]]);
  }
}
