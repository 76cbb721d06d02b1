import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  chooseScale,
  fitProbabilityScale,
  scaledProbabilities,
} from "../../../../../features/routing/fit/probability-scale.ts";
import { readFixture } from "../../../../support/fixture.ts";

interface Fixture {
  readonly tolerance: { readonly ridge: number; readonly scale: number };
  readonly probabilities: readonly number[];
  readonly answers: readonly number[];
  readonly scale: { readonly shift: number; readonly slope: number };
}

const fixture = readFixture<Fixture>("sklearn/routing.json");

test("a probability scale is scikit-learn's logistic regression on logits", () => {
  const { shifts, slope } = fitProbabilityScale(
    Float64Array.from(fixture.probabilities),
    Float64Array.from(fixture.answers),
    1,
    "all",
  );
  expect(Math.abs(shifts[0]! - fixture.scale.shift)).toBeLessThan(fixture.tolerance.scale);
  expect(Math.abs(slope - fixture.scale.slope)).toBeLessThan(fixture.tolerance.scale);
});

test("a probability scale never turns the order of models about, and leaves missing answers aside", () => {
  const wrong = fitProbabilityScale(Float64Array.of(0.9, 0.8, 0.2, 0.1), Float64Array.of(0, 0, 1, 1), 1, "all");
  expect(wrong.slope).toBeGreaterThan(0);
  const probabilities = Float64Array.from(fixture.probabilities);
  const answers = Float64Array.from(fixture.answers);
  const padded = fitProbabilityScale(
    Float64Array.of(...probabilities, 0.5, 0.99),
    Float64Array.of(...answers, NaN, NaN),
    1,
    "all",
  );
  expect(padded).toEqual(fitProbabilityScale(probabilities, answers, 1, "all"));
});

describe("a shift for each model", () => {
  const random = createRandom("shifts");
  const count = 3 * 400;
  const probabilities = Float64Array.from({ length: count }, () => 0.1 + 0.8 * random.next());
  const truth = (at: number): number => sigmoid([-1, 0, 1.5][at % 3]! + 0.7 * logit(probabilities[at]!));
  const answers = Float64Array.from(probabilities, (_, at) => Number(random.next() < truth(at)));

  test("solves the score equations under its prior", () => {
    const scale = fitProbabilityScale(probabilities, answers, 3, "model");
    const left = answers.map((answer, at) => answer - scaledProbabilities(probabilities, scale)[at]!);
    for (const m of [0, 1, 2])
      expect(left.reduce((sum, own, at) => sum + (at % 3 === m ? own : 0), 0)).toBeCloseTo(scale.shifts[m]!, 5);
    expect(left.reduce((sum, own, at) => sum + own * logit(probabilities[at]!), 0)).toBeCloseTo(0, 5);
  });

  test("is taken where models differ, and not where they don't", () => {
    expect(chooseScale(probabilities, answers, 3).shiftOf).toBe("model");
    const alike = Float64Array.from(probabilities, (p) => Number(random.next() < p));
    const chosen = chooseScale(probabilities, alike, 3);
    expect(chosen.shiftOf).toBe("all");
    expect(new Set(chosen.scale.shifts).size).toBe(1);
  });

  test("is finite for a model with all answers right, and a question's own answers don't scale it", () => {
    const right = answers.map((answer, at) => (at % 3 === 2 ? 1 : answer));
    expect(fitProbabilityScale(probabilities, right, 3, "model").shifts[2]).toBeLessThan(10);
    const turned = answers.map((answer, at) => (Math.floor(at / 3) === 17 ? 1 - answer : answer));
    const [one, other] = [answers, turned].map((own) => chooseScale(probabilities, own, 3).crossFitted);
    expect(other!.subarray(51, 54)).toEqual(one!.subarray(51, 54));
    expect(other!.subarray(54, 57)).not.toEqual(one!.subarray(54, 57));
  });
});
