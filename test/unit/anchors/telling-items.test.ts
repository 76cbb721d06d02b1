import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { answerFeatures, featuresOf, modelsToCome } from "../../../offline-trainer/src/anchors/curve-features.ts";
import { greedyItems, tellingItems } from "../../../offline-trainer/src/anchors/telling-items.ts";
import { greedyVariance } from "../../../offline-trainer/src/methods/chosen-items.ts";
import { krigingVariance } from "../../../offline-trainer/src/anchors/screened.ts";
import { type AnchorInput, byAccuracy } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { anchorInput, selectAnchors } from "../../support/select-anchors.ts";

const input = anchorInput();
const order = byAccuracy(input.accuracy);
const features = answerFeatures(input);
const variance = krigingVariance(features, input.weights);

/** Items by the reversed binary digits of their positions, which is an order that is evenly spread however far it is taken. */
function byReversedBits(items: readonly number[]): number[] {
  const reversed = (k: number): string => k.toString(2).padStart(8, "0").split("").reverse().join("");
  return items
    .map((item, k) => ({ item, key: reversed(k) }))
    .sort((x, y) => (x.key < y.key ? -1 : 1))
    .map(({ item }) => item);
}

describe("tellingItems", () => {
  const many = anchorInput({ items: 60, seed: 3 });
  const { stronger } = modelsToCome(input);

  /** Sources of which some items tell much, that stronger models all answer right; the others tell nothing of the sources. */
  const blind = (): { input: AnchorInput; stronger: Float64Array[] } => {
    const easy = (i: number): boolean => i % 2 === 0;
    const stronger = [0.1, 0.3, 0.5, 0.7, 0.9].map((p) => input.weights.map((_, i) => (easy(i) ? 0.999 : p)));
    const halves = new Float64Array(9).fill(0.5);
    const bank = itemBank(slopes(easy), new Float64Array(40));
    return { input: { ...input, bank, weights: new Float64Array(40).fill(1 / 40), column: () => halves }, stronger };
  };
  const slopes = (steep: (item: number) => boolean): Float64Array =>
    Float64Array.from({ length: 80 }, (_, k) => (steep(Math.floor(k / 2)) ? 2 : 0.05));

  test("tells stronger models nearly as well as evenly spread items do, where the greedy choice tells nothing of them", () => {
    const { input, stronger } = blind();
    const beyond = krigingVariance(featuresOf(stronger), input.weights);
    const greedy = tellingItems(input, order, 8);
    const guarded = tellingItems(input, order, 8, { stronger });
    expect(greedy.every((item) => item % 2 === 0)).toBe(true);
    expect(guarded.some((item) => item % 2 === 1)).toBe(true);
    const even = beyond(byReversedBits(order).slice(0, 8));
    expect(beyond(greedy)).toBeGreaterThan(2 * even);
    expect(beyond(guarded)).toBeLessThan(1.4 * even);
  });

  test("each item lowers most, of the variance for like models, or of that and stronger ones' where too much of it is left", () => {
    for (const { input, stronger } of [{ input: many, stronger: modelsToCome(many).stronger }, blind()]) {
      const order = byAccuracy(input.accuracy);
      const like = krigingVariance(answerFeatures(input), input.weights);
      const beyond = krigingVariance(featuresOf(stronger), input.weights);
      const chosen = tellingItems(input, order, 10, { stronger });
      expect(new Set(chosen).size).toBe(10);
      const even = byReversedBits(order);
      chosen.forEach((item, k) => {
        const before = chosen.slice(0, k);
        const share = (left: typeof variance, item: number): number => 1 - left([...before, item]) / left(before);
        const far = beyond(before) > 1.2 * beyond(even.slice(0, k));
        const gain = (item: number): number =>
          far ? (share(like, item) + share(beyond, item)) / 2 : share(like, item);
        for (const other of order)
          if (!before.includes(other)) expect(gain(other)).toBeLessThanOrEqual(gain(item) + 1e-9);
      });
    }
  });

  test("without stronger models it is the greedy choice, and costs divide what an item tells", () => {
    expect(tellingItems(input, order, 12)).toEqual(greedyItems(features, input.weights, order, 12));
    const costs = new Float64Array(input.weights.length).fill(1);
    const [best] = tellingItems(input, order, 1, { stronger });
    costs[best!] = 1000;
    expect(tellingItems(input, order, 12, { stronger, costs })).not.toContain(best);
  });

  test("leaves the models' curves as they are", () => {
    const copies = stronger.map((chances) => chances.slice());
    tellingItems(input, order, 3, { stronger });
    expect(stronger).toEqual(copies);
  });
});

describe("greedy-variance", () => {
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
