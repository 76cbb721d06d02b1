import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { initialScales, updateScales } from "../../../offline-trainer/src/calibrate/scales.ts";

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
