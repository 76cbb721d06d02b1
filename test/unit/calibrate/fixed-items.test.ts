import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { calibrate, type CalibrateOptions, type FixedItems } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { correlation, simulatedResponses } from "./simulated-responses.ts";

const dims = 2;
const { responses, truth } = simulatedResponses({ subjects: 150, items: 120, dims, missing: 0.1, seed: 4 });
const prior = scaledPrior(new Float64Array(dims), Float64Array.of(1, 0, 0, 1), 1);
/** The first 90 items' true parameters are fixed, the other 30 are new. */
const fixed: FixedItems = {
  isFixed: Uint8Array.from({ length: 120 }, (_, i) => (i < 90 ? 1 : 0)),
  a: truth.a,
  b: truth.b,
  prior,
};
const fit = (options: Partial<CalibrateOptions> = {}): ReturnType<typeof calibrate> =>
  calibrate(responses, { dims, backend: typescriptBackend, random: createRandom(1), fixed, ...options });

describe("fixed items", () => {
  test("stay as they are to the last bit, and put the new ones and all models on their scale", async () => {
    const { theta, a, b } = await fit();
    expect(a.subarray(0, 90 * dims)).toEqual(truth.a.subarray(0, 90 * dims));
    expect(b.subarray(0, 90)).toEqual(truth.b.subarray(0, 90));
    const newOnes = (all: Float64Array, d: number): Float64Array =>
      all.subarray(90 * dims).filter((_, k) => k % dims === d);
    for (let d = 0; d < dims; d++) {
      // On the scale itself, without a rotation: each direction by itself agrees with the truth.
      expect(correlation(newOnes(a, d), newOnes(truth.a, d))).toBeGreaterThan(d === 0 ? 0.5 : 0.85);
      const own = theta.filter((_, k) => k % dims === d);
      expect(
        correlation(
          own,
          truth.theta.filter((_, k) => k % dims === d),
        ),
      ).toBeGreaterThan(0.85);
    }
    expect(correlation(b.subarray(90), truth.b.subarray(90))).toBeGreaterThan(0.97);
  });

  test("all of them: models alone are scored", async () => {
    const { a, b } = await fit({ fixed: { ...fixed, isFixed: new Uint8Array(120).fill(1) } });
    expect([a, b]).toEqual([truth.a, truth.b]);
  });

  test.each<[string, Partial<FixedItems>]>([
    ["none fixed", { isFixed: new Uint8Array(120) }],
    ["too few discriminations", { a: new Float64Array(120) }],
    ["a mask of another length", { isFixed: new Uint8Array(119).fill(1) }],
  ])("are refused: %s", async (_, change) => {
    expectRefusal(await rejection(fit({ fixed: { ...fixed, ...change } })), "invalid_option", "fixed items:");
  });
});
