import type { Curves } from "../../../../offline-trainer/src/calibrate/marginal/curves.ts";
import { fitGrid } from "../../../../offline-trainer/src/calibrate/marginal/fit-grid.ts";
import { parameterLayout, unpack } from "../../../../offline-trainer/src/calibrate/marginal/layout.ts";
import {
  marginalObjective,
  type MarginalObjective,
} from "../../../../offline-trainer/src/calibrate/marginal/objective.ts";
import { DEFAULT_PRIORS, type WeakPrior } from "../../../../offline-trainer/src/calibrate/marginal/priors.ts";
import { prepareProblem, type Problem } from "../../../../offline-trainer/src/calibrate/marginal/problem.ts";
import { startingPoint } from "../../../../offline-trainer/src/calibrate/marginal/starting-point.ts";
import type { FixedItems, MarginalModel } from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import type { CodedResponses } from "../../../../offline-trainer/src/calibrate/types.ts";
import { createRandom } from "anchoreval/core";

export const PRIORS: readonly WeakPrior[] = [
  { mean: 0, ...DEFAULT_PRIORS.a },
  DEFAULT_PRIORS.b,
  DEFAULT_PRIORS.lower,
  DEFAULT_PRIORS.upper,
];

/** An objective at a random point x, its grid laid for that. */
export function smallObjective(
  responses: CodedResponses,
  model: MarginalModel,
  {
    modelWeights = new Float64Array(responses.subjects).fill(1),
    itemWeights = new Float64Array(responses.items).fill(1),
    fixed,
  }: { readonly modelWeights?: Float64Array; readonly itemWeights?: Float64Array; readonly fixed?: FixedItems } = {},
): { readonly problem: Problem; readonly objective: MarginalObjective; readonly x: Float64Array } {
  const problem = prepareProblem(responses, model, modelWeights, itemWeights, fixed);
  const layout = parameterLayout(problem, fixed !== undefined);
  const x = startingPoint(problem, layout, PRIORS, createRandom("a point"));
  if (layout.population >= 0) x.set([0.4, 0.2], layout.population);
  const zeros = (): Float64Array => new Float64Array(responses.items);
  const curves: Curves = { a: zeros(), b: zeros(), g: zeros(), k: zeros(), mean: 0, sd: 1 };
  if (fixed)
    for (let n = 0; n < fixed.bank.count; n++) {
      curves.a[fixed.items[n]!] = fixed.bank.a[n]!;
      curves.b[fixed.items[n]!] = fixed.bank.b[n]!;
    }
  unpack(x, problem, layout, curves);
  const { grid, bounds } = fitGrid(problem, curves);
  return { problem, objective: marginalObjective(problem, layout, PRIORS, curves, grid, bounds), x };
}
