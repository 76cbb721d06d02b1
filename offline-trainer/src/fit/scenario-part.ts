import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { AnchorFactors } from "anchoreval/internal/core/estimators/types";
import type { ScenarioModel } from "anchoreval/internal/core/scoring/scenario-estimate";
import { answerFactors, type SourceAnswers, sourceAnswers, totalFactors } from "../calibrate/factors.ts";
import type { CalibratedScenario } from "../calibrate/bank.ts";
import type { Scenario } from "../matrix/benchmark.ts";

/** The scenario as it was learned. */
interface WholeScenario {
  readonly scenario: Pick<Scenario, "matrix">;
  readonly trained: Pick<CalibratedScenario, "rows" | "accuracy">;
  /** Of all items. */
  readonly factors: AnchorFactors;
}

/**
 * A scenario as one that has but the items that a model answered, with the anchors among them: there it has a full score,
 * S = Σwy over these items, without any error, and the same estimators err by what they err by on as large a scenario of
 * as many anchors. Masses are those of the answered anchors, an item outside the part leaving its anchor's to its
 * neighbours; π stays, since items and anchors are cut alike. What the part's weights alone decide is computed once for
 * all forms.
 * @returns gives the part of a form's scenario by the scores of the model, aligned with the anchors (NaN = no answer), and the
 *   weights of all items, summing to 1, 0 of those outside the part; null where no anchor was answered
 */
export function scenarioParts({ scenario: { matrix }, trained: { rows, accuracy }, factors }: WholeScenario) {
  const byWeights = new WeakMap<Float64Array, { answers: SourceAnswers; total: AnchorFactors["total"] }>();
  const decided = (weights: Float64Array) => {
    const before = byWeights.get(weights);
    if (before) return before;
    const part = {
      answers: sourceAnswers(matrix, rows, { weights, accuracy }),
      total: totalFactors(factors, weights),
    };
    byWeights.set(weights, part);
    return part;
  };
  return <Scored extends ScenarioModel>(
    scored: Scored,
    scores: Float64Array,
    weights: Float64Array,
  ): { readonly scenario: Scored; readonly scores: Float64Array } | null => {
    const { anchors } = scored;
    const sample = answeredSample(anchors, scores);
    if (sample === null) return null;
    const { items, positions, mass } = sample;
    const inclusion = anchors.inclusion && Float64Array.from(positions, (at) => anchors.inclusion![at]!);
    const { answers, total } = decided(weights);
    return {
      scenario: {
        ...scored,
        weights,
        anchors: { items, mass, inclusion },
        factors: { ...anchorFactors(factors, items), total },
        answerFactors: answerFactors(answers, items),
      },
      scores: sample.scores,
    };
  };
}
