import type { BundleForm, BundleScenario } from "../core/bundle/bundle.ts";
import type { ScenarioModel } from "../core/estimate/scenario-estimate.ts";
import { answerRegressions, type AnswerRegressions } from "../core/estimators/answer-regressions.ts";
import { answeredSample } from "../core/estimators/answered-sample.ts";

/** Of the forms that were answered whole before. */
const whole = new WeakMap<BundleForm, AnswerRegressions>();

/**
 * A scenario of a bundle with one form, ready for estimates. What follows from the form alone is solved once, for all
 * models that answer it whole.
 * @param scores - aligned with the form's anchors; NaN = no answer
 */
export function scenarioModel(
  { bank, weights, scoreMap, forms }: BundleScenario,
  form: string,
  scores: Float64Array,
): ScenarioModel {
  const own = forms.get(form)!;
  const model = { bank, weights, scoreMap, ...own };
  if (scores.includes(NaN)) return model;
  let regressions = whole.get(own);
  if (regressions === undefined) {
    regressions = answerRegressions(own.answerFactors, weights, answeredSample(own.anchors, scores)!); // each has anchors
    whole.set(own, regressions);
  }
  return { ...model, regressions };
}
