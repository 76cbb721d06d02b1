import type { AnchorFactors } from "anchoreval/internal/core/estimators/types";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponse } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  answerFactors,
  askedItems,
  scoreFactors,
  sourceAnswers,
} from "../../../offline-trainer/src/calibrate/factors.ts";
import { responseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { drawnAnswers, normalised } from "../../support/source-answers.ts";

type FactoredScenario = Parameters<typeof scoreFactors>[0][number];

const random = createRandom("answer factors");
const N = 120;
const weights = normalised(Float64Array.from({ length: N }, () => 0.5 + random.next()));
const items = Uint32Array.from(random.shuffle(Array.from({ length: N }, (_, i) => i)));

/** Answers of some models, NaN where there is none. */
function sourcesOf(rows: readonly Float64Array[]) {
  const matrix = responseMatrix(
    rows.map((_, m) => `model ${m}`),
    Array.from(weights, (_, i) => ({ item_id: String(i), scenario: "s" })),
    Float64Array.from(rows.flatMap((own) => Array.from(own))),
  );
  const accuracy = weights.map((_, i) => {
    const known = rows.map((__, m) => scoreAt(matrix, m, i)).filter((score) => !Number.isNaN(score));
    return known.reduce((sum, score) => sum + score, 0) / known.length;
  });
  return sourceAnswers(
    matrix,
    rows.map((_, m) => m),
    { weights, accuracy },
  );
}

/** Covariances over the models of answers less the items' means, a missing one at its mean. */
function covariances(rows: readonly Float64Array[], x: number, y: number): number {
  const mean = (i: number): number => {
    const known = rows.map((own) => own[i]!).filter((score) => !Number.isNaN(score));
    return known.reduce((sum, score) => sum + score / known.length, 0);
  };
  const [first, second] = [mean(x), mean(y)];
  return rows.reduce((sum, own) => {
    const product = (own[x]! - first) * (own[y]! - second);
    return sum + (Number.isNaN(product) ? 0 : product) / rows.length;
  }, 0);
}

const product = ({ rank, loadings }: AnchorFactors, j: number, other: ArrayLike<number>, k: number): number => {
  let sum = 0;
  for (let r = 0; r < rank; r++) sum += loadings[j * rank + r]! * other[k * rank + r]!;
  return sum;
};

describe("answerFactors", () => {
  test.each([
    { models: 20, asked: 40 },
    { models: 100, asked: 45 },
  ])("are the answers' covariances, with each other and with the full score: %o", ({ models, asked }) => {
    const rows = drawnAnswers(random, models, N);
    const factors = answerFactors(sourcesOf(rows), items.slice(0, asked));
    expect(factors.rank).toBeLessThan(Math.min(models, asked) + 1);
    for (let j = 0; j < asked; j++) {
      for (let k = 0; k <= j; k++)
        expect(product(factors, j, factors.loadings, k)).toBeCloseTo(covariances(rows, items[j]!, items[k]!), 5);
      const toward = weights.reduce((sum, weight, i) => sum + weight * covariances(rows, items[j]!, i), 0);
      expect(product(factors, j, factors.total.loadings, 0)).toBeCloseTo(toward, 5);
      expect(factors.noise[j]).toBeCloseTo(10 / models, 5);
    }
    const level = rows.reduce((sum, own) => sum + own.reduce((s, y, i) => s + weights[i]! * y, 0) / models, 0);
    expect(factors.total.mean).toBeCloseTo(level, 6);
  });

  test("past 48, the first items are exact and the others keep their variance", () => {
    const rows = drawnAnswers(random, 150, N);
    const factors = answerFactors(sourcesOf(rows), items);
    expect(factors.rank).toBe(48);
    for (const [j, item] of items.entries()) {
      const own = product(factors, j, factors.loadings, j) + factors.noise[j]! - 10 / 150;
      expect(own).toBeCloseTo(covariances(rows, item, item), 5);
      expect(product(factors, j, factors.loadings, 3)).toBeCloseTo(covariances(rows, item, items[3]!), 5);
    }
    const few = answerFactors(sourcesOf(rows), items.slice(0, 48));
    expect(few.loadings).toEqual(factors.loadings.slice(0, 48 * 48));
  });

  test("a missing answer stands at the item's mean; an item that no source answered may have any score", () => {
    const rows = drawnAnswers(random, 30, N).map((own, m) =>
      own.map((y, i) => ((m + i) % 7 === 0 || i === 5 ? NaN : y)),
    );
    const asked = Uint32Array.of(2, 5, 9);
    const { mean, loadings, noise, rank, ...rest } = answerFactors(sourcesOf(rows), asked);
    const factors = { mean, loadings, noise, rank, ...rest };
    expect(product(factors, 0, loadings, 2)).toBeCloseTo(covariances(rows, 2, 9), 6);
    expect(product(factors, 1, loadings, 1)).toBe(0);
    expect(noise[1]).toBeCloseTo(10 / 30 + mean[1]! * (1 - mean[1]!), 6);
    expect(mean[1]).toBeGreaterThan(0.2);
  });

  test("one source, or items that all answer alike: finite, without any covariance", () => {
    for (const rows of [drawnAnswers(random, 1, N), drawnAnswers(random, 5, N).map((own) => own.fill(1))]) {
      const { rank, loadings, noise, total } = answerFactors(sourcesOf(rows), items.slice(0, 4));
      expect([rank, ...loadings]).toEqual([1, 0, 0, 0, 0]);
      expect(noise[0]).toBeCloseTo(10 / rows.length, 6);
      expect(total.loadings).toEqual(Float64Array.of(0));
    }
  });
});

test("items are asked the smallest form's first, by index among those that a form adds", () => {
  const form = (...own: number[]) => ({
    items: Uint32Array.from(own),
    mass: new Float64Array(own.length),
    inclusion: null,
  });
  expect([...askedItems([form(7, 3), form(9, 3, 1, 7)])]).toEqual([3, 7, 1, 9]);
});

const sourcesRandom = createRandom("score factors");
const ITEMS = 25;
const D = 2;
const bank = itemBank(
  Float64Array.from({ length: ITEMS * D }, () => 0.8 + 0.5 * sourcesRandom.normal()),
  Float64Array.from({ length: ITEMS }, () => sourcesRandom.normal()),
);
const itemWeights = new Float64Array(ITEMS).fill(1 / ITEMS);
const accuracy = Float64Array.from({ length: ITEMS }, () => sourcesRandom.next());
const abilities = (models: number): Float64Array =>
  Float64Array.from({ length: models * D }, () => sourcesRandom.normal());

/** Covariance of the curves over the abilities, and the mean of P(1−P). */
function moments(theta: Float64Array): { mean: number[]; covariance: number[][]; open: number[] } {
  const models = theta.length / D;
  const p = Array.from({ length: models }, (_, m) =>
    Array.from({ length: ITEMS }, (__, i) => itemResponse(theta.subarray(m * D, (m + 1) * D), bank, i)),
  );
  const average = (value: (m: number) => number): number => p.reduce((sum, _, m) => sum + value(m), 0) / models;
  const mean = Array.from({ length: ITEMS }, (_, i) => average((m) => p[m]![i]!));
  return {
    mean,
    covariance: mean.map((_, i) =>
      mean.map((__, j) => average((m) => (p[m]![i]! - mean[i]!) * (p[m]![j]! - mean[j]!))),
    ),
    open: mean.map((_, i) => average((m) => p[m]![i]! * (1 - p[m]![i]!))),
  };
}

const factorsOf = (change: Partial<FactoredScenario> & Pick<FactoredScenario, "theta">): AnchorFactors =>
  scoreFactors([{ bank, scoreMap: null, weights: itemWeights, accuracy, dispersion: 1, ...change }])[0]!;

describe("scoreFactors", () => {
  test("with as many factors as abilities give, loadings and noise are the curves' covariance and the answers'", () => {
    const theta = abilities(12);
    const { rank, loadings, noise, mean, total } = factorsOf({ theta });
    expect(rank).toBeLessThan(12); // centred: one fewer than there are abilities
    const { covariance, open } = moments(theta);
    const variance = covariance.reduce((sum, row, i) => sum + row[i]!, 0);
    let left = 0;
    for (let i = 0; i < ITEMS; i++) {
      for (let j = 0; j < ITEMS; j++) {
        let value = 0;
        for (let r = 0; r < rank; r++) value += loadings[i * rank + r]! * loadings[j * rank + r]!;
        expect(Math.abs(value - covariance[i]![j]!)).toBeLessThan(1e-3 * variance);
        if (i === j) left += covariance[i]![i]! - value;
        if (i === j) expect(noise[i]).toBeCloseTo(open[i]! + covariance[i]![i]! - value + 1e-4, 5);
      }
      expect(mean[i]).toBeCloseTo(accuracy[i]!, 6);
    }
    expect(left / variance).toBeLessThan(1e-3);
    expect(total.mean).toBeCloseTo(
      Array.from(mean).reduce((sum, value) => sum + value / ITEMS, 0),
      12,
    );
  });

  test("keep an item's whole variance, however many factors are left out", () => {
    const theta = abilities(200);
    const factors = factorsOf({ theta });
    expect(factors.rank).toBeLessThanOrEqual(48);
    const every = Float64Array.from({ length: 64 * D }, (_, k) => {
      const m = Math.floor(((Math.floor(k / D) + 0.5) * 200) / 64);
      return theta[m * D + (k % D)]!;
    });
    const { covariance, open } = moments(every);
    for (let i = 0; i < ITEMS; i++) {
      let value = factors.noise[i]!;
      for (let r = 0; r < factors.rank; r++) value += factors.loadings[i * factors.rank + r]! ** 2;
      expect(value).toBeCloseTo(covariance[i]![i]! + open[i]! + 1e-4, 5);
    }
  });

  test("graded scores have a share of the binary noise; an item without answers has its predicted mean", () => {
    const theta = abilities(12);
    const unknown = accuracy.with(3, NaN);
    const { mean, noise } = factorsOf({ accuracy: unknown, theta, dispersion: 0.25 });
    const whole = factorsOf({ accuracy: unknown, theta });
    const expected = moments(theta);
    expect(mean[3]).toBeCloseTo(expected.mean[3]!, 6);
    expect(whole.noise[3]! - noise[3]!).toBeCloseTo(0.75 * expected.open[3]!, 5);
  });

  test("of several scenarios say what answers in one tell of another: the covariance of both's curves", () => {
    const theta = abilities(12);
    const other = abilities(12);
    const [first, second] = scoreFactors(
      [theta, other].map((own) => ({
        bank,
        scoreMap: null,
        weights: itemWeights,
        accuracy,
        dispersion: 1,
        theta: own,
      })),
    );
    expect(second!.rank).toBe(first!.rank);
    const p = [theta, other].map((own) =>
      Array.from({ length: 12 }, (_, m) =>
        Array.from({ length: ITEMS }, (__, i) => itemResponse(own.subarray(m * D, (m + 1) * D), bank, i)),
      ),
    );
    const mean = (s: number, i: number): number => p[s]!.reduce((sum, row) => sum + row[i]!, 0) / 12;
    for (let i = 0; i < ITEMS; i++)
      for (let j = 0; j < ITEMS; j++) {
        let value = 0;
        for (let r = 0; r < first!.rank; r++)
          value += first!.loadings[i * first!.rank + r]! * second!.loadings[j * first!.rank + r]!;
        const expected =
          p[0]!.reduce((sum, row, m) => sum + (row[i]! - mean(0, i)) * (p[1]![m]![j]! - mean(1, j)), 0) / 12;
        expect(value).toBeCloseTo(expected, 2);
      }
  });

  test("one source model, or flat items: finite factors", () => {
    for (const theta of [abilities(1), new Float64Array(8)]) {
      const { rank, loadings, noise } = factorsOf({ theta });
      expect(rank).toBe(1);
      expect([...loadings].every((value) => Math.abs(value) < 1e-6)).toBe(true);
      expect([...noise].every((value) => value > 0 && value < 0.3)).toBe(true);
    }
  });
});
