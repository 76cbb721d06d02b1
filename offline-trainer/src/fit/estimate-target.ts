import {
  estimateScenario,
  gatherItems,
  mapAbility,
  type AbilityPrior,
  type AnchorSet,
  type ScenarioEstimate,
} from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/**
 * Estimates of one model in every scenario of a bank from its answers to the anchors, by the code that serves. λ isn't
 * known yet: gp-irt is blended afterwards, and stands as p-irt here.
 * @param sets - one anchor set a scenario
 * @returns null for a scenario where the model answered none of the anchors
 */
export function estimateTarget(
  task: BankTask,
  row: number,
  trained: TrainedBank,
  prior: AbilityPrior,
  sets: readonly AnchorSet[],
): (ScenarioEstimate | null)[] {
  const parts = trained.scenarios.map(({ bank, slice }, s) => ({
    bank,
    items: sets[s]!.items,
    scores: Float64Array.from(sets[s]!.items, (item) => scoreAt(task.matrix, row, slice.begin + item)),
  }));
  const gathered = gatherItems(parts);
  if (gathered === null) return parts.map(() => null);
  const ability = mapAbility(gathered.bank, gathered, prior);
  return trained.scenarios.map(({ bank, slice, scoreMap }, s) =>
    estimateScenario(
      { bank, weights: slice.weights, scoreMap, anchors: sets[s]!, lambda: 0 },
      parts[s]!.scores,
      ability,
    ),
  );
}
