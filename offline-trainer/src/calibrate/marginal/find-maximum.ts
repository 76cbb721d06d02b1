import { ascend, type AscentResult, type AscentStep } from "./ascend.ts";
import type { Curves } from "./curves.ts";
import type { PosteriorBounds } from "./expectation.ts";
import { fitGrid, gridFits } from "./fit-grid.ts";
import { itemMaximizer } from "./item-maximum.ts";
import { unpack, type Layout } from "./layout.ts";
import { marginalObjective, type MarginalObjective } from "./objective.ts";
import type { WeakPrior } from "./priors.ts";
import type { Problem } from "./problem.ts";

/** Grids that are laid at most before a search counts as not converged. */
const MOST_GRIDS = 10;

export interface Maximum extends AscentResult {
  /** On the last grid, evaluated at x. */
  readonly objective: MarginalObjective;
}

/**
 * Climbs from x to a maximum, on a grid that is laid anew until it fits what was found on it.
 * @param curves - written over
 * @param x - start; overwritten with the maximum
 */
export function* findMaximum(
  problem: Problem,
  layout: Layout,
  priors: readonly WeakPrior[],
  curves: Curves,
  x: Float64Array,
  maxIterations: number,
  tolerance: number,
): Generator<AscentStep & { readonly points: number }, Maximum> {
  unpack(x, problem, layout, curves);
  let bounds: PosteriorBounds | undefined;
  let iterations = 0;
  let evaluations = 0;
  for (let grids = 1; ; grids++) {
    const laid = fitGrid(problem, curves, bounds);
    const points = laid.grid.points.length;
    const objective = marginalObjective(problem, layout, priors, curves, laid.grid, laid.bounds);
    const { expectation } = objective;
    const climb = ascend(objective, x, {
      maxIterations: maxIterations - iterations,
      tolerance,
      maximizeItem: layout.perItem > 2 ? itemMaximizer(problem, expectation, priors, layout.perItem) : null,
    });
    let step = climb.next();
    for (; !step.done; step = climb.next())
      yield { ...step.value, iteration: iterations + step.value.iteration, points };
    iterations += step.value.iteration;
    evaluations += step.value.evaluations;
    bounds = expectation.bounds;
    const fits = gridFits(problem, curves, expectation);
    if (fits || grids === MOST_GRIDS || iterations >= maxIterations)
      return { ...step.value, iteration: iterations, evaluations, converged: step.value.converged && fits, objective };
  }
}
