import {
  estimateScenario,
  gatherItems,
  mapAbility,
  type AbilityPrior,
  type AnchorFactors,
  type AnchorSet,
  type ScenarioEstimate,
} from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/**
 * Estimates of one model in every scenario of a bank from its answers to the anchors, by the code that serves;
 * blended afterwards, when what blends them is known.
 * @param sets - one anchor set a scenario, with its factors
 * @returns null for a scenario where the model answered none of the anchors
 */
export function estimateTarget(
  task: BankTask,
  row: number,
  trained: TrainedBank,
  prior: AbilityPrior,
  sets: readonly { readonly anchors: AnchorSet; readonly factors: AnchorFactors }[],
): (ScenarioEstimate | null)[] {
  const parts = trained.scenarios.map(({ bank, slice }, s) => ({
    bank,
    items: sets[s]!.anchors.items,
    scores: Float64Array.from(sets[s]!.anchors.items, (item) => scoreAt(task.matrix, row, slice.begin + item)),
  }));
  const gathered = gatherItems(parts);
  if (gathered === null) return parts.map(() => null);
  const ability = mapAbility(gathered.bank, gathered, prior);
  return trained.scenarios.map(({ bank, slice, scoreMap }, s) =>
    estimateScenario({ bank, weights: slice.weights, scoreMap, ...sets[s]! }, parts[s]!.scores, ability),
  );
}
