import type { Expectation } from "./expectation.ts";
import { curvedDerivatives, itemDerivatives } from "./item-derivatives.ts";
import { priorCurvature, priorSlope, priorValue, type WeakPrior } from "./priors.ts";
import type { Problem } from "./problem.ts";
import { factorInPlace, solveLower, solveUpper } from "./small-cholesky.ts";

const MOST_STEPS = 6;
/** Longest step of any parameter. */
const LONGEST = 1.5;
/** A step that is expected to gain less than this, in nats, is the last, and taken on trust. */
const ENOUGH = 1e-2;

/**
 * The M-step of an item with asymptotes: maximises Σ_q r·log P + (n−r)·log Q and the log priors at the counts of the last
 * E-step, by Newton's method with damped steps; Fisher's information stands in where the curvature isn't positive definite.
 */
export function itemMaximizer(
  problem: Problem,
  found: Expectation,
  priors: readonly WeakPrior[],
  count: number,
): (free: number, x: Float64Array) => void {
  const derivatives = itemDerivatives();
  const gradient = new Float64Array(count);
  const factor = new Float64Array(count * count);
  const step = new Float64Array(count);
  const trial = new Float64Array(count);

  function value(item: number, x: Float64Array, from: number): number {
    curvedDerivatives(problem, found, item, x, from, count, "value", derivatives);
    let sum = derivatives.value;
    for (let p = 0; p < count; p++) {
      sum += priorValue(x[from + p]!, priors[p]!);
      gradient[p] = derivatives.gradient[p]! + priorSlope(x[from + p]!, priors[p]!);
    }
    copyCurvature(x, from);
    return sum;
  }

  function copyCurvature(x: Float64Array, from: number): void {
    for (let p = 0; p < count; p++)
      for (let r = 0; r < count; r++)
        factor[p * count + r] =
          derivatives.curvature[p * 4 + r]! + (p === r ? priorCurvature(x[from + p]!, priors[p]!) : 0);
  }

  return (free, x) => {
    const item = problem.free[free]!;
    const from = free * count;
    let current = value(item, x, from);
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      if (!factorInPlace(factor, 0, count)) {
        curvedDerivatives(problem, found, item, x, from, count, "information", derivatives);
        copyCurvature(x, from);
        factorInPlace(factor, 0, count);
      }
      solveLower(factor, 0, count, gradient, step, 0);
      solveUpper(factor, 0, count, step, step, 0);
      let gain = 0;
      let longest = 0;
      for (let p = 0; p < count; p++) {
        gain += 0.5 * step[p]! * gradient[p]!;
        longest = Math.max(longest, Math.abs(step[p]!));
      }
      if (gain < ENOUGH) {
        for (let p = 0; p < count; p++) x[from + p] = x[from + p]! + step[p]!;
        return;
      }
      let length = Math.min(1, LONGEST / longest);
      for (;;) {
        for (let p = 0; p < count; p++) trial[p] = x[from + p]! + length * step[p]!;
        const next = value(item, trial, 0);
        if (next >= current) {
          current = next;
          break;
        }
        length *= 0.3;
        if (length < 1e-4) return;
      }
      x.set(trial, from);
    }
  };
}
