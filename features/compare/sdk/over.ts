import { type Bundle, formItemIds } from "../../../sdk/core/bundle/bundle.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import type { TrialSummary } from "../../../sdk/tables/item-trials.ts";
import type { commonAnswers } from "./common-answers.ts";
import type { Over } from "./types.ts";

const OVER: readonly Over[] = ["runs", "tasks", "these-answers"];

/** Share of a model's answers that must have been tried twice or more for its trials to tell what a run is worth. */
const LEAST_TRIED_SHARE = 0.5;

/** An item that was asked once. */
const ONCE: TrialSummary = { count: 1, mean: NaN, variance: NaN };

/** That which differences are said of, and over runs the trials of every item by model. */
interface ChosenOver {
  readonly over: Over;
  /** By model; null where they aren't needed. */
  readonly trials: readonly (ReadonlyMap<string, TrialSummary> | null)[];
}

/**
 * Finds that which differences of several models are said of: what was asked for, else runs where a model's trials tell of them, else tasks.
 * @throws AnchorEvalError `invalid_option` for another word, and for runs of models whose items were tried once
 */
export function chooseOver(
  bundle: Bundle,
  { form, scores, summaries }: Pick<ReturnType<typeof commonAnswers>, "form" | "scores" | "summaries">,
  asked: Over | undefined,
): ChosenOver {
  if (asked !== undefined && !OVER.includes(asked))
    throw invalidOption(`over must be runs, tasks or these-answers, got ${asked}`);
  const ids = new Map([...bundle.scenarios].map(([id, scenario]) => [id, formItemIds(scenario, form)]));
  const tells = summaries.some((tried, k) => {
    const counted = [...scores[k]!].flatMap(([id, marks]) => ids.get(id)!.filter((_, j) => !Number.isNaN(marks[j]!)));
    const several = counted.filter((id) => (tried.get(id)?.count ?? 1) > 1);
    return several.length >= LEAST_TRIED_SHARE * counted.length;
  });
  const over = asked ?? (tells ? "runs" : "tasks");
  if (over !== "runs") return { over, trials: summaries.map(() => null) };
  if (!tells)
    throw invalidOption(
      "over runs needs what differs between runs of a model: give several trials of half of its items or more, as lists or counts, or ask over tasks",
    );
  const all = [...ids.values()].flat();
  return { over, trials: summaries.map((tried) => new Map(all.map((id) => [id, tried.get(id) ?? ONCE]))) };
}
