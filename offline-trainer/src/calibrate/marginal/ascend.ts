import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { CurvaturePairs, dot } from "../lbfgs.ts";
import { newtonStep, unwhiten, whiten } from "./curvature.ts";
import { type Curves, type Layout, type Problem, unpack } from "./problem.ts";
import type { PosteriorBounds } from "./expectation.ts";
import { fitGrid, gridFits } from "./fit-grid.ts";
import { itemMaximizer } from "./item-derivatives.ts";
import { type MarginalObjective, marginalObjective } from "./objective.ts";
import type { WeakPrior } from "./priors.ts";

interface AscentOptions {
  readonly maxIterations: number;
  /** In nats. */
  readonly tolerance: number;
  /** The M-step of one item, where it is more than a Newton step: its parameters in x are overwritten. */
  readonly maximizeItem: ((free: number, x: Float64Array) => void) | null;
}

interface AscentStep {
  readonly iteration: number;
  readonly logLikelihood: number;
  readonly logPosterior: number;
}

interface AscentResult extends AscentStep {
  readonly gradientNorm: number;
  readonly evaluations: number;
  readonly converged: boolean;
}

const MEMORY = 10;
/** Longest step of any parameter in one iteration. */
const LONGEST = 1;
/** Gain, in nats, that a Newton step must promise for an M-step beyond it to be worth its time. */
const WORTHWHILE = 1;
/** Shortest part of an EM step that is tried. */
const SHORTEST = 1e-4;
/** Share of the expected gain that a step must bring. */
const ARMIJO = 1e-4;
/** Steps along which the objective bends less than this share of yᵀy say nothing of its curvature. */
const LEAST_CURVATURE = 1e-14;
/** Gains below this share of the value are lost in rounding. */
const ROUNDING = 1e-13;

/**
 * Climbs to a maximum of the log posterior, which never falls: each iteration is one of L-BFGS with the complete-data
 * curvature as its first guess and the EM step in place of what that guess makes of the gradient, or, where that doesn't
 * gain enough, the EM step itself. An iteration costs one E-step, or two.
 * @param x - start; overwritten with the maximum. At the end the objective's curves are those of x.
 * @see Jamshidian & Jennrich (1997), Journal of the Royal Statistical Society B 59, 569–587: EM accelerated so
 */
function* ascend(
  objective: MarginalObjective,
  x: Float64Array,
  options: AscentOptions,
): Generator<AscentStep, AscentResult> {
  const { maxIterations, tolerance, maximizeItem } = options;
  const { layout } = objective;
  const { size, perItem } = layout;
  const pairs = new CurvaturePairs(size, MEMORY);
  const vector = (): Float64Array => new Float64Array(size);
  const [direction, em, correction, trial] = [vector(), vector(), vector(), vector()];
  let here = objective.evaluation();
  let there = objective.evaluation();
  let evaluations = 0;
  let small = 0;
  let converged = size === 0;

  const evaluate = (point: Float64Array): void => {
    evaluations++;
    objective.evaluate(point, there);
  };
  const accept = (): void => {
    const pair = pairs.room();
    for (let k = 0; k < size; k++) {
      pair.s[k] = trial[k]! - x[k]!;
      pair.y[k] = here.gradient[k]! - there.gradient[k]!;
    }
    const product = dot(pair.s, pair.y);
    if (product > LEAST_CURVATURE * dot(pair.y, pair.y)) pairs.add(pair, product);
    x.set(trial);
    [here, there] = [there, here];
  };
  const attempt = (along: Float64Array, length: number): boolean => {
    const slope = dot(along, here.gradient);
    if (!(slope > 0)) return false;
    for (let k = 0; k < size; k++) trial[k] = x[k]! + length * along[k]!;
    evaluate(trial);
    return there.logPosterior >= here.logPosterior + ARMIJO * length * slope;
  };

  evaluate(x);
  [here, there] = [there, here];
  if (!Number.isFinite(here.logPosterior))
    throw new AnchorEvalError("numeric_failure", "the marginal likelihood is not finite where the search begins");
  let iteration = 0;
  for (; ; iteration++) {
    yield { iteration, logLikelihood: here.logLikelihood, logPosterior: here.logPosterior };
    if (converged || iteration >= maxIterations) break;
    whiten(here.curvature, layout, here.gradient, em);
    unwhiten(here.curvature, layout, em, em);
    const mStep = dot(em, here.gradient) > WORTHWHILE ? maximizeItem : null;
    if (mStep) {
      // That was its first Newton step only.
      trial.set(x);
      for (let f = 0; f * perItem < layout.tail; f++) mStep(f, trial);
      for (let k = 0; k < layout.tail; k++) {
        const full = trial[k]! - x[k]!;
        correction[k] = full - em[k]!;
        em[k] = full;
      }
    }
    direction.set(here.gradient);
    const emStep = (v: Float64Array): void => {
      newtonStep(here.curvature, layout, v, trial);
      for (let k = 0; k < size; k++) v[k] = mStep ? trial[k]! + correction[k]! : trial[k]!;
    };
    const gain = 0.5 * pairs.turn(direction, emStep, here.gradient);
    small = Math.abs(gain) < Math.max(tolerance, ROUNDING * Math.abs(here.logPosterior)) ? small + 1 : 0;
    if (small > 1) {
      converged = true;
      break;
    }
    shorten(direction, layout);
    if (attempt(direction, 1) || (!mStep && attempt(direction, 0.25))) {
      accept();
      continue;
    }
    pairs.clear();
    shorten(em, layout);
    let length = 1;
    while (length > SHORTEST && !attempt(em, length)) length *= 0.3;
    if (length > SHORTEST) {
      accept();
      continue;
    }
    // Nothing gains any more than rounding takes.
    converged = small > 0;
    evaluate(x);
    break;
  }
  const { logLikelihood, logPosterior, gradient } = here;
  return {
    iteration,
    logLikelihood,
    logPosterior,
    gradientNorm: Math.sqrt(dot(gradient, gradient)),
    evaluations,
    converged,
  };
}

/**
 * Shortens a direction: all of it, so that items move no more than the longest step in the root mean square, then
 * the part of each item, and each common parameter, to the longest step itself. Items that move together stay together.
 */
function shorten(direction: Float64Array, { tail, perItem, size }: Layout): void {
  let squares = 0;
  for (let k = 0; k < tail; k++) squares += direction[k]! ** 2;
  const typical = tail === 0 ? 0 : Math.sqrt((squares * perItem) / tail);
  const all = typical > LONGEST ? LONGEST / typical : 1;
  for (let at = 0; at < size; at += at < tail ? perItem : 1) {
    const end = at < tail ? at + perItem : at + 1;
    let longest = 0;
    for (let k = at; k < end; k++) longest = Math.max(longest, all * Math.abs(direction[k]!));
    const factor = longest > LONGEST ? (all * LONGEST) / longest : all;
    for (let k = at; k < end; k++) direction[k] = direction[k]! * factor;
  }
}

/** Grids that are laid at most before a search counts as not converged. */
const MOST_GRIDS = 10;

interface Maximum extends AscentResult {
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
