import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import type { Blends, LearnedBlend } from "../../../offline-trainer/src/fit/blends.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { pairFigures } from "../../../offline-trainer/src/fit/pair-figures.ts";
import type { Benchmark } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { baseAt, blendAt, rowsOf } from "./held-out-estimates.ts";

const ASKED = 40;
const VARIANCE = 0.002;

interface Held {
  readonly models: number;
  /** Standard deviation of the scores' errors, and of what the models' true scores differ by. */
  readonly error: number;
  readonly spread: number;
  /** How alike errors of a model are in all scenarios. */
  readonly alike?: number;
  readonly replicates?: readonly number[];
  readonly families?: readonly number[];
}

function figures({ models, error, spread, alike = 0, replicates, families }: Held) {
  const random = createRandom(`pairs ${models} ${error} ${spread} ${alike}`);
  const shared = rowsOf(models).map(() => random.normal());
  const scenario = (): LearnedBlend => {
    const interpolation = rowsOf(models).map((model): HeldOutEstimate => {
      const truth = Math.min(0.9, Math.max(0.1, 0.5 + spread * random.normal()));
      const score = truth + error * (Math.sqrt(alike) * shared[model]! + Math.sqrt(1 - alike) * random.normal());
      const scores = Array.from({ length: ASKED }, () => (random.next() < 0.5 ? 1 : 0));
      const even = new Float64Array(ASKED).fill(1 / ASKED);
      const anchors = { items: Uint32Array.from(scores, (_, j) => j), mass: even, inclusion: new Float64Array(ASKED) };
      const sample = answeredSample(anchors, scores)!;
      return {
        model,
        draw: 0,
        fold: model % 2,
        truth,
        part: null,
        base: baseAt(score),
        seen: { worst: -9, best: 9, overall: null },
        bounds: { low: -1, high: 2 },
        shift: { step: 0, information: 0, spread: 0 },
        unlike: 0,
        sampling: { variance: VARIANCE, degrees: 1e6, answers: ASKED, right: ASKED / 2, unit: 1 / ASKED, bias: 0 },
        // What varies by the draw is as much as the scores' own: both variances are the same.
        answers: { sample, residuals: scores.map((y) => y - 0.5), leverages: scores.map(() => 0) },
        pattern: null,
        failed: false,
      };
    });
    const blend = { ...blendAt(0.5), tightening: { inside: 1, outside: 1 } };
    return { validation: { interpolation, extrapolation: [] }, served: blend, foldOut: () => blend };
  };
  const blends: Blends = new Map(
    ["one", "two", "three"].map((id) => [id, new Map([["40", { separate: scenario(), pooled: null }]])]),
  );
  const benchmark = {
    families: Int32Array.from(families ?? rowsOf(models)),
    replicates: Int32Array.from(replicates ?? rowsOf(models)),
  } as unknown as Benchmark;
  return pairFigures(benchmark, blends, "40", createRandom("pairs"));
}

test("nothing is shrunk where scores are right, and much where they are noise", () => {
  expect(figures({ models: 100, error: 1e-4, spread: 0.1 })!.shrinkage).toBe(0);
  const noise = figures({ models: 100, error: 0.1, spread: 0.02 })!.shrinkage;
  expect(noise).toBeGreaterThan(figures({ models: 100, error: 0.1, spread: 0.1 })!.shrinkage);
  expect(noise).toBeGreaterThan(10);
});

test("half-widths follow the errors, and overall ones what scenarios' errors have in common", () => {
  const small = figures({ models: 200, error: 0.02, spread: 0.3 })!;
  const large = figures({ models: 200, error: 0.04, spread: 0.3 })!;
  expect(large.tightening / small.tightening).toBeCloseTo(2, 0);
  // √(2·.02²) over the root of the harmonic mean of 2·.002 and that by the draw, ½/40 in size.
  expect(small.tightening).toBeCloseTo(0.0283 / Math.sqrt(2 / (1 / 0.004 + 40 / 0.5)), 1);
  expect(small.inflation).toBeGreaterThan(0.8);
  expect(small.inflation).toBeLessThan(1.2);
  const alike = figures({ models: 200, error: 0.02, spread: 0.3, alike: 0.5 })!;
  expect(alike.inflation).toBeCloseTo(Math.sqrt(2), 0); // the variance of a mean of three is (1 + 2ρ)/3
  expect(alike.inflation).toBeGreaterThan(1.25);
});

test("39 models of 8 families tell it, replicates counting as one", () => {
  const held = { models: 39, error: 0.02, spread: 0.3 };
  expect(figures(held)).not.toBeNull();
  expect(figures({ ...held, models: 38 })).toBeNull();
  expect(figures({ ...held, families: rowsOf(39).map((m) => m % 7) })).toBeNull();
  expect(figures({ ...held, replicates: rowsOf(39).map((m) => (m === 38 ? 0 : m)) })).toBeNull();
});
