import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { dot } from "../../../offline-trainer/src/numeric/vectors.ts";
import { CurvaturePairs } from "../../../offline-trainer/src/calibrate/lbfgs.ts";
import {
  blockStep,
  newtonStep,
  type Curvature,
  itemMaximizer,
  curvedDerivatives,
  factorBlock,
  itemDerivatives,
  straightDerivatives,
} from "./item-derivatives.ts";
import { type PosteriorBounds, expectation } from "./expectation.ts";
import { fitGrid, gridFits, type FittedGrid } from "./fit-grid.ts";
import {
  curvesAt,
  type Problem,
  type Curves,
  unpack,
  priorCurvature,
  PRIORS,
  priorSlope,
  priorValue,
} from "./problem.ts";

export interface MarginalStep {
  /** From 0; 0 is where the search begins. */
  readonly iteration: number;
  /** The value that is maximised. It never falls on one grid. */
  readonly logPosterior: number;
  /** Points of the quadrature: where their number changes, the grid was laid anew. */
  readonly points: number;
}

type OnStep = (step: MarginalStep) => Promise<void>;

/** Correction pairs kept, of the 3 to 20 that Nocedal & Wright (2006), §7.2, advise. */
const MEMORY = 10;
/** Iterations at most, where some 20 evaluations do (docs/decisions/calibration.md). */
const MOST_ITERATIONS = 500;
/** Longest step of any parameter in one iteration. Chosen, not measured. */
const LONGEST = 1;
/**
 * Gain, in nats, that a Newton step must promise for an M-step beyond it to be worth its time. Chosen, not measured.
 */
const WORTHWHILE = 1;
/** Shortest part of an EM step that is tried. Chosen, not measured. */
const SHORTEST = 1e-4;
/** Share of the expected gain that a step must bring. Nocedal & Wright (2006), §3.1. */
const ARMIJO = 1e-4;
/**
 * Steps along which the objective bends less than this share of yᵀy say nothing of its curvature. Chosen, not measured.
 */
const LEAST_CURVATURE = 1e-14;
/** Gains below this share of the value are lost in float64's rounding. */
const ROUNDING = 1e-13;

/**
 * Climbs to a maximum of the log posterior, which never falls: each iteration is one of L-BFGS with the complete-data
 * curvature as its first guess and the EM step in place of what that guess makes of the gradient, or, where that doesn't
 * gain enough, the EM step itself. An iteration costs one E-step, or two.
 * @param x - start; overwritten with the maximum. At the end the objective's curves are those of x.
 * @param before - iterations that are spent already
 * @see Jamshidian & Jennrich (1997), Journal of the Royal Statistical Society B 59, 569–587: EM accelerated so
 */
async function ascend(
  objective: MarginalObjective,
  x: Float64Array,
  before: number,
  tolerance: number,
  onStep: OnStep,
) {
  const { problem, expectation } = objective;
  const { size, perItem, tail } = problem;
  const maximizeItem = perItem > 2 ? itemMaximizer(problem, expectation) : null;
  const vector = (): Float64Array => new Float64Array(size);
  const pairs = new CurvaturePairs(MEMORY, () => ({ s: vector(), y: vector(), rho: 0 }));
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
  let iteration = before;
  for (; ; iteration++) {
    await onStep({ iteration, logPosterior: here.logPosterior, points: expectation.grid.points.length });
    if (converged || iteration >= MOST_ITERATIONS) break;
    blockStep(here.curvature, problem, here.gradient, em);
    const mStep = dot(em, here.gradient) > WORTHWHILE ? maximizeItem : null;
    if (mStep) {
      // That was its first Newton step only.
      trial.set(x);
      for (let f = 0; f * perItem < tail; f++) mStep(f, trial);
      for (let k = 0; k < tail; k++) {
        const full = trial[k]! - x[k]!;
        correction[k] = full - em[k]!;
        em[k] = full;
      }
    }
    direction.set(here.gradient);
    const emStep = (v: Float64Array): void => {
      newtonStep(here.curvature, problem, v, trial);
      for (let k = 0; k < size; k++) v[k] = mStep ? trial[k]! + correction[k]! : trial[k]!;
    };
    const gain = 0.5 * pairs.turn(direction, emStep, here.gradient);
    small = Math.abs(gain) < Math.max(tolerance, ROUNDING * Math.abs(here.logPosterior)) ? small + 1 : 0;
    if (small > 1) {
      converged = true;
      break;
    }
    shorten(direction, problem);
    if (attempt(direction, 1) || (!mStep && attempt(direction, 0.25))) {
      accept();
      continue;
    }
    pairs.clear();
    shorten(em, problem);
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
  return { iteration, evaluations, converged, end: here };
}

/**
 * Shortens a direction: all of it, so that items move no more than the longest step in the root mean square, then
 * the part of each item, and each common parameter, to the longest step itself. Items that move together stay together.
 */
function shorten(direction: Float64Array, { tail, perItem, size }: Problem): void {
  let squares = 0;
  for (let k = 0; k < tail; k++) squares += direction[k]! ** 2;
  const typical = tail === 0 ? 0 : Math.sqrt((squares * perItem) / tail);
  const all = typical > LONGEST ? LONGEST / typical : 1;
  for (let at = 0; at < size; at += at < tail ? perItem : 1) {
    const end = at < tail ? at + perItem : at + 1;
    let longest = 0;
    for (let k = at; k < end; k++) longest = Math.max(longest, all * Math.abs(direction[k]!));
    const factor = longest > LONGEST ? (all * LONGEST) / longest : all;
    for (let k = at; k < end; k++) direction[k]! *= factor;
  }
}

/** Grids that are laid at most before a search counts as not converged. Chosen, not measured. */
const MOST_GRIDS = 10;

/**
 * Climbs from x to a maximum, on a grid that is laid anew until it fits what was found on it.
 * @param x - start; overwritten with the maximum
 * @returns how it ended, with the curves there and the models' mean abilities
 */
export async function findMaximum(problem: Problem, x: Float64Array, tolerance: number, onStep: OnStep) {
  const curves = curvesAt(x, problem);
  let bounds: PosteriorBounds | undefined;
  let iteration = 0;
  let evaluations = 0;
  for (let grids = 1; ; grids++) {
    const objective = marginalObjective(problem, curves, fitGrid(problem, curves, bounds));
    const { expectation } = objective;
    const ascent = await ascend(objective, x, iteration, tolerance, onStep);
    iteration = ascent.iteration;
    evaluations += ascent.evaluations;
    bounds = expectation.bounds;
    const fits = gridFits(problem, curves, expectation);
    if (fits || grids === MOST_GRIDS || iteration >= MOST_ITERATIONS)
      return { ...ascent, evaluations, converged: ascent.converged && fits, curves, mean: expectation.mean };
  }
}

/**
 * The log posterior of the items' parameters: the marginal log-likelihood and the logarithms of the priors, with its
 * gradient by Fisher's identity and its complete-data curvature.
 * @param curves - written over
 */
export function marginalObjective(problem: Problem, curves: Curves, { grid, bounds }: FittedGrid) {
  const eStep = expectation(problem, grid, bounds);
  const { free, curvedRow, subjects, perItem, slots, tail, slope, size } = problem;
  const item = itemDerivatives();

  /** Room for value and derivatives at one point; reused from one evaluation to the next. */
  function evaluation() {
    const blocks = new Float64Array(tail * perItem + size - tail);
    const curvature: Curvature = { blocks, slopes: new Float64Array(free.length), hold: { shift: 1, stretch: 1 } };
    return { logPosterior: 0, logLikelihood: 0, gradient: new Float64Array(size), curvature };
  }

  /** Fills `at` for the vector x; the curves and `expectation` are those of x until the next call. */
  function evaluate(x: Float64Array, at: ReturnType<typeof evaluation>): void {
    const { gradient, curvature } = at;
    unpack(x, problem, curves);
    at.logLikelihood = eStep.run(curves);
    let prior = 0;
    let [slopeGradient, slopeCurvature] = [0, 0];
    let [shift, stretch] = [subjects, 2 * subjects];
    for (let f = 0; f < free.length; f++) {
      const i = free[f]!;
      const from = f * perItem;
      if (curvedRow[i]! < 0) straightDerivatives(problem, eStep, i, item);
      else curvedDerivatives(problem, eStep, i, { p: x, at: from, need: "slopes" }, item);
      curvature.slopes[f] = curves.a[i]!;
      slopeGradient += item.gradient[0]!;
      slopeCurvature += item.curvature[0]!;
      for (let p = 0; p < perItem; p++) {
        const slot = slots[p]!;
        gradient[from + p] = item.gradient[slot]! + priorSlope(x[from + p]!, PRIORS[slot]!);
        prior += priorValue(x[from + p]!, PRIORS[slot]!);
      }
      shift += curves.a[i]! ** 2 * priorCurvature(curves.b[i]!, PRIORS[1]!);
      if (slope < 0) stretch += curves.a[i]! ** 2 * priorCurvature(curves.a[i]!, PRIORS[0]!);
      factorBlock(problem, eStep, i, { x, from, derivatives: item, out: curvature.blocks, at: from * perItem });
    }
    if (slope >= 0) {
      const [a, slopePrior] = [x[slope]!, PRIORS[0]!];
      stretch += a ** 2 * priorCurvature(a, slopePrior);
      gradient[slope] = slopeGradient + priorSlope(a, slopePrior);
      curvature.blocks[tail * perItem] = Math.sqrt(slopeCurvature + priorCurvature(a, slopePrior));
      prior += priorValue(a, slopePrior);
    }
    curvature.hold = { shift, stretch };
    at.logPosterior = at.logLikelihood + prior;
  }

  return { problem, expectation: eStep, evaluation, evaluate };
}

export type MarginalObjective = ReturnType<typeof marginalObjective>;
