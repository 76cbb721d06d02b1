import type { BundleScenario } from "../core/bundle/bundle.ts";
import type { ScenarioModel } from "../core/estimate/scenario-estimate.ts";
import { ownFactorSolver, wholeRegressions } from "./form-solvers.ts";

/**
 * A scenario of a bundle with one form, ready for estimates.
 * @param scores - aligned with the form's anchors; NaN = no answer
 */
export function scenarioModel(
  { bank, weights, scoreMap, forms }: BundleScenario,
  form: string,
  scores: Float64Array,
): ScenarioModel {
  const own = forms.get(form)!;
  const model = { bank, weights, scoreMap, ...own, factorSolver: ownFactorSolver(own) };
  return scores.includes(NaN) ? model : { ...model, regressions: wholeRegressions(own, weights) };
}
