import {
  answeredSample,
  createRandom,
  NO_PAIRED_SAMPLING,
  pairedSampling,
  type AnsweredSample,
  type PairedAnswers,
} from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { readFixture, relativeError } from "../../support/fixture.ts";

interface Answers {
  readonly scores: number[];
  readonly predicted: number[];
  readonly leverages: number[];
}

const { cases, tolerance } = readFixture<{
  tolerance: { relative: number };
  cases: {
    name: string;
    difference: number;
    mass: number[];
    inclusion: number[];
    a: Answers;
    b: Answers;
    expected: [number, number];
  }[];
}>("comparison/paired.json");

function sampleOf(
  mass: readonly number[],
  inclusion: readonly number[] | null,
  scores: readonly number[],
): AnsweredSample {
  const items = Uint32Array.from(mass, (_, j) => j);
  const anchors = { items, mass: Float64Array.from(mass), inclusion: inclusion && Float64Array.from(inclusion) };
  return answeredSample(anchors, scores)!;
}

/** Answers whose predictions nobody fitted to them: no leverage. */
function answers(scores: readonly number[], predicted: readonly number[], inclusion: number | null): PairedAnswers {
  const even = scores.map(() => 1 / scores.length);
  const sample = sampleOf(even, inclusion === null ? null : scores.map(() => inclusion), scores);
  return { sample, predicted, leverages: scores.map(() => 0) };
}

test.each(cases)("$name: as in exact fractions", ({ difference, mass, inclusion, a, b, expected }) => {
  const own = (model: Answers): PairedAnswers => ({ ...model, sample: sampleOf(mass, inclusion, model.scores) });
  const found = pairedSampling(difference, own(a), own(b))!;
  expect(relativeError(found.variance, expected[0])).toBeLessThan(tolerance.relative);
  expect(relativeError(found.degrees, expected[1])).toBeLessThan(tolerance.relative);
  expect(pairedSampling(-difference, own(b), own(a))).toEqual(found);
});

describe("the paired t test is its limit", () => {
  // Items without number (π = 0), no prediction, every order of the anchors alike: neighbours are then random pairs.
  const a = [1, 0, 0.25, 1, 0.5];
  const b = [0.5, 0.75, 0.25, 0, 1];
  const n = a.length;
  const gaps = a.map((value, j) => b[j]! - value);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / n;
  const paired = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / (n - 1) / n;

  function* orders(rest: readonly number[]): Generator<number[]> {
    if (rest.length === 0) yield [];
    for (const first of rest) for (const more of orders(rest.filter((j) => j !== first))) yield [first, ...more];
  }

  test("its variance, on average over the anchors' orders, is s²/n pooled with that without a model", () => {
    const zero = new Array<number>(n).fill(0);
    let sum = 0;
    let count = 0;
    for (const order of orders([0, 1, 2, 3, 4])) {
      const take = (values: readonly number[]): number[] => order.map((j) => values[j]!);
      sum += pairedSampling(mean, answers(take(a), zero, 0), answers(take(b), zero, 0))!.variance;
      count++;
    }
    const ahead = gaps.reduce((total, gap) => total + Math.max(0, gap), 0);
    const behind = gaps.reduce((total, gap) => total + Math.max(0, -gap), 0);
    const known = Math.min((2 * (n - 1) ** 2) / (3 * n - 4), 2 * (n - Math.max(ahead, behind, n - ahead - behind)));
    const squares = gaps.reduce((total, gap) => total + gap ** 2, 0);
    const free = ((squares + 1) / (n + 2) - mean ** 2) / n;
    expect(count).toBe(120);
    expect(sum / count).toBeCloseTo((known * paired + 2 * free) / (known + 2), 14);
  });

  test("and with many discordant answers that is s²/n, on two thirds of its degrees of freedom", () => {
    const random = createRandom("paired t");
    const draw = (share: number): number[] => Array.from({ length: 4000 }, () => (random.next() < share ? 1 : 0));
    const [one, other] = [draw(0.4), draw(0.6)];
    const zero = one.map(() => 0);
    const differences = one.map((value, j) => other[j]! - value);
    const average = differences.reduce((sum, gap) => sum + gap, 0) / one.length;
    const squares = differences.reduce((sum, gap) => sum + (gap - average) ** 2, 0) / (one.length - 1);
    const found = pairedSampling(average, answers(one, zero, 0), answers(other, zero, 0))!;
    expect(found.degrees / (one.length - 1)).toBeCloseTo(2 / 3, 2);
    // Neighbours' squared differences know a variance to √(3/n): three of those.
    expect(Math.abs(found.variance / (squares / one.length) - 1)).toBeLessThan(3 * Math.sqrt(3 / one.length));
  });
});

describe("at the ends", () => {
  test("a purposive choice has none, one drawn anchor is too few, none drawn is exact", () => {
    const two = answers([1, 0], [0.5, 0.5], null);
    expect(pairedSampling(0, two, two)).toBeNull();
    const one = answers([1], [0.5], 0.1);
    expect(pairedSampling(0, one, one)).toBeNull();
    const all = answers([1, 0], [0.5, 0.5], 1);
    expect(pairedSampling(0, all, all)).toEqual(NO_PAIRED_SAMPLING);
  });

  test("like answers of both models aren't certainty: the variance is that of one discordant answer in n + 2", () => {
    const same = answers([1, 0, 1, 1, 0, 1], [0.9, 0.2, 0.8, 0.7, 0.1, 0.6], 0.25);
    expect(pairedSampling(0, same, same)!.variance).toBeCloseTo(((1 / 8) * 0.75) / 6, 15);
  });
});
