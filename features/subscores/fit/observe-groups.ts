import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { groupSums, type GroupSums } from "anchoreval/internal/features/subscores/core/group-score";
import type { HeldOutView, Observer } from "../../../offline-trainer/src/fit/observer.ts";
import { scoresOn } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { isWhole } from "../../../offline-trainer/src/matrix/splits.ts";
import { groupsOf, type GroupPlan } from "./groups.ts";

/** The groups of a scenario as the anchors of a model that was held out tell of them, and its true scores on them. */
export interface ObservedGroups {
  readonly whole: GroupSums;
  readonly groups: readonly {
    readonly sums: GroupSums;
    /** Score of all its items, in [0,1]; NaN where the model hasn't answered nearly all. */
    readonly truth: number;
  }[];
  /** Over the items that weren't asked Σ(y−p̂)², and Σp̂(1−p̂). */
  readonly scatter: { readonly squares: number; readonly binomial: number };
}

/** Observes groups in every fold. */
export function groupObserver(plan: GroupPlan): Observer {
  return { source: { module: import.meta.url, name: "observeGroups" }, observe: observeGroups, data: plan };
}

/** Items that the model hasn't answered weigh nothing: the truth is that of the others. */
export function observeGroups(
  { learned, scenario, model, ability, estimate }: HeldOutView,
  plan: GroupPlan,
): ObservedGroups {
  const { bank, scoreMap } = learned.trained;
  const every = Uint32Array.from(scenario.weights, (_, item) => item);
  const scores = scoresOn(scenario, model, every);
  const weights = scenario.weights.map((weight, item) => (Number.isNaN(scores[item]!) ? 0 : weight));
  const predicted = predictedScores(ability.theta, bank, scoreMap);
  const { sample, leverages } = estimate;
  const sumsOf = groupSums({ weights, predicted, items: sample.items, scores: sample.scores, leverages });
  const asked = new Set(sample.items);
  const scatter = { squares: 0, binomial: 0 };
  for (const item of every) {
    if (asked.has(item) || Number.isNaN(scores[item]!)) continue;
    scatter.squares += (scores[item]! - predicted[item]!) ** 2;
    scatter.binomial += predicted[item]! * (1 - predicted[item]!);
  }
  return {
    whole: sumsOf(every),
    groups: groupsOf(plan, learned).map(({ items }) => ({
      sums: sumsOf(items),
      truth: trueScore(scores, scenario.weights, items),
    })),
    scatter,
  };
}

function trueScore(scores: Float64Array, weights: Float64Array, items: Uint32Array): number {
  let [sum, seen, total] = [0, 0, 0];
  for (const item of items) {
    total += weights[item]!;
    if (Number.isNaN(scores[item]!)) continue;
    seen += weights[item]!;
    sum += weights[item]! * scores[item]!;
  }
  return isWhole(seen / total) ? sum / seen : NaN;
}
