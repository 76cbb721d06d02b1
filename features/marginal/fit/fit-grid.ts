import type { Curves, Problem } from "./problem.ts";
import { expectation, type Expectation, type PosteriorBounds } from "./expectation.ts";
import { denseGrid, evenGrid } from "./curve-tables.ts";

/**
 * Points to a standard deviation of the posteriors of a new grid; {@link LEAST} will do at the end
 * (docs/decisions/calibration.md).
 */
const DENSITY = 1.25;
/**
 * Points to a standard deviation at the end: the trapezoid rule misses 2·e^(−2π²) ≈ 5e-9 of a normal density's mass.
 */
const LEAST = 1;
/** Half-width of the first look: the population's density is e⁻³⁶ of its peak there, below float64's last digit. */
const REACH = 8.5;
/** Spacing of the first look. Chosen, not measured. */
const COARSE = 0.2;
/** Kept free on either side. Chosen, not measured. */
const ROOM = 0.5;
/** Nobody is looked for farther out than this. Chosen, not measured. */
const FARTHEST = 500;
/**
 * Longest step with which points are laid, times the steepest discrimination: 1e-8 of the likelihood of 200 models. No
 * bench is left that shows it: chosen, not measured.
 */
const SUBSTEP = 0.08;

/**
 * A grid over all that any model's posterior reaches to, everywhere as dense as the posteriors there are narrow.
 *
 * Points set beforehand, 41 over ±4 or 61 over ±6, fail leaderboards twice: with thousands of items a posterior is
 * narrower than their spacing and falls between them, and a model far from the others lies beyond them. Here there are
 * 1.25 points to √(1 + I(θ) + max a²), the inverse of a posterior's standard deviation at θ, so that each posterior has
 * the same number of points, about 20, whatever the number of items. The trapezoid rule's error on a normal density is
 * 2·exp(−2π²/h²) at a spacing of h standard deviations: 7e-14 at h = .8, 5e-9 of a model's integral at h = 1; the last term
 * gives the logistic function's poles, π/a from the line, the same. Gauss-Hermite points bring nothing beyond that, and
 * models could not share the items' curves.
 * @see Trefethen & Weideman (2014), SIAM Review 56, 385–458
 */
export function fitGrid(problem: Problem, curves: Curves, start?: PosteriorBounds) {
  let bounds = start;
  for (let reach = REACH; ; reach *= 1.5) {
    const look = expectation(problem, evenGrid(-reach, reach, COARSE), bounds);
    look.run(curves);
    bounds = look.bounds;
    if (look.cut && reach < FARTHEST) continue;
    const low = bounds.low.reduce((least, value) => Math.min(least, value)) - ROOM;
    const high = bounds.high.reduce((most, value) => Math.max(most, value)) + ROOM;
    const most = steepest(curves);
    const density = (theta: number): number => DENSITY * sharpness(theta, problem, curves, most);
    return { grid: denseGrid(density, low, high, SUBSTEP / most), bounds };
  }
}

/** A grid, and where the posteriors lie on it. */
export type FittedGrid = ReturnType<typeof fitGrid>;

/** Whether a grid fits the curves that were found on it. */
export function gridFits(problem: Problem, curves: Curves, { grid, first, last, cut }: Expectation): boolean {
  if (cut) return false;
  const most = steepest(curves);
  for (let q = first; q < last; q++)
    if (LEAST * sharpness(grid.points[q]!, problem, curves, most) * grid.weights[q]! > 1) return false;
  return true;
}

/** √(1 + I(θ) + max a²): how sharp a posterior about θ is, or how sharply a curve bends. */
function sharpness(theta: number, { free }: Problem, curves: Curves, steepestSlope: number): number {
  let information = 0;
  for (const i of free) information += informationAt(theta, curves, i);
  return Math.sqrt(1 + information + steepestSlope ** 2);
}

/** Fisher's information about θ, a²·P′(z)²/(PQ) = a²·st·s/(g+s)·t/(k+t) with s = σ(z), t = σ(−z). */
function informationAt(theta: number, { a, b, g, k }: Curves, i: number): number {
  const z = a[i]! * theta - b[i]!;
  const e = Math.exp(-Math.abs(z));
  const large = 1 / (1 + e);
  const small = e * large;
  const s = z < 0 ? small : large;
  const t = z < 0 ? large : small;
  return a[i]! ** 2 * s * t * (g[i]! > 0 ? s / (g[i]! + s) : 1) * (k[i]! > 0 ? t / (k[i]! + t) : 1);
}

function steepest({ a }: Curves): number {
  return a.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
