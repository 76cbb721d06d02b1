import { createRandom } from "anchoreval/internal/core/numeric/random";
import { startingPoint } from "../../../../../features/marginal/fit/calibrate-marginal.ts";
import { fitGrid } from "../../../../../features/marginal/fit/fit-grid.ts";
import { marginalObjective, type MarginalObjective } from "../../../../../features/marginal/fit/ascend.ts";
import { curvesAt, type MarginalModel, prepareProblem } from "../../../../../features/marginal/fit/problem.ts";
import type { CodedResponses } from "../../../../../offline-trainer/src/matrix/code-responses.ts";

/** An objective at a random point x, its grid laid for that. */
export function smallObjective(
  responses: CodedResponses,
  model: MarginalModel,
): { readonly objective: MarginalObjective; readonly x: Float64Array } {
  const problem = prepareProblem(responses, model);
  const random = createRandom("a point");
  const x = startingPoint(problem);
  x.forEach((value, k) => {
    const isSlope = k === problem.slope || (model !== "1pl" && k % problem.perItem === 0);
    x[k] = isSlope ? Math.exp(0.4 * random.normal()) : value + random.normal();
  });
  const curves = curvesAt(x, problem);
  return { objective: marginalObjective(problem, curves, fitGrid(problem, curves)), x };
}
