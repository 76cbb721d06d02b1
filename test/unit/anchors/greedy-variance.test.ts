import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { answerFeatures } from "../../../offline-trainer/src/anchors/curve-features.ts";
import { greedyItems, greedyVariance } from "../../../offline-trainer/src/anchors/greedy-variance.ts";
import { krigingVariance } from "../../../offline-trainer/src/anchors/screened.ts";
import { byAccuracy } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { anchorInput, selectAnchors } from "../../support/select-anchors.ts";

describe("greedy-variance", () => {
  const input = anchorInput();
  const order = byAccuracy(input.accuracy);
  const features = answerFeatures(input);
  const variance = krigingVariance(features, input.weights);

  test("adds the item that leaves the least variance", () => {
    const chosen = greedyItems(features, input.weights, order, 15);
    expect(new Set(chosen).size).toBe(15);
    for (let k = 0; k < 15; k++) {
      const before = chosen.slice(0, k);
      const own = variance([...before, chosen[k]!]);
      for (const item of order)
        if (!before.includes(item)) expect(own).toBeLessThanOrEqual(variance([...before, item]) * (1 + 1e-9));
    }
  });

  test("takes the lowest position of equally good items, and only those that may be chosen", () => {
    const alike = { count: 6, width: 1, loadings: new Float64Array(6).fill(0.2), noise: new Float64Array(6).fill(0.1) };
    const weights = new Float64Array(6).fill(1 / 6);
    expect(greedyItems(alike, weights, [5, 4, 3, 2, 1, 0], 3)).toEqual([0, 1, 2]);
    expect(greedyItems(alike, weights, [5, 2, 4], 3)).toEqual([2, 4, 5]);
  });

  test("prefers an item that is most of the weight", () => {
    const weights = input.weights.map((_, i) => (i === 4 ? 0.9 : 0.1 / 39));
    expect(greedyItems(features, weights, order, 1)).toEqual([4]);
  });

  test("draws nothing: every seed has the same anchors, each standing for the same share", async () => {
    const { sets, nested } = await selectAnchors(greedyVariance, input);
    expect(nested).toBe(true);
    expect((await selectAnchors(greedyVariance, { ...input, random: createRandom("other") })).sets).toEqual(sets);
    for (const [size, { mass, inclusion }] of sets) {
      expect(inclusion).toBeNull();
      expect(Array.from(mass)).toEqual(new Array(size).fill(1 / size));
    }
  });
});
