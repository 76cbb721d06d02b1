import { createRandom, itemBank } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { bestProposal } from "../../../offline-trainer/src/anchors/best-proposal.ts";
import { curveFeatures } from "../../../offline-trainer/src/anchors/curve-features.ts";
import { krigingVariance } from "../../../offline-trainer/src/anchors/kriging-variance.ts";
import { drawNested, nestedLevels } from "../../../offline-trainer/src/anchors/nested-draw.ts";
import { pivotalSample } from "../../../sdk/core/numeric/sampling.ts";
import { prepareScreened, PROPOSALS } from "../../../offline-trainer/src/anchors/screened.ts";
import { selectAnchors } from "../../../offline-trainer/src/anchors/select-anchors.ts";
import { stratifiedAnchors } from "../../../offline-trainer/src/anchors/stratified.ts";
import { byAccuracy, type SelectedAnchors, type SelectionInput } from "../../../offline-trainer/src/anchors/types.ts";
import { selectionInput } from "./selection.suite.ts";

const screened = (input: SelectionInput): SelectedAnchors =>
  prepareScreened(input).draw(input.random) as SelectedAnchors;
const varianceOf = ({ bank, abilities, weights }: SelectionInput): ((sample: ArrayLike<number>) => number) =>
  krigingVariance(curveFeatures(bank, abilities), weights);

describe("screened", () => {
  test("is the best of its draws: at every size, among the samples of the next larger", () => {
    for (let seed = 0; seed < 5; seed++) {
      const input = selectionInput({ items: 60, sizes: [5, 10, 20], seed });
      const variance = varianceOf(input);
      const levels = nestedLevels(input.weights, input.sizes);
      const drawn = screened(input).sets;
      drawNested(levels, byAccuracy(input.accuracy), (probabilities, { size }, pool) => {
        const random = input.random.fork(`size ${size}`);
        const own = Array.from(drawn.get(size)!.items);
        const proposals = Array.from({ length: PROPOSALS }, () =>
          pivotalSample(probabilities, random).map((position) => pool[position]!),
        );
        expect(proposals).toContainEqual(own);
        for (const proposal of proposals) expect(variance(own)).toBeLessThanOrEqual(variance(proposal));
        return own.map((item) => pool.indexOf(item));
      });
    }
  });

  test("is never worse than the stratified draw of the same stream, which is its first proposal, and better on average", () => {
    const sum = { own: 0, plain: 0 };
    for (let seed = 0; seed < 20; seed++) {
      const input = selectionInput({ items: 60, sizes: [10], seed });
      const variance = varianceOf(input);
      const own = variance(screened(input).sets.get(10)!.items);
      const plain = variance(stratifiedAnchors(input).sets.get(10)!.items);
      expect(own).toBeLessThanOrEqual(plain);
      sum.own += own;
      sum.plain += plain;
    }
    expect(sum.own).toBeLessThan(0.9 * sum.plain);
  });

  test("of items that are all alike, equal in weight too, is the stratified draw: ties go to the first", () => {
    const given = selectionInput({ sizes: [10] });
    const alike = {
      ...given,
      weights: new Float64Array(40).fill(1 / 40),
      bank: itemBank(new Float64Array(80), new Float64Array(40)),
    };
    expect(screened(alike).sets).toEqual(stratifiedAnchors(alike).sets);
  });

  test("looks at curves and accuracies, not at single answers", async () => {
    const input = selectionInput();
    const blind = { ...input, column: () => expect.unreachable("an answer was read") };
    expect((await selectAnchors("screened", blind)).sets).toEqual((await selectAnchors("screened", input)).sets);
  });

  test("has items that are certain in every form", () => {
    const given = selectionInput({ items: 12, sizes: [3, 6] });
    const weights = given.weights.map((_, i) => (i === 4 ? 0.6 : 0.4 / 11));
    for (let seed = 0; seed < 10; seed++)
      for (const { items, inclusion } of screened({ ...given, weights, random: createRandom(seed) }).sets.values())
        expect(inclusion![items.indexOf(4)]).toBe(1);
  });
});

describe("bestProposal", () => {
  const pool = [7, 3, 5, 1, 9, 4];
  const probabilities = new Float64Array(6).fill(0.5);
  const sum = (sample: ArrayLike<number>): number => Array.from(sample).reduce((total, item) => total + item, 0);
  const items = (positions: readonly number[]): number[] => positions.map((position) => pool[position]!);

  test("is the first that meets a bound, and the best of all without one", () => {
    for (let seed = 0; seed < 20; seed++) {
      const stream = createRandom(seed);
      const proposals = Array.from({ length: 50 }, () => items(pivotalSample(probabilities, stream)));
      const best = items(bestProposal(pool, probabilities, createRandom(seed), { criterion: sum, most: 50 }));
      expect(sum(best)).toBe(Math.min(...proposals.map(sum)));
      const first = bestProposal(pool, probabilities, createRandom(seed), { criterion: sum, most: 50, bound: 13 });
      expect(items(first)).toEqual(proposals.find((proposal) => sum(proposal) <= 13));
    }
  });

  test("is the best of those seen where none meets the bound", () => {
    const options = { criterion: sum, most: 3, bound: -1 };
    const stream = createRandom("few");
    const least = Math.min(...Array.from({ length: 3 }, () => sum(items(pivotalSample(probabilities, stream)))));
    expect(sum(items(bestProposal(pool, probabilities, createRandom("few"), options)))).toBe(least);
  });
});
