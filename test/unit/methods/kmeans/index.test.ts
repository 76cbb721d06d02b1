import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type {
  AnchorInput,
  AnchorMethod,
  ChosenAnchors,
} from "../../../../offline-trainer/src/anchors/anchor-method.ts";
import { correctnessKmeans, irtKmeans } from "../../../../offline-trainer/src/methods/kmeans/index.ts";
import { anchorInput, anchorInputOf } from "../../../support/select-anchors.ts";

const draw = (method: AnchorMethod, input: AnchorInput): ChosenAnchors =>
  method.prepare(input).draw(input.random) as ChosenAnchors;

/** Items that are the same points in both spaces: value `at[i]`, twice. */
function placed(at: readonly number[], weights: readonly number[], sizes: readonly number[], seed = 1): AnchorInput {
  const total = weights.reduce((sum, value) => sum + value, 0);
  return anchorInputOf({
    weights: Float64Array.from(weights, (value) => value / total),
    accuracy: Float64Array.from(at, (_, i) => i / at.length),
    bank: itemBank(Float64Array.from(at), Float64Array.from(at)),
    abilities: Float64Array.of(-1, 0, 1),
    column: (item) => Float64Array.of(at[item]!, at[item]!),
    sizes,
    random: createRandom(seed),
  });
}

describe.each([irtKmeans, correctnessKmeans])("$name", (method) => {
  test("takes the item in the middle of each cluster, with the cluster's weight", () => {
    // Three clusters: 0, 1, 2 · 10, 11, 12 · 30.
    const input = placed([0, 1, 2, 10, 11, 12, 30], [1, 1, 1, 2, 2, 2, 5], [3]);
    const { items, mass } = draw(method, input).sets.get(3)!;
    expect(Array.from(items)).toEqual([1, 4, 6]);
    [3 / 14, 6 / 14, 5 / 14].forEach((value, j) => expect(mass[j]).toBeCloseTo(value, 14));
  });

  test("lets the weights move the middle", () => {
    // Among 0, 1, 2, 3 the heavy end has the mean near itself.
    const { items } = draw(method, placed([0, 1, 2, 3, 100], [1, 1, 1, 30, 1], [2])).sets.get(2)!;
    expect(Array.from(items)).toEqual([3, 4]);
  });

  test("has no item twice and loses no weight where items are duplicates of few points", () => {
    for (let seed = 0; seed < 30; seed++) {
      const at = [1, 1, 1, 1, 5, 5, 5, 9, 9, 9];
      const { items, mass } = draw(method, placed(at, [1, 2, 3, 4, 5, 4, 3, 2, 1, 1], [6], seed)).sets.get(6)!;
      // Three different points make three clusters, whatever was asked.
      expect(items.length).toBe(3);
      expect(new Set(Array.from(items, (item) => at[item]))).toEqual(new Set([1, 5, 9]));
      expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    }
  });

  test("has every item but one, and all of the weight, at one less than all", () => {
    for (let seed = 0; seed < 30; seed++) {
      const input = anchorInput({ items: 15, sizes: [14], seed });
      const { items, mass } = draw(method, input).sets.get(14)!;
      expect(new Set(items).size).toBe(14);
      expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
      // Singletons have their own weight.
      const own = Array.from(items).filter((item, j) => Math.abs(mass[j]! - input.weights[item]!) < 1e-15).length;
      expect(own).toBe(13);
    }
  });

  test("says that its sizes aren't nested", () => {
    expect(draw(method, anchorInput()).nested).toBe(false);
  });
});

test("irt-kmeans looks at the item parameters only, correctness-kmeans at the answers only", () => {
  const input = anchorInput();
  const otherAnswers = { ...input, column: (item: number) => Float64Array.of(item % 2, item % 3) };
  const otherBank = { ...input, bank: itemBank(new Float64Array(40).fill(1), new Float64Array(40)) };
  const items = (method: AnchorMethod, given: AnchorInput): string => draw(method, given).sets.get(10)!.items.join();
  expect(items(irtKmeans, otherAnswers)).toBe(items(irtKmeans, input));
  expect(items(correctnessKmeans, otherBank)).toBe(items(correctnessKmeans, input));
  expect(items(irtKmeans, otherBank)).not.toBe(items(irtKmeans, input));
  expect(items(correctnessKmeans, otherAnswers)).not.toBe(items(correctnessKmeans, input));
});
