import { createRandom } from "anchoreval/internal/core/numeric/random";
import { afterEach, expect, test, vi } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { calibrate } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import type * as lbfgs from "../../../offline-trainer/src/calibrate/lbfgs.ts";
import { simulatedResponses } from "./simulated-responses.ts";

type Round = (evaluate: lbfgs.ValueAndGradient, x: Float64Array, options: lbfgs.LbfgsOptions) => Promise<void>;

/** Looks at each round of the optimiser, before and after it: the scales are learned in between. */
const watch = vi.hoisted((): { before: Round; after: Round } => ({
  before: () => Promise.resolve(),
  after: () => Promise.resolve(),
}));

vi.mock(import("../../../offline-trainer/src/calibrate/lbfgs.ts"), async (original) => {
  const { minimizeLbfgs } = await original();
  return {
    minimizeLbfgs: async (evaluate, x, options) => {
      await watch.before(evaluate, x, options);
      const result = await minimizeLbfgs(evaluate, x, options);
      await watch.after(evaluate, x, options);
      return result;
    },
  };
});

const dims = 3;
const { responses } = simulatedResponses({ subjects: 14, items: 22, dims, missing: 0.2, seed: 6 });
const run = (rounds: number, options: { dims?: number; tolerance?: number } = {}): Promise<unknown> =>
  calibrate(responses, { dims, backend: typescriptBackend, random: createRandom(1), rounds, ...options });

afterEach(() => {
  watch.before = watch.after = () => Promise.resolve();
});

test("value and gradient of the penalised objective agree, whatever scales were learned", async () => {
  const random = createRandom("point");
  const values = new Set<number>();
  const point = Float64Array.from({ length: (14 + 22) * dims + 22 }, () => random.normal());
  watch.before = async (evaluate) => {
    const gradient = new Float64Array(point.length);
    const other = new Float64Array(point.length);
    values.add(await evaluate(point, gradient));
    const largest = Math.max(...gradient.map(Math.abs));
    const step = 1e-5;
    for (let k = 0; k < point.length; k++) {
      const up = await evaluate(point.with(k, point[k]! + step), other);
      const down = await evaluate(point.with(k, point[k]! - step), other);
      expect(Math.abs((up - down) / (2 * step) - gradient[k]!), `parameter ${k}`).toBeLessThan(1e-8 * largest);
    }
  };
  await run(3);
  expect(values.size).toBe(3); // each round has scales of its own
});

test("the penalty is −log of the Gaussian priors, up to their constants", async () => {
  const [theta, a, b] = [0.7, -1.1, 2.3];
  watch.before = async (evaluate) => {
    const point = new Float64Array((14 + 22) * dims + 22);
    const slot = new Float64Array(point.length);
    const origin = await evaluate(point, slot);
    // Moving one model's ability, or one item's discriminations, along zeros changes the penalty alone.
    expect((await evaluate(point.with(4, theta), slot)) - origin).toBeCloseTo(theta ** 2 / 2, 10);
    const first = 14 * dims;
    expect((await evaluate(point.with(first, a), slot)) - origin).toBeCloseTo(
      ((a - 0.8) ** 2 - 0.8 ** 2) / (2 * 0.5),
      10,
    );
    expect((await evaluate(point.with(first + 1, a), slot)) - origin).toBeCloseTo(a ** 2 / (2 * 0.5), 10);
    const intercept = (14 + 22) * dims;
    let likelihood = 0;
    for (let m = 0; m < 14; m++) {
      const sign = responses.signs[m * 22]!;
      if (sign !== 0) likelihood += Math.log1p(Math.exp(sign * b)) - Math.LN2;
    }
    expect((await evaluate(point.with(intercept, b), slot)) - origin).toBeCloseTo(likelihood + b ** 2 / (2 * 4), 10);
  };
  await run(1);
});

test("the optimiser's scaling is near the diagonal of the Hessian", async () => {
  const ratios: number[] = [];
  watch.after = async (evaluate, end, { scaling }) => {
    ratios.length = 0;
    const [up, down] = [new Float64Array(end.length), new Float64Array(end.length)];
    for (let k = 0; k < end.length; k++) {
      await evaluate(end.with(k, end[k]! + 1e-4), up);
      await evaluate(end.with(k, end[k]! - 1e-4), down);
      ratios.push(scaling[k]! / ((up[k]! - down[k]!) / 2e-4));
    }
  };
  await run(4, { dims: 1, tolerance: 1e-9 });
  expect(ratios).toHaveLength(14 + 22 + 22);
  expect(Math.min(...ratios)).toBeGreaterThan(0.3);
  expect(Math.max(...ratios)).toBeLessThan(4);
});
