import { createRandom, itemBank, type RandomSource } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { balanceGap } from "../../../offline-trainer/src/anchors/balance-gap.ts";
import { curveFeatures } from "../../../offline-trainer/src/anchors/curve-features.ts";
import { prepareHybrid } from "../../../offline-trainer/src/anchors/hybrid.ts";
import { inclusionProbabilities } from "../../../sdk/core/numeric/sampling.ts";
import { prepareSelection, selectAnchors } from "../../../offline-trainer/src/anchors/select-anchors.ts";
import { stratifiedAnchors } from "../../../offline-trainer/src/anchors/stratified.ts";
import type { SelectedAnchors, SelectionInput } from "../../../offline-trainer/src/anchors/types.ts";
import { selectionInput } from "./selection.suite.ts";

const drawsOf = (input: SelectionInput): ((random: RandomSource) => SelectedAnchors) => {
  const prepared = prepareHybrid(input);
  return (random) => prepared.draw(random) as SelectedAnchors;
};

describe("hybrid", () => {
  test("states the probabilities that an independent simulation of its draws finds, at every size", () => {
    const DRAWS = 12_000;
    const sizes = [3, 6];
    const draw = drawsOf({ ...selectionInput({ items: 12, sizes }), simulatedProposals: 60_000 });
    const stated = new Map(sizes.map((n) => [n, new Float64Array(12)]));
    const hits = new Map(sizes.map((n) => [n, new Float64Array(12)]));
    const stream = createRandom("independent");
    for (let k = 0; k < DRAWS; k++)
      for (const [n, { items, inclusion }] of draw(stream.fork(`${k}`)).sets)
        items.forEach((item, j) => {
          hits.get(n)![item]! += 1;
          stated.get(n)![item] = inclusion![j]!;
        });
    for (const n of sizes) {
      expect(stated.get(n)!.reduce((sum, value) => sum + value, 0)).toBeCloseTo(n, 9);
      stated.get(n)!.forEach((own, i) => {
        // Some 8 000 forms were simulated, so both are counts.
        const deviation = Math.sqrt(own * (1 - own) * (1 / DRAWS + 1 / 8000));
        expect(Math.abs(hits.get(n)![i]! / DRAWS - own)).toBeLessThan(4.5 * deviation);
      });
    }
  });

  test("makes means unbiased: Hájek's over many forms, and Horvitz and Thompson's", () => {
    const sizes = [5, 10, 20];
    const input = { ...selectionInput({ sizes }), simulatedProposals: 100_000 };
    const draw = drawsOf(input);
    const scores = Float64Array.from({ length: 40 }, (_, i) => ((i * 7) % 3 === 0 ? 1 : (i % 5) / 8));
    const truth = scores.reduce((sum, score, i) => sum + input.weights[i]! * score, 0);
    const FORMS = 1500;
    const kinds = new Map(sizes.map((n) => [n, { hajek: [] as number[], total: [] as number[] }]));
    for (let k = 0; k < FORMS; k++)
      for (const [n, { items, mass }] of draw(createRandom(`form ${k}`)).sets) {
        const total = items.reduce((sum, item, j) => sum + mass[j]! * scores[item]!, 0);
        kinds.get(n)!.total.push(total);
        kinds.get(n)!.hajek.push(total / mass.reduce((sum, value) => sum + value, 0));
      }
    for (const values of [...kinds.values()].flatMap(({ hajek, total }) => [hajek, total])) {
      const mean = values.reduce((sum, value) => sum + value, 0) / FORMS;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / FORMS;
      // .004 for what π of a finite simulation leaves.
      expect(Math.abs(mean - truth)).toBeLessThan(4.5 * Math.sqrt(variance / FORMS) + 0.004);
    }
  });

  test("is balanced: its gaps are a fraction of the stratified draw's", () => {
    const input = selectionInput({ items: 200, sizes: [10, 30] });
    const draw = drawsOf(input);
    const features = curveFeatures(input.bank, input.abilities);
    for (const n of [10, 30]) {
      const gap = balanceGap(features, input.weights, inclusionProbabilities(input.weights, n));
      const mean = (select: (random: RandomSource) => SelectedAnchors): number => {
        let sum = 0;
        for (let k = 0; k < 100; k++) sum += gap(select(createRandom(k)).sets.get(n)!.items);
        return sum / 100;
      };
      expect(mean(draw)).toBeLessThan(0.5 * mean((random) => stratifiedAnchors({ ...input, random })));
    }
  });

  test("of items that are all alike is the stratified draw, with its probabilities", async () => {
    const given = selectionInput({ sizes: [5, 10] });
    const alike = { ...given, bank: itemBank(new Float64Array(80).fill(0.5), new Float64Array(40)) };
    const hybrid = (await selectAnchors("hybrid", alike)).sets;
    for (const [n, { items, inclusion }] of (await selectAnchors("stratified", alike)).sets) {
      expect(Array.from(hybrid.get(n)!.items)).toEqual(Array.from(items));
      hybrid.get(n)!.inclusion!.forEach((own, j) => expect(Math.abs(own / inclusion![j]! - 1)).toBeLessThan(0.25));
    }
  });

  test("looks at curves and accuracies, not at single answers", async () => {
    const input = selectionInput();
    const blind = { ...input, column: () => expect.unreachable("an answer was read") };
    expect((await selectAnchors("hybrid", blind)).sets).toEqual((await selectAnchors("hybrid", input)).sets);
  });

  test("has items that are certain in every form", async () => {
    const given = selectionInput({ items: 12, sizes: [3, 6] });
    const weights = given.weights.map((_, i) => (i === 4 ? 0.6 : 0.4 / 11));
    for (let seed = 0; seed < 10; seed++) {
      const { sets } = await selectAnchors("hybrid", { ...given, weights, random: createRandom(seed) });
      for (const { items, inclusion } of sets.values()) expect(inclusion![items.indexOf(4)]).toBe(1);
    }
  });
});

test("what is prepared once draws as what is prepared each time", async () => {
  for (const selection of ["stratified", "random", "hybrid"] as const) {
    const design = createRandom("one").fork("design");
    const once = prepareSelection(selection, { ...selectionInput(), random: design });
    for (let seed = 0; seed < 3; seed++) {
      const again = prepareSelection(selection, { ...selectionInput(), random: createRandom("one").fork("design") });
      expect(await once.draw(createRandom(seed))).toEqual(await again.draw(createRandom(seed)));
    }
    expect(
      await prepareSelection(selection, { ...selectionInput(), random: design }).draw(createRandom("one")),
    ).toEqual(await selectAnchors(selection, selectionInput({ seed: "one" })));
  }
});
