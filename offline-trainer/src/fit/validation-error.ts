import { gatherItems, mapAbility, predictedScores, scaledPrior } from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/** k of the prior while fits are compared: half of all items are answered, so it hardly matters. */
const VALIDATION_PRIOR_SCALE = 2;

/**
 * How well a bank predicts models that it was not fitted on: abilities from the even items, then the mean over scenarios
 * of the mean over models of the weighted mean prediction's absolute error on the odd items.
 * @param held - rows of the held-out models
 * @returns a fraction; Infinity where no model can be compared
 */
export function validationError(task: BankTask, held: readonly number[], trained: TrainedBank): number {
  const prior = scaledPrior(trained.abilities.mean, trained.abilities.covariance, VALIDATION_PRIOR_SCALE);
  const gaps = trained.scenarios.map((): number[] => []);
  for (const model of held) {
    const even = trained.scenarios.map(({ slice, bank }) => {
      const items = Array.from({ length: Math.ceil(bank.count / 2) }, (_, k) => 2 * k);
      return { bank, items, scores: items.map((i) => scoreAt(task.matrix, model, slice.begin + i)) };
    });
    const gathered = gatherItems(even);
    if (gathered === null) continue;
    const { theta } = mapAbility(gathered.bank, gathered, prior);
    trained.scenarios.forEach(({ slice, bank, scoreMap }, s) => {
      const predicted = predictedScores(theta, bank, scoreMap);
      let gap = 0;
      let mass = 0;
      for (let i = 1; i < bank.count; i += 2) {
        const score = scoreAt(task.matrix, model, slice.begin + i);
        if (Number.isNaN(score)) continue;
        gap += slice.weights[i]! * (predicted[i]! - score);
        mass += slice.weights[i]!;
      }
      if (mass > 0) gaps[s]!.push(Math.abs(gap / mass));
    });
  }
  const means = gaps.filter((own) => own.length > 0).map((own) => own.reduce((sum, gap) => sum + gap, 0) / own.length);
  return means.length > 0 ? means.reduce((sum, error) => sum + error, 0) / means.length : Infinity;
}
