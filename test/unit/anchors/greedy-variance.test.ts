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
  const features = answerFeatures(input.column, 40);
  const variance = krigingVariance(features, input.weights);

  /** The stratum of an item's middle, by weights cumulated in the order. */
  const stratum = (item: number, n: number): number => {
    const before = order.slice(0, order.indexOf(item)).reduce((sum, i) => sum + input.weights[i]!, 0);
    return Math.floor(n * (before + input.weights[item]! / 2));
  };

  test("adds the item that leaves the least variance, of those in strata without an anchor", () => {
    const sizes = [4, 9, 15];
    const chosen = greedyItems(features, input.weights, order, sizes);
    expect(chosen.length).toBe(15);
    for (let k = 0; k < 15; k++) {
      const size = sizes.find((own) => own > k)!;
      const before = chosen.slice(0, k);
      const filled = new Set(before.map((i) => stratum(i, size)));
      const left = order.filter((i) => !before.includes(i));
      const free = left.filter((i) => !filled.has(stratum(i, size)));
      const own = variance([...before, chosen[k]!]);
      const candidates = free.length > 0 ? free : left;
      expect(candidates).toContain(chosen[k]);
      for (const item of candidates) expect(own).toBeLessThanOrEqual(variance([...before, item]) * (1 + 1e-9));
    }
  });

  test("takes the lowest position of equally good items, and every item once", () => {
    const alike = answerFeatures(() => Float64Array.of(0, 1, 0), 6);
    const weights = new Float64Array(6).fill(1 / 6);
    expect(greedyItems(alike, weights, [5, 4, 3, 2, 1, 0], [3, 5])).toEqual([0, 2, 4, 1, 5]);
    const silent = answerFeatures(() => Float64Array.of(0.5), 6);
    expect(new Set(greedyItems(silent, weights, [0, 1, 2, 3, 4, 5], [6])).size).toBe(6);
  });

  test("prefers an item that is most of the weight", () => {
    const weights = input.weights.map((_, i) => (i === 4 ? 0.9 : 0.1 / 39));
    expect(greedyItems(features, weights, order, [1])).toEqual([4]);
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

  test("looks at answers and accuracies, not at curves", async () => {
    const other = anchorInput({ items: 40 });
    const blind = { ...other, bank: { ...other.bank, a: other.bank.a.map(() => NaN) } };
    expect((await selectAnchors(greedyVariance, blind)).sets).toEqual(
      (await selectAnchors(greedyVariance, input)).sets,
    );
  });
});
