import {
  answerPattern,
  estimateScenario,
  gatherItems,
  mapAbility,
  type AbilityPrior,
  type AnchorFactors,
  type AnchorSet,
  type AnswerPattern,
  type ScenarioEstimate,
} from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/**
 * Estimates of one model in every scenario of a bank from its answers to the anchors, by the code that serves;
 * blended afterwards, when what blends them is known.
 * @param sets - one anchor set a scenario, with its factors, and the sources' lowest score
 * @returns null for a scenario where the model answered none of the anchors
 */
export function estimateTarget(
  task: BankTask,
  row: number,
  trained: TrainedBank,
  prior: AbilityPrior,
  sets: readonly { readonly anchors: AnchorSet; readonly factors: AnchorFactors; readonly worst: number }[],
): ((ScenarioEstimate & { readonly pattern: AnswerPattern }) | null)[] {
  const parts = trained.scenarios.map(({ bank, slice }, s) => ({
    bank,
    items: sets[s]!.anchors.items,
    scores: Float64Array.from(sets[s]!.anchors.items, (item) => scoreAt(task.matrix, row, slice.begin + item)),
  }));
  const gathered = gatherItems(parts);
  if (gathered === null) return parts.map(() => null);
  const ability = mapAbility(gathered.bank, gathered, prior);
  return trained.scenarios.map(({ bank, slice, scoreMap }, s) => {
    const model = { bank, weights: slice.weights, scoreMap, ...sets[s]! };
    const estimate = estimateScenario(model, parts[s]!.scores, ability);
    return estimate && { ...estimate, pattern: answerPattern(bank, ability, estimate.sample, sets[s]!.worst) };
  });
}
