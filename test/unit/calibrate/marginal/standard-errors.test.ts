import { cholesky, choleskyInverse } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { findMaximum } from "../../../../offline-trainer/src/calibrate/marginal/find-maximum.ts";
import { itemCovariances } from "../../../../offline-trainer/src/calibrate/marginal/item-covariances.ts";
import type { MarginalObjective } from "../../../../offline-trainer/src/calibrate/marginal/objective.ts";
import { standardErrors } from "../../../../offline-trainer/src/calibrate/marginal/standard-errors.ts";
import { MARGINAL_MODELS, type MarginalModel } from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import { relativeError } from "../../../support/fixture.ts";
import { drawnResponses } from "./drawn-responses.ts";
import { PRIORS, smallObjective } from "./small-objective.ts";

/** A maximum of the log posterior, found without the door. */
function maximum(model: MarginalModel, subjects: number, items: number) {
  const { responses } = drawnResponses({ model, subjects, items, missing: 0.1, seed: 21 });
  const { problem, objective, x } = smallObjective(responses, model);
  const search = findMaximum(problem, objective.layout, PRIORS, objective.curves, x, 500, 1e-11);
  let step = search.next();
  while (!step.done) step = search.next();
  return { problem, x, objective: step.value.objective };
}

/** The inverse of minus the Hessian of the log posterior's value, by second differences. */
function inverseHessian(objective: MarginalObjective, x: Float64Array, step = 2e-3): Float64Array {
  const n = x.length;
  const at = objective.evaluation();
  const value = (...moves: readonly (readonly [number, number])[]): number => {
    const point = x.slice();
    for (const [k, by] of moves) point[k] = point[k]! + by;
    objective.evaluate(point, at);
    return at.logPosterior;
  };
  const h = new Float64Array(n * n);
  for (let r = 0; r < n; r++)
    for (let s = 0; s <= r; s++) {
      const difference =
        value([r, step], [s, step]) -
        value([r, step], [s, -step]) -
        value([r, -step], [s, step]) +
        value([r, -step], [s, -step]);
      h[r * n + s] = h[s * n + r] = -difference / (4 * step * step);
    }
  return choleskyInverse(cholesky(h, n)!, n);
}

describe.each(MARGINAL_MODELS)("%s", (model) => {
  const { problem, objective, x } = maximum(model, 500, model === "4pl" ? 5 : 7);
  const { perItem, tail, slope, size } = objective.layout;
  const covariances = itemCovariances(objective, x)!;
  const expected = inverseHessian(objective, x);

  test("covariances are the inverse Hessian's, found by differences of the value alone", () => {
    for (let k = 0; k < tail; k++)
      for (let r = k - (k % perItem); r <= k; r++) {
        const scale = Math.sqrt(expected[k * size + k]! * expected[r * size + r]!);
        const actual = covariances.blocks[(k - (k % perItem)) * perItem + (k % perItem) * perItem + (r % perItem)]!;
        expect(Math.abs(actual - expected[k * size + r]!) / scale).toBeLessThan(2e-3);
      }
    if (slope < 0) return;
    expect(relativeError(covariances.slope!.variance, expected[slope * size + slope]!)).toBeLessThan(2e-3);
    for (let k = 0; k < tail; k++) expect(covariances.slope!.withItems[k]!).toBeCloseTo(expected[slope * size + k]!, 5);
  });

  test("standard errors follow from them by the delta method", () => {
    objective.evaluate(x, objective.evaluation());
    const { curves } = objective;
    const errors = standardErrors(problem, objective.layout, curves, covariances, () => false);
    const asymptotes = (v: Float64Array, from: number): [number, number, number] => {
      const g = perItem > 2 ? Math.exp(v[from + 2]!) : 0;
      const k = perItem > 3 ? Math.exp(v[from + 3]!) : 0;
      const b = v[from + (perItem === 1 ? 0 : 1)]!;
      return [g / (1 + g + k), (1 + g) / (1 + g + k), b / (slope < 0 ? v[from]! : v[slope]!)];
    };
    /** √(∇fᵀ·C·∇f), ∇f by differences of f. */
    const deviation = (f: (v: Float64Array) => number): number => {
      const gradient = x.map((value, k) => {
        const [up, down] = [x.slice(), x.slice()];
        up[k] = value + 1e-6;
        down[k] = value - 1e-6;
        return (f(up) - f(down)) / 2e-6;
      });
      let variance = 0;
      for (let r = 0; r < size; r++)
        for (let s = 0; s < size; s++) variance += gradient[r]! * expected[r * size + s]! * gradient[s]!;
      return Math.sqrt(variance);
    };
    problem.free.forEach((i, f) => {
      const from = f * perItem;
      (["lower", "upper", "difficulty"] as const).forEach((name, which) => {
        const own = deviation((v) => asymptotes(v, from)[which]!);
        expect(Math.abs(errors[name][i]! - own)).toBeLessThan(2e-3 * own + 1e-9);
      });
    });
  });
});

test.each([
  ["2pl", 0.003],
  ["4pl", 0.03],
] as const)("of many items, where not all directions are looked at, they are within a little: %s", (model, bound) => {
  const { objective, x } = maximum(model, 300, 40);
  const { perItem, tail, size } = objective.layout;
  const { blocks } = itemCovariances(objective, x)!;
  // The whole matrix, by differences of the gradient.
  const at = objective.evaluation();
  const h = new Float64Array(size * size);
  for (let k = 0; k < size; k++)
    for (const sign of [1, -1]) {
      const point = x.slice();
      point[k] = point[k]! + sign * 1e-4;
      objective.evaluate(point, at);
      for (let r = 0; r < size; r++) h[k * size + r] = h[k * size + r]! - (sign * at.gradient[r]!) / 2e-4;
    }
  for (let r = 0; r < size; r++)
    for (let s = 0; s < r; s++) h[r * size + s] = (h[r * size + s]! + h[s * size + r]!) / 2;
  const whole = choleskyInverse(cholesky(h, size)!, size);
  for (let k = 0; k < tail; k++) {
    const own = blocks[(k - (k % perItem)) * perItem + (k % perItem) * (perItem + 1)]!;
    expect(Math.abs(Math.sqrt(own / whole[k * size + k]!) - 1)).toBeLessThan(bound);
  }
});

test("where the information is not positive definite there are none", () => {
  const { responses } = drawnResponses({ model: "2pl", subjects: 100, items: 6 });
  const { objective, x } = smallObjective(responses, "2pl");
  // Far from a maximum: one item's slope beyond all data.
  x[0] = -3;
  x[1] = 3;
  expect(itemCovariances(objective, x)).toBeNull();
});
