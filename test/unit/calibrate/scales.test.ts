import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { initialScales, updateScales, shares, startingValues } from "../../../offline-trainer/src/calibrate/scales.ts";

test("begin weakly informative: the first dimension discriminates, the others may", () => {
  expect(initialScales(3)).toEqual({
    aMean: Float64Array.of(0.8, 0, 0),
    aVariance: Float64Array.of(0.5, 0.5, 0.5),
    bMean: 0,
    bVariance: 4,
  });
});

describe("one update", () => {
  test("is mean and variance with the posterior's share added, worked out by hand", () => {
    // Two models, two items, one dimension: Σθ²/M = (1 + 4)/2 = 2.5.
    const scales = updateScales(
      { theta: Float64Array.of(1, -2), a: Float64Array.of(1, 2), b: Float64Array.of(-1, 3) },
      1,
      { aMean: Float64Array.of(0.8), aVariance: Float64Array.of(0.5), bMean: 0, bVariance: 4 },
      Float64Array.of(0.4, 0.2),
    );
    expect(scales.aMean[0]).toBe(1.5);
    // ½·[5·0.25 + (0.5² + 1/(0.4·2.5 + 2)) + (0.5² + 1/(0.2·2.5 + 2))] / 7
    expect(scales.aVariance[0]).toBeCloseTo((0.5 * (1.25 + 0.5 + 1 / 3 + 1 / 2.5)) / 7, 14);
    expect(scales.bMean).toBe(1);
    // [5·4 + (2² + 1/(0.4 + ¼)) + (2² + 1/(0.2 + ¼))] / 7
    expect(scales.bVariance).toBeCloseTo((20 + 8 + 1 / 0.65 + 1 / 0.45) / 7, 14);
  });

  test("takes the scale from a dimension that nothing needs, and leaves it to one that is used", () => {
    const random = createRandom("relevance");
    const [subjects, items] = [100, 500];
    const theta = new Float64Array(2 * subjects);
    const a = new Float64Array(2 * items);
    for (let k = 0; k < 2 * subjects; k++) theta[k] = random.normal();
    for (let i = 0; i < items; i++) a[2 * i] = 1 + 0.5 * random.normal(); // the second stays zero
    const weight = new Float64Array(items).fill(0.2 * subjects);
    let scales = initialScales(2);
    for (let round = 0; round < 30; round++)
      scales = updateScales({ theta, a, b: new Float64Array(items) }, 2, scales, weight);
    expect(scales.aVariance[1]!).toBeLessThan(0.05 * scales.aVariance[0]!);
    // Half the variance of the discriminations, 0.25, is kept.
    expect(scales.aVariance[0]).toBeGreaterThan(0.11);
    expect(scales.aVariance[0]).toBeLessThan(0.18);
  });

  test("stays finite and positive with one item, and where everything is zero", () => {
    const one = updateScales(
      { theta: Float64Array.of(0, 0), a: Float64Array.of(0), b: Float64Array.of(0) },
      1,
      initialScales(1),
      Float64Array.of(0),
    );
    for (const value of [one.aVariance[0]!, one.bVariance]) {
      expect(value).toBeGreaterThan(0);
      expect(Number.isFinite(value)).toBe(true);
    }
  });
});

/** Three models: all right, mixed with a gap, all wrong; the last item was answered by nobody. */
const responses = {
  subjects: 3,
  items: 4,
  signs: Int8Array.of(1, 1, 1, 0, 1, -1, 0, 0, -1, -1, -1, 0),
};

test("shares count what was answered, shrunk by half an answer either way", () => {
  const { subject, item, answers } = shares(responses);
  expect(Array.from(subject)).toEqual([3.5 / 4, 1.5 / 3, 0.5 / 4]);
  expect(Array.from(item)).toEqual([2.5 / 4, 1.5 / 4, 1.5 / 3, 0.5]);
  expect(Array.from(answers)).toEqual([3, 3, 2, 0]);
});

test("abilities begin as standardised logits, intercepts as the items' own", () => {
  const { theta, a, b } = startingValues(shares(responses), 3, createRandom(1));
  const first = [0, 1, 2].map((m) => theta[3 * m]!);
  expect(first.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12);
  expect(first.reduce((sum, value) => sum + value * value, 0) / 3).toBeCloseTo(1, 12);
  expect(first[0]! > first[1]! && first[1]! > first[2]!).toBe(true);
  expect(Array.from(a).filter((_, k) => k % 3 === 0)).toEqual([0.8, 0.8, 0.8, 0.8]);
  [-Math.log(2.5 / 1.5), Math.log(2.5 / 1.5), 0, 0].forEach((value, i) => expect(b[i]).toBeCloseTo(value, 14));
  // The other dimensions are drawn: no two alike, nor zero.
  const drawn = [...theta, ...a].filter((_, k) => k % 3 !== 0);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn).not.toContain(0);
});

test("depend on the seed in the drawn dimensions only", () => {
  expect(startingValues(shares(responses), 2, createRandom(1))).toEqual(
    startingValues(shares(responses), 2, createRandom(1)),
  );
  const [one, other] = [
    startingValues(shares(responses), 2, createRandom(1)),
    startingValues(shares(responses), 2, createRandom(2)),
  ];
  expect(one.theta.filter((_, k) => k % 2 === 0)).toEqual(other.theta.filter((_, k) => k % 2 === 0));
  expect(one.theta).not.toEqual(other.theta);
});

test("are finite where all models are alike", () => {
  const alike = { subjects: 2, items: 2, signs: Int8Array.of(1, -1, 1, -1) };
  const { theta } = startingValues(shares(alike), 1, createRandom(1));
  expect(Array.from(theta)).toEqual([0, 0]);
});
