import {
  answerRegressions,
  linearScore,
  type LinearScore,
} from "anchoreval/internal/core/estimators/answer-regressions";
import type { AnchorFactors, AnsweredSample } from "anchoreval/internal/core/estimators/types";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  drawnAnchors,
  type DrawnAnchors,
  drawnAnswers,
  normalised,
  plainAnswerFactors,
  ridgeRegression,
} from "../../support/source-answers.ts";

const random = createRandom("aipw");
const N = 30;
const PENALTY = 10;
const answers = drawnAnswers(random, 12, N);

const uneven = normalised(Float64Array.from({ length: N }, () => 0.5 + random.next()));
const features = (i: number): number[] => answers.map((own) => own[i]!);

const drawn = (count: number): DrawnAnchors => drawnAnchors(random, N, count);

const aipw = (factors: AnchorFactors, weights: Float64Array, sample: Omit<DrawnAnchors, "scores">): LinearScore =>
  answerRegressions(factors, weights, sample).aipw;

/** The formula with a regression fitted anew for every answer that is left out. */
function leavingOut({ items, mass, scores }: DrawnAnchors, weights: Float64Array): number {
  const asked = new Set(items);
  const rest = Array.from({ length: N }, (_, i) => i).filter((i) => !asked.has(i));
  let score = items.reduce((sum, item, j) => sum + weights[item]! * scores[j]!, 0);
  items.forEach((item, j) => {
    const others = Array.from(items.keys()).filter((k) => k !== j);
    const predict = ridgeRegression(
      others.map((k) => features(items[k]!)),
      others.map((k) => scores[k]!),
      PENALTY,
    );
    const residual = scores[j]! - predict(features(item));
    for (const i of rest) score += mass[j]! * weights[i]! * (predict(features(i)) + residual);
  });
  return score;
}

const estimate = (sample: DrawnAnchors, weights: Float64Array): number =>
  linearScore(aipw(plainAnswerFactors(answers, weights, PENALTY, sample.items), weights, sample), sample.scores);

describe("aipw", () => {
  test.each([2, 3, 8, 20, 29, N])("is the formula with each of %i answers really left out", (count) => {
    const sample = drawn(count);
    expect(estimate(sample, uneven)).toBeCloseTo(leavingOut(sample, uneven), 11);
  });

  test("is right on average over the draws of three items in eight, whatever the regression", () => {
    const few = Array.from({ length: 8 }, (_, i) => i);
    const weights = new Float64Array(8).fill(1 / 8);
    const own = answers.map((scores) => scores.slice(0, 8));
    const truth = Float64Array.from(few, () => random.next());
    const estimates = few.flatMap((i) =>
      few.slice(i + 1).flatMap((j) =>
        few.slice(j + 1).map((k) => {
          const items = Uint32Array.of(i, j, k);
          const sample = { items, positions: Uint32Array.of(0, 1, 2), mass: new Float64Array(3).fill(1 / 3) };
          const regression = aipw(plainAnswerFactors(own, weights, PENALTY, items), weights, sample);
          return linearScore(
            regression,
            Array.from(items, (item) => truth[item]!),
          );
        }),
      ),
    );
    expect(estimates).toHaveLength(56);
    expect(new Set(estimates).size).toBe(56);
    const mean = estimates.reduce((sum, value) => sum + value / 56, 0);
    expect(mean).toBeCloseTo(
      truth.reduce((sum, score) => sum + score / 8, 0),
      12,
    );
  });

  test("is the score itself where every item was answered, without being brought into any bounds", () => {
    const sample = drawn(N);
    const truth = sample.items.reduce((sum, item, j) => sum + uneven[item]! * sample.scores[j]!, 0);
    expect(estimate(sample, uneven)).toBeCloseTo(truth, 13);
  });

  test("leaves missing answers out: the same as anchors that aren't there", () => {
    const { items, mass } = drawn(12);
    const kept = Uint32Array.of(0, 3, 4, 9);
    const sample = { items: kept.map((j) => items[j]!), mass: normalised(Float64Array.from(kept, (j) => mass[j]!)) };
    const some = aipw(plainAnswerFactors(answers, uneven, PENALTY, items), uneven, { ...sample, positions: kept });
    const only = aipw(plainAnswerFactors(answers, uneven, PENALTY, sample.items), uneven, {
      ...sample,
      positions: Uint32Array.of(0, 1, 2, 3),
    });
    expect(some).toEqual(only);
  });

  test("of one answer it is that answer; all right is 1, all wrong 0, equal answers what they are", () => {
    expect(estimate({ ...drawn(1), scores: Float64Array.of(0.3) }, uneven)).toBe(0.3);
    for (const count of [2, 3, 12])
      for (const score of [0, 1, 0.25])
        expect(estimate({ ...drawn(count), scores: new Float64Array(count).fill(score) }, uneven)).toBeCloseTo(
          score,
          12,
        );
  });

  test("items that all sources answer alike: no division by zero", () => {
    const flat = answers.map((own) => own.map(() => 1));
    const sample = drawn(5);
    const { weights } = aipw(plainAnswerFactors(flat, uneven, PENALTY, sample.items), uneven, sample);
    expect(weights.every(Number.isFinite)).toBe(true);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
  });
});

const randomOfRidgeGap = createRandom("ridge gap");
const RIDGE_GAP_N = 40;
const weights = normalised(Float64Array.from({ length: RIDGE_GAP_N }, () => 0.5 + randomOfRidgeGap.next()));
const answersOfRidgeGap = drawnAnswers(randomOfRidgeGap, 15, RIDGE_GAP_N);
const full = answersOfRidgeGap.map((own) => own.reduce((sum, score, i) => sum + weights[i]! * score, 0));

const drawnOfRidgeGap = (count: number): DrawnAnchors => drawnAnchors(randomOfRidgeGap, RIDGE_GAP_N, count);

/** It doesn't look at the item weights. */
const ridgeGap = (factors: AnchorFactors, sample: Pick<AnsweredSample, "positions" | "mass">): LinearScore =>
  answerRegressions(factors, weights, { ...sample, items: sample.positions }).ridgeGap;

describe("ridgeGap", () => {
  test.each([1, 2, 7, 25, RIDGE_GAP_N])(
    "is ridge regression of the gap on the answers of the sources, %i anchors",
    (count) => {
      const { items, mass, positions, scores } = drawnOfRidgeGap(count);
      const meanOf = (own: ArrayLike<number>): number => mass.reduce((sum, share, j) => sum + share * own[j]!, 0);
      const columns = answersOfRidgeGap.map((own) => Float64Array.from(items, (i) => own[i]!));
      const gaps = columns.map((own, m) => full[m]! - meanOf(own));
      const expected = meanOf(scores) + ridgeRegression(columns, gaps, PENALTY)(scores);
      const factors = plainAnswerFactors(answersOfRidgeGap, weights, PENALTY, items);
      expect(linearScore(ridgeGap(factors, { positions, mass }), scores)).toBeCloseTo(expected, 12);
    },
  );

  test("leaves missing answers out: the same as anchors that aren't there", () => {
    const { items, mass } = drawnOfRidgeGap(12);
    const kept = [0, 3, 4, 9];
    const own = normalised(Float64Array.from(kept, (j) => mass[j]!));
    const some = ridgeGap(plainAnswerFactors(answersOfRidgeGap, weights, PENALTY, items), {
      positions: Uint32Array.from(kept),
      mass: own,
    });
    const only = ridgeGap(
      plainAnswerFactors(
        answersOfRidgeGap,
        weights,
        PENALTY,
        kept.map((j) => items[j]!),
      ),
      { positions: Uint32Array.of(0, 1, 2, 3), mass: own },
    );
    expect(some).toEqual(only);
  });

  test("goes to the anchor mean with the sources' mean gap as the penalty grows", () => {
    const { items, mass, positions, scores } = drawnOfRidgeGap(10);
    const factors = plainAnswerFactors(answersOfRidgeGap, weights, 1e12, items);
    const mean = mass.reduce((sum, share, j) => sum + share * scores[j]!, 0);
    const theirs = mass.reduce((sum, share, j) => sum + share * factors.mean[j]!, 0);
    expect(linearScore(ridgeGap(factors, { positions, mass }), scores)).toBeCloseTo(
      mean + factors.total.mean - theirs,
      9,
    );
  });

  test("all right, all wrong: finite, and apart", () => {
    const { items, mass, positions } = drawnOfRidgeGap(20);
    const regression = ridgeGap(plainAnswerFactors(answersOfRidgeGap, weights, PENALTY, items), { positions, mass });
    const [right, wrong] = [1, 0].map((score) => linearScore(regression, new Float64Array(20).fill(score)));
    expect(right).toBeGreaterThan(0.7);
    expect(wrong).toBeLessThan(0.3);
  });
});
