import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { AnsweredSample } from "anchoreval/internal/core/estimators/types";
import { cholesky, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { factorSolver, gaussianMean } from "../../../sdk/core/estimators/factor-scores.ts";
import { describe, expect, test } from "vitest";
import { itemFactors } from "../../support/factors.ts";

const N = 30;
const RANK = 4;
const random = createRandom("gaussian mean");
const numbers = (length: number, least: number, width: number): number[] =>
  Array.from({ length }, () => least + width * random.next());
const raw = numbers(N, 0.5, 1);
const sum = raw.reduce((total, weight) => total + weight, 0);
const weights = Float64Array.from(raw, (weight) => weight / sum);
const factors = itemFactors(weights, numbers(N, 0.2, 0.6), numbers(N * RANK, -0.3, 0.7), numbers(N, 0.05, 0.2));

/** Answered positions of an anchor set, with answers. */
function sampleOf(items: readonly number[], positions: readonly number[], scores: readonly number[]): AnsweredSample {
  return {
    items: Uint32Array.from(positions, (j) => items[j]!),
    positions: Uint32Array.from(positions),
    scores: Float64Array.from(scores),
    mass: new Float64Array(positions.length).fill(1 / positions.length),
    inclusion: null,
    share: 1,
  };
}

/** E[Σ w·y | answers] with the covariance of all N items written out. */
function conditionalMean(answered: readonly number[], scores: readonly number[], own = weights): number {
  const covariance = (i: number, j: number): number => {
    let value = i === j ? factors.noise[i]! : 0;
    for (let r = 0; r < RANK; r++) value += factors.loadings[i * RANK + r]! * factors.loadings[j * RANK + r]!;
    return value;
  };
  const n = answered.length;
  const between = Float64Array.from({ length: n * n }, (_, k) =>
    covariance(answered[Math.floor(k / n)]!, answered[k % n]!),
  );
  const residual = Float64Array.from(answered, (i, j) => scores[j]! - factors.mean[i]!);
  const solved = choleskySolve(cholesky(between, n)!, n, residual);
  let score = 0;
  for (let i = 0; i < N; i++) {
    let mean = factors.mean[i]!;
    answered.forEach((j, k) => (mean += covariance(i, j) * solved[k]!));
    score += own[i]! * mean;
  }
  return score;
}

describe("gaussianMean", () => {
  test("is the conditional mean under the covariance written out, whatever was answered", () => {
    for (let repeat = 0; repeat < 20; repeat++) {
      const items = random.shuffle(Array.from({ length: N }, (_, i) => i)).slice(0, 12);
      const positions = items.map((_, j) => j).filter(() => random.next() < 0.7);
      const scores = positions.map(() => (random.next() < 0.5 ? 1 : random.next()));
      const own = anchorFactors(factors, Uint32Array.from(items));
      const answers = items.map((_, j) => scores[positions.indexOf(j)] ?? NaN);
      const actual = gaussianMean(own, weights, sampleOf(items, positions, scores), factorSolver([own])([answers]));
      expect(actual).toBeCloseTo(
        conditionalMean(
          positions.map((j) => items[j]!),
          scores,
        ),
        12,
      );
    }
  });

  test("is the score itself where every item was answered, and the mean of the sources where none was", () => {
    const all = Array.from({ length: N }, (_, i) => i);
    const scores = all.map(() => random.next());
    const truth = scores.reduce((total, score, i) => total + weights[i]! * score, 0);
    expect(gaussianMean(factors, weights, sampleOf(all, all, scores), factorSolver([factors])([scores]))).toBeCloseTo(
      truth,
      14,
    );
    const none = factorSolver([factors])([all.map(() => NaN)]);
    expect(gaussianMean(factors, weights, sampleOf([], [], []), none)).toBe(factors.total.mean);
  });

  test("counts the answers to other scenarios: the conditional mean under the covariance of both", () => {
    const half = Array.from({ length: N }, (_, i) => i).filter((i) => i % 2 === 0);
    const rest = Array.from({ length: N }, (_, i) => i).filter((i) => i % 2 === 1);
    const scores = [0, 1, 2].map(() => random.next());
    const asked = half.slice(0, 3);
    const told = rest.slice(0, 4);
    const others = told.map(() => random.next());
    // Items of the other scenario weigh nothing in this one's score.
    const own = Float64Array.from(weights, (_, i) => (i % 2 === 0 ? 1 / half.length : 0));
    const part = anchorFactors(
      itemFactors(own, [...factors.mean], [...factors.loadings], [...factors.noise]),
      Uint32Array.from(asked),
    );
    const elsewhere = anchorFactors(factors, Uint32Array.from(told));
    const found = factorSolver([part, elsewhere])([scores, others]);
    const expected = conditionalMean([...asked, ...told], [...scores, ...others], own);
    expect(gaussianMean(part, own, sampleOf(asked, [0, 1, 2], scores), found)).toBeCloseTo(expected, 12);
  });
});
