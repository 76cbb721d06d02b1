import { describe, expect, test } from "vitest";
import { curveAt } from "../../../offline-trainer/src/smoothing/smooth-curve.ts";
import { smoothMap } from "../../../offline-trainer/src/smoothing/smooth-map.ts";

describe("a smooth map", () => {
  test("is the mean where all x are the same", () => {
    const map = smoothMap(Float64Array.of(0.5, 0.5), Float64Array.of(0.2, 0.4));
    for (const at of [0, 0.5, 1]) expect(curveAt(map, at)).toBeCloseTo(0.3, 15);
  });

  test("is the line of least squares where few differ", () => {
    // Slope Σ(x−x̄)(y−ȳ)/Σ(x−x̄)² = .25/.5 with x̄ = .5, ȳ = .5
    const map = smoothMap(Float64Array.of(0, 0.5, 1), Float64Array.of(0.3, 0.4, 0.8));
    for (const at of [-1, 0, 0.25, 1, 3]) expect(curveAt(map, at)).toBeCloseTo(0.5 + 0.5 * (at - 0.5), 12);
  });

  test("follows a curve, whatever the order of the points, and goes on straight beyond them", () => {
    const x = Float64Array.from({ length: 200 }, (_, k) => ((k * 77) % 200) / 200);
    const map = smoothMap(
      x,
      x.map((own) => Math.sin(3 * own)),
    );
    for (let at = 0.02; at < 0.98; at += 0.01) expect(Math.abs(curveAt(map, at) - Math.sin(3 * at))).toBeLessThan(1e-3);
    for (const [end, step] of [
      [0, -0.1],
      [0.995, 0.1],
    ] as const)
      expect(curveAt(map, end + 2 * step) - curveAt(map, end + step)).toBeCloseTo(
        curveAt(map, end + step) - curveAt(map, end),
        12,
      );
    const slope = (curveAt(map, 0.995) - curveAt(map, 0.995 - 1e-6)) / 1e-6;
    expect((curveAt(map, 1.095) - curveAt(map, 0.995)) / 0.1).toBeCloseTo(slope, 4);
    expect(curveAt(map, NaN)).toBeNaN();
  });
});
