import {
  type Curves,
  parameterLayout,
  prepareProblem,
  unpack,
} from "../../../../offline-trainer/src/calibrate/marginal/problem.ts";
import { fitGrid } from "../../../../offline-trainer/src/calibrate/marginal/fit-grid.ts";
import {
  marginalObjective,
  type MarginalObjective,
} from "../../../../offline-trainer/src/calibrate/marginal/objective.ts";
import { DEFAULT_PRIORS, type WeakPrior } from "../../../../offline-trainer/src/calibrate/marginal/priors.ts";
import { startingPoint } from "../../../../offline-trainer/src/calibrate/marginal/calibrate-marginal.ts";
import type { MarginalModel } from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import type { CodedResponses } from "../../../../offline-trainer/src/matrix/code-responses.ts";
import { createRandom } from "anchoreval/internal/core/numeric/random";

const PRIORS: readonly WeakPrior[] = [
  { mean: 0, ...DEFAULT_PRIORS.a },
  DEFAULT_PRIORS.b,
  DEFAULT_PRIORS.lower,
  DEFAULT_PRIORS.upper,
];

/** An objective at a random point x, its grid laid for that. */
export function smallObjective(
  responses: CodedResponses,
  model: MarginalModel,
): { readonly objective: MarginalObjective; readonly x: Float64Array } {
  const problem = prepareProblem(responses, model);
  const layout = parameterLayout(problem);
  const random = createRandom("a point");
  const x = startingPoint(problem, layout, PRIORS);
  x.forEach((value, k) => {
    const isSlope = k === layout.slope || (model !== "1pl" && k % layout.perItem === 0);
    x[k] = isSlope ? Math.exp(0.4 * random.normal()) : value + random.normal();
  });
  const zeros = (): Float64Array => new Float64Array(responses.items);
  const curves: Curves = { a: zeros(), b: zeros(), g: zeros(), k: zeros() };
  unpack(x, problem, layout, curves);
  const { grid, bounds } = fitGrid(problem, curves);
  return { objective: marginalObjective(problem, layout, PRIORS, curves, grid, bounds), x };
}
