import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { AnchorFactors } from "anchoreval/internal/core/estimators/types";
import type { ScenarioModel } from "anchoreval/internal/core/scoring/scenario-estimate";
import { answerFactors, sourceAnswers, totalFactors } from "../calibrate/factors.ts";
import type { Bank } from "../calibrate/bank.ts";
import type { ScenarioGroup } from "../matrix/benchmark.ts";

/** A group, calibrated. */
interface PartGroup {
  readonly group: Pick<ScenarioGroup, "matrix">;
  readonly bank: Bank;
  /** Of all items, by scenario. */
  readonly factors: readonly AnchorFactors[];
}

/**
 * A scenario as one that has but the items that a model answered, with the anchors among them: there it has a full score,
 * S = Σwy over these items, without any error, and the same estimators err by what they err by on as large a scenario of
 * as many anchors. Masses are those of the answered anchors, an item outside the part leaving its anchor's to its
 * neighbours; π stays, since items and anchors are cut alike.
 * @param s - position of the scenario in it
 * @param scores - of the model, aligned with the anchors; NaN = no answer
 * @param weights - of all items, summing to 1, 0 of those outside the part
 * @returns null where no anchor was answered
 */
export function scenarioPart<Scenario extends ScenarioModel>(
  scenario: Scenario,
  { group, bank, factors }: PartGroup,
  s: number,
  scores: Float64Array,
  weights: Float64Array,
): { readonly scenario: Scenario; readonly scores: Float64Array } | null {
  const { anchors } = scenario;
  const sample = answeredSample(anchors, scores);
  if (sample === null) return null;
  const { items, positions, mass } = sample;
  const inclusion = anchors.inclusion && Float64Array.from(positions, (at) => anchors.inclusion![at]!);
  const { slice, accuracy } = bank.scenarios[s]!;
  const answers = sourceAnswers(group.matrix, bank.rows, { slice: { ...slice, weights }, accuracy });
  return {
    scenario: {
      ...scenario,
      weights,
      anchors: { items, mass, inclusion },
      factors: { ...anchorFactors(factors[s]!, items), total: totalFactors(factors[s]!, weights) },
      answerFactors: answerFactors(answers, items),
    },
    scores: sample.scores,
  };
}
