import { mapAbility, type AbilityEstimate } from "anchoreval/internal/core/ability/map";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import { fromTinyBenchmarks } from "anchoreval/internal/core/irt/conversions";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { estimateScenario } from "anchoreval/internal/core/scoring/scenario-estimate";
import { expect, test } from "vitest";
import { plainFactors } from "../../support/factors.ts";
import { largestDifference, readFixture } from "../../support/fixture.ts";
import { stackOf } from "../../support/stack-of.ts";

interface ReferenceCase {
  readonly name: string;
  readonly dims: number;
  readonly A: readonly number[];
  readonly B: readonly number[];
  readonly seen: readonly number[];
  readonly weights: readonly number[];
  readonly scores: readonly number[];
  readonly lambda: number;
  readonly finite: boolean;
  readonly expected: {
    readonly theta: readonly number[];
    readonly irt: number;
    readonly "p-irt": number;
    readonly "gp-irt": number;
  };
}

/** tinyBenchmarks as published, run on parameters whose balance weights are all 1. */
const { cases, tolerance } = readFixture<{ tolerance: { score: number; theta: number }; cases: ReferenceCase[] }>(
  "numpy/tiny-benchmarks.json",
);

const bankOf = ({ A, B }: ReferenceCase): ItemBank => fromTinyBenchmarks(Float64Array.from(A), Float64Array.from(B));

function ability(reference: ReferenceCase, deviation: number): AbilityEstimate {
  const { dims, seen, scores } = reference;
  return mapAbility(
    bankOf(reference),
    { items: seen, scores },
    {
      mean: new Float64Array(dims),
      precision: Float64Array.from({ length: dims * dims }, (_, k) => (k % (dims + 1) === 0 ? deviation ** -2 : 0)),
    },
  );
}

test.each(cases)("at the reference's ability, the estimators are the reference's: $name", (reference) => {
  const { dims, seen, weights, scores, lambda, expected } = reference;
  const bank = bankOf(reference);
  const uniform = new Float64Array(bank.count).fill(1 / bank.count);
  const estimate = estimateScenario(
    {
      bank,
      weights: uniform,
      scoreMap: null,
      anchors: { items: Uint32Array.from(seen), inclusion: null, mass: Float64Array.from(weights) },
      factors: plainFactors(uniform, seen),
      answerFactors: plainFactors(uniform, seen),
    },
    scores,
    {
      theta: Float64Array.from(expected.theta),
      covariance: new Float64Array(dims * dims),
      standardError: new Float64Array(dims),
      status: "converged",
      iterations: 0,
    },
  )!;
  const blend = {
    lambda,
    stack: stackOf({ gaussian: 1 }),
    rmse: 0.1,
    overallRmse: null,
    tightening: { inside: 1, outside: 1 },
  };
  const { estimators } = blendEstimates(estimate, blend, { worst: 0, best: 1, overall: null });
  expect(Math.abs(estimators["anchor-mean"] - expected.irt)).toBeLessThan(tolerance.score);
  expect(Math.abs(estimators["p-irt"] - expected["p-irt"])).toBeLessThan(tolerance.score);
  expect(Math.abs(estimators["gp-irt"] - expected["gp-irt"])).toBeLessThan(tolerance.score);
});

test.each(cases.filter(({ finite }) => finite))(
  "under a nearly flat prior our mode is the reference's unregularised fit: $name",
  (reference) => {
    const { theta, status } = ability(reference, 1e4);
    expect(status).toBe("converged");
    expect(largestDifference(theta, reference.expected.theta)).toBeLessThan(tolerance.theta);
  },
);

test.each(cases.filter(({ finite }) => !finite))(
  "where the reference diverges, a prior has a finite answer: $name",
  (reference) => {
    expect(Math.max(...reference.expected.theta.map(Math.abs))).toBeGreaterThan(10);
    const { theta, status } = ability(reference, 2.5);
    expect(status).toBe("converged");
    expect(Math.max(...theta.map(Math.abs))).toBeLessThan(10);
  },
);
