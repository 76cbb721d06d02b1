import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import {
  calibrate,
  type CalibrateOptions,
  type Calibration,
  type CalibrationStep,
} from "../../../offline-trainer/src/calibrate/calibrate.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { largestDifference, readFixture } from "../../support/fixture.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { cellError, correlation, probability, simulatedResponses } from "./simulated-responses.ts";

const fitted = (
  responses: CodedResponses,
  dims: number,
  options: Partial<CalibrateOptions> & { seed?: number } = {},
): Promise<Calibration> =>
  calibrate(responses, { dims, backend: typescriptBackend, random: createRandom(options.seed ?? 1), ...options });

/** Optima of the same penalised objective, found by SciPy from many starts. */
const reference = readFixture<{
  tolerance: { value: number; b: number };
  cases: { dims: number; subjects: number; items: number; signs: number[]; value: number; b: number[] }[];
}>("sklearn/calibration.json");

describe("the optimum", () => {
  test.each(reference.cases)("is SciPy's, $dims-dimensional, $subjects × $items", async (expected) => {
    const { subjects, items, signs, dims } = expected;
    // One round: the scales stay at where they begin.
    const fit = await fitted({ subjects, items, signs: Int8Array.from(signs) }, dims, {
      rounds: 1,
      tolerance: 1e-13,
      maxEvaluations: 3000,
    });
    expect(Math.abs(fit.value / expected.value - 1)).toBeLessThan(reference.tolerance.value);
    expect(largestDifference(fit.b, expected.b)).toBeLessThan(reference.tolerance.b);
    expect(fit.converged).toBe(true);
    expect(fit.gradientNorm).toBeLessThan(1e-3);
  });

  test("turns over where right and wrong change places", async () => {
    const { responses } = simulatedResponses({ subjects: 40, items: 50, dims: 1 });
    const tight = { tolerance: 1e-12, maxEvaluations: 500 };
    const fit = await fitted(responses, 1, tight);
    const turned = await fitted({ ...responses, signs: responses.signs.map((sign) => -sign) }, 1, tight);
    expect(Math.abs(turned.value / fit.value - 1)).toBeLessThan(1e-9);
    expect(
      largestDifference(
        turned.b,
        fit.b.map((value) => -value),
      ),
    ).toBeLessThan(1e-3);
    expect(largestDifference(turned.a, fit.a)).toBeLessThan(1e-3);
  });

  test("does not depend on the order of items and models", async () => {
    const { responses } = simulatedResponses({ subjects: 30, items: 40, dims: 1, missing: 0.1 });
    const { subjects, items, signs } = responses;
    const order = createRandom("order");
    const rows = order.shuffle(Array.from({ length: subjects }, (_, m) => m));
    const columns = order.shuffle(Array.from({ length: items }, (_, i) => i));
    const moved = Int8Array.from(
      { length: signs.length },
      (_, k) => signs[rows[Math.floor(k / items)]! * items + columns[k % items]!]!,
    );
    const tight = { tolerance: 1e-12, maxEvaluations: 500 };
    const fit = await fitted(responses, 1, tight);
    const other = await fitted({ subjects, items, signs: moved }, 1, tight);
    expect(Math.abs(other.value / fit.value - 1)).toBeLessThan(1e-10);
    expect(
      largestDifference(
        other.b,
        columns.map((i) => fit.b[i]!),
      ),
    ).toBeLessThan(1e-3);
    expect(
      largestDifference(
        other.theta,
        rows.map((m) => fit.theta[m]!),
      ),
    ).toBeLessThan(1e-3);
  });
});

/**
 * Recovery of the drawn truth. The bounds lie a sixth above the worst of three seeds when they were set; taking every
 * item's share of right answers for all models, which knows nothing of abilities, has an error of .19 to .27.
 */
describe("recovery", () => {
  test.each([
    { subjects: 60, items: 150, dims: 1, missing: 0, bound: 0.089 },
    { subjects: 60, items: 150, dims: 2, missing: 0, bound: 0.116 },
    { subjects: 120, items: 200, dims: 3, missing: 0, bound: 0.104 },
    { subjects: 60, items: 150, dims: 1, missing: 0.3, bound: 0.108 },
    { subjects: 60, items: 150, dims: 2, missing: 0.3, bound: 0.138 },
  ])("of P(θ) to $bound: $subjects × $items, $dims-dimensional, $missing missing", async ({ bound, ...shape }) => {
    const { responses, truth, dims } = simulatedResponses(shape);
    const fit = await fitted(responses, dims);
    const error = cellError(
      (m, i) => probability(fit, dims, m, i),
      (m, i) => probability(truth, dims, m, i),
      responses,
    );
    expect(error).toBeLessThan(bound);
    expect(correlation(fit.b, truth.b)).toBeGreaterThan(0.93);
    expect(fit.converged).toBe(true);
  });

  test("of abilities and their sign, with more answers to better ones", async () => {
    const correlations: number[] = [];
    for (const items of [20, 80, 320]) {
      const { responses, truth } = simulatedResponses({ subjects: 80, items, dims: 1, seed: 5 });
      correlations.push(correlation((await fitted(responses, 1)).theta, truth.theta));
    }
    const [few, some, many] = correlations as [number, number, number];
    expect(few).toBeGreaterThan(0.8); // 20 items of information near .2 leave a reliability of .8
    expect(some).toBeGreaterThan(Math.max(few, 0.95));
    expect(many).toBeGreaterThan(Math.max(some, 0.985));
  });

  test("leaves a dimension that is not there with little scale", async () => {
    const { responses } = simulatedResponses({ subjects: 80, items: 300, dims: 1, seed: 2 });
    const { scales, a } = await fitted(responses, 3, { rounds: 12 });
    expect(scales.aVariance).toHaveLength(3);
    const spread = [0, 1, 2].map((d) => a.filter((_, k) => k % 3 === d).reduce((sum, value) => sum + value * value, 0));
    expect(spread[1]! + spread[2]!).toBeLessThan(0.06 * spread[0]!);
  });
});

describe("the result", () => {
  const { responses } = simulatedResponses({ subjects: 25, items: 40, dims: 2, missing: 0.2, seed: 9 });

  test("is the same with the same seed, and another start with another one", async () => {
    const first = await fitted(responses, 2, { seed: 4 });
    expect(await fitted(responses, 2, { seed: 4 })).toEqual(first);
    expect((await fitted(responses, 2, { seed: 5 })).theta).not.toEqual(first.theta);
    // Another way down, the same place: empirical Bayes learns the same scales from it.
    const tight = { tolerance: 1e-11, maxEvaluations: 600 };
    const [one, other] = [
      await fitted(responses, 2, { seed: 4, ...tight }),
      await fitted(responses, 2, { seed: 5, ...tight }),
    ];
    expect(Math.abs(one.value / other.value - 1)).toBeLessThan(2e-3);
  });

  test("does not depend on what else was drawn from the seed's stream", async () => {
    const used = createRandom(4);
    for (let k = 0; k < 10; k++) used.next();
    expect(await fitted(responses, 2, { random: used })).toEqual(await fitted(responses, 2, { seed: 4 }));
  });

  test("lies on the canonical axes: orthogonal, largest first, each with a positive sum", async () => {
    const { a } = await fitted(responses, 3);
    const moment = (r: number, c: number): number => {
      let sum = 0;
      for (let i = 0; i < a.length; i += 3) sum += a[i + r]! * a[i + c]!;
      return sum;
    };
    for (const [r, c] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      expect(Math.abs(moment(r, c))).toBeLessThan(1e-10);
      expect(moment(r, r)).toBeGreaterThan(moment(c, c));
    }
    for (let d = 0; d < 3; d++)
      expect(a.reduce((sum, value, k) => (k % 3 === d ? sum + value : sum), 0)).toBeGreaterThan(0);
  });

  test("has the shapes and the figures that it says", async () => {
    const steps: CalibrationStep[] = [];
    const fit = await fitted(responses, 2, { onStep: (step) => steps.push(step), rounds: 3 });
    expect([fit.theta.length, fit.a.length, fit.b.length, fit.dims]).toEqual([50, 80, 40, 2]);
    expect(new Set(steps.map(({ round }) => round))).toEqual(new Set([0, 1, 2]));
    for (let k = 1; k < steps.length; k++) {
      expect(steps[k]!.evaluations).toBeGreaterThan(steps[k - 1]!.evaluations);
      if (steps[k]!.round === steps[k - 1]!.round) expect(steps[k]!.value).toBeLessThanOrEqual(steps[k - 1]!.value);
    }
    expect(steps.at(-1)!.value).toBe(fit.value);
    expect(fit.evaluations).toBeGreaterThanOrEqual(steps.at(-1)!.evaluations);
  });
});

describe("missing answers", () => {
  test("leave a model without any at the prior mean, an item without any at the items' means", async () => {
    const { responses } = simulatedResponses({ subjects: 20, items: 30, dims: 2, seed: 3 });
    const { subjects, items } = responses;
    const signs = responses.signs.map((sign, k) => (Math.floor(k / items) === 4 || k % items === 7 ? 0 : sign));
    const { theta, b, scales } = await fitted({ subjects, items, signs }, 2, { tolerance: 1e-10, maxEvaluations: 500 });
    expect(Math.abs(theta[8]!) + Math.abs(theta[9]!)).toBeLessThan(1e-3);
    expect(b[7]).toBeCloseTo(scales.bMean, 3);
  });

  test("all of them: everything stays finite", async () => {
    const fit = await fitted({ subjects: 4, items: 3, signs: new Int8Array(12) }, 2);
    for (const value of [...fit.theta, ...fit.a, ...fit.b, fit.value]) expect(Number.isFinite(value)).toBe(true);
  });

  test("nor does it take more than models that are all right or all wrong to stay finite", async () => {
    const signs = Int8Array.from({ length: 40 }, (_, k) => (k < 20 ? 1 : -1));
    const fit = await fitted({ subjects: 4, items: 10, signs }, 1);
    expect(Math.max(...fit.theta.map(Math.abs))).toBeLessThan(6);
    expect(fit.theta[0]! > fit.theta[3]!).toBe(true);
  });
});

describe("stopping", () => {
  /** The TypeScript backend, its open objectives counted. */
  function counted(fail?: Error): CalibrationBackend & { opened: number; disposed: number; evaluated: number } {
    return {
      ...typescriptBackend,
      name: "counted",
      opened: 0,
      disposed: 0,
      evaluated: 0,
      async open(responses, dims) {
        this.opened++;
        const inner = await typescriptBackend.open(responses, dims);
        return {
          evaluate: (at, gradient) => {
            if (++this.evaluated === 5 && fail) return Promise.reject(fail);
            return inner.evaluate(at, gradient);
          },
          dispose: () => {
            this.disposed++;
            return inner.dispose();
          },
        };
      },
    };
  }
  const { responses } = simulatedResponses({ subjects: 20, items: 30, dims: 1 });

  test("by signal is the error `aborted`, at once, with the device given back", async () => {
    const backend = counted();
    const controller = new AbortController();
    let steps = 0;
    const run = fitted(responses, 1, {
      backend,
      signal: controller.signal,
      onStep: () => {
        if (++steps === 2) controller.abort();
      },
    });
    expectRefusal(await rejection(run), "aborted", "stopped");
    expect([steps, backend.opened, backend.disposed]).toEqual([2, 1, 1]);
    expectRefusal(await rejection(fitted(responses, 1, { signal: AbortSignal.abort() })), "aborted", "stopped");
  });

  test("by the device's failure gives it back too", async () => {
    const backend = counted(new Error("device lost"));
    await expect(fitted(responses, 1, { backend })).rejects.toThrow("device lost");
    expect([backend.opened, backend.disposed]).toEqual([1, 1]);
  });

  test("keeps within the evaluations allowed", async () => {
    const backend = counted();
    const fit = await fitted(responses, 1, { backend, rounds: 3, maxEvaluations: 10, tolerance: 0 });
    // Half of them in the rounds before the last.
    expect(backend.evaluated).toBe(20);
    expect(fit.evaluations).toBe(20);
    expect(fit.converged).toBe(false);
    expect(backend.disposed).toBe(1);
  });
});
