import type { BundleForm } from "../core/bundle/bundle.ts";
import { answerRegressions, type AnswerRegressions } from "../core/estimators/answer-regressions.ts";
import { answeredSample } from "../core/estimators/answered-sample.ts";
import { factorSolver, type FactorSolver } from "../core/estimators/factor-solver.ts";

// What follows from a form's anchors alone is solved when it is first asked for, and kept as long as the bundle.
const alone = new WeakMap<BundleForm, FactorSolver>();
const together = new WeakMap<BundleForm, FactorSolver>();
const regressions = new WeakMap<BundleForm, AnswerRegressions>();

/** Of one scenario's anchors. */
export function ownFactorSolver(form: BundleForm): FactorSolver {
  return remembered(alone, form, () => factorSolver([form.factors]));
}

/** Of one form's anchors in all scenarios of a bundle, in the bundle's order. */
export function jointFactorSolver(scenarios: readonly BundleForm[]): FactorSolver {
  return remembered(together, scenarios[0]!, () => factorSolver(scenarios.map(({ factors }) => factors)));
}

/** Of anchors that were all answered. */
export function wholeRegressions(form: BundleForm, weights: Float64Array): AnswerRegressions {
  return remembered(regressions, form, () => {
    const all = new Float64Array(form.anchors.items.length);
    return answerRegressions(form.answerFactors, weights, answeredSample(form.anchors, all)!); // each has anchors
  });
}

function remembered<T>(known: WeakMap<BundleForm, T>, form: BundleForm, solve: () => T): T {
  const old = known.get(form);
  if (old !== undefined) return old;
  const value = solve();
  known.set(form, value);
  return value;
}
