import {
  answerRegressions,
  createRandom,
  linearScore,
  type AnchorFactors,
  type AnsweredSample,
  type LinearScore,
} from "anchoreval/core";
import { describe, expect, test } from "vitest";
import {
  drawnAnchors,
  drawnAnswers,
  normalised,
  plainAnswerFactors,
  ridgeRegression,
  type DrawnAnchors,
} from "../../support/source-answers.ts";

const random = createRandom("ridge gap");
const N = 40;
const PENALTY = 10;
const weights = normalised(Float64Array.from({ length: N }, () => 0.5 + random.next()));
const answers = drawnAnswers(random, 15, N);
const full = answers.map((own) => own.reduce((sum, score, i) => sum + weights[i]! * score, 0));

const drawn = (count: number): DrawnAnchors => drawnAnchors(random, N, count);

/** It doesn't look at the item weights. */
const ridgeGap = (factors: AnchorFactors, sample: Pick<AnsweredSample, "positions" | "mass">): LinearScore =>
  answerRegressions(factors, weights, { ...sample, items: sample.positions }).ridgeGap;

describe("ridgeGap", () => {
  test.each([1, 2, 7, 25, N])("is ridge regression of the gap on the answers of the sources, %i anchors", (count) => {
    const { items, mass, positions, scores } = drawn(count);
    const meanOf = (own: ArrayLike<number>): number => mass.reduce((sum, share, j) => sum + share * own[j]!, 0);
    const columns = answers.map((own) => Float64Array.from(items, (i) => own[i]!));
    const gaps = columns.map((own, m) => full[m]! - meanOf(own));
    const expected = meanOf(scores) + ridgeRegression(columns, gaps, PENALTY)(scores);
    const factors = plainAnswerFactors(answers, weights, PENALTY, items);
    expect(linearScore(ridgeGap(factors, { positions, mass }), scores)).toBeCloseTo(expected, 12);
  });

  test("leaves missing answers out: the same as anchors that aren't there", () => {
    const { items, mass } = drawn(12);
    const kept = [0, 3, 4, 9];
    const own = normalised(Float64Array.from(kept, (j) => mass[j]!));
    const some = ridgeGap(plainAnswerFactors(answers, weights, PENALTY, items), {
      positions: Uint32Array.from(kept),
      mass: own,
    });
    const only = ridgeGap(
      plainAnswerFactors(
        answers,
        weights,
        PENALTY,
        kept.map((j) => items[j]!),
      ),
      { positions: Uint32Array.of(0, 1, 2, 3), mass: own },
    );
    expect(some).toEqual(only);
  });

  test("goes to the anchor mean with the sources' mean gap as the penalty grows", () => {
    const { items, mass, positions, scores } = drawn(10);
    const factors = plainAnswerFactors(answers, weights, 1e12, items);
    const mean = mass.reduce((sum, share, j) => sum + share * scores[j]!, 0);
    const theirs = mass.reduce((sum, share, j) => sum + share * factors.mean[j]!, 0);
    expect(linearScore(ridgeGap(factors, { positions, mass }), scores)).toBeCloseTo(
      mean + factors.total.mean - theirs,
      9,
    );
  });

  test("all right, all wrong: finite, and apart", () => {
    const { items, mass, positions } = drawn(20);
    const regression = ridgeGap(plainAnswerFactors(answers, weights, PENALTY, items), { positions, mass });
    const [right, wrong] = [1, 0].map((score) => linearScore(regression, new Float64Array(20).fill(score)));
    expect(right).toBeGreaterThan(0.7);
    expect(wrong).toBeLessThan(0.3);
  });
});
