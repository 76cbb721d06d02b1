import { MOST_TILT, inclusionProbabilities } from "anchoreval/internal/core/numeric/sampling";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChosenAnchors } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { nestedLevels } from "../../../offline-trainer/src/anchors/nested-samples.ts";
import { tilted, tiltedWeights } from "../../../offline-trainer/src/anchors/tilted.ts";
import { expectBinomial } from "../../support/binomial.ts";
import { anchorInput } from "../../support/select-anchors.ts";

const sum = (values: Iterable<number>): number => [...values].reduce((total, own) => total + own, 0);

/** Items with a weight and a measure, which may be 0. */
const items = fc.array(
  fc.record({
    weight: fc.double({ min: 0.01, max: 10, noNaN: true }),
    measure: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  { minLength: 2, maxLength: 60 },
);

test("what is drawn by sums to the weights, each between a quarter and four times its own, in the measure's order", () => {
  fc.assert(
    fc.property(items, (own) => {
      const weights = Float64Array.from(own, ({ weight }) => weight);
      const measure = Float64Array.from(own, ({ measure }) => measure);
      const tilts = tiltedWeights(weights, measure).map((value, i) => value / weights[i]!);
      expect(sum(tilts.map((tilt, i) => tilt * weights[i]!)) / sum(weights)).toBeCloseTo(1, 12);
      tilts.forEach((tilt, i) => {
        expect(tilt).toBeGreaterThanOrEqual((1 - 1e-12) / MOST_TILT);
        expect(tilt).toBeLessThanOrEqual((1 + 1e-12) * MOST_TILT);
        tilts.forEach((other, j) => measure[i]! < measure[j]! && expect(tilt).toBeLessThanOrEqual(other + 1e-12));
      });
    }),
  );
});

test("between the bounds it is in proportion to weight × measure", () => {
  const count = 100;
  const weights = Float64Array.from({ length: count }, (_, i) => 1 + (i % 3));
  const measure = Float64Array.from({ length: count }, (_, i) => i ** 2);
  const tilts = tiltedWeights(weights, measure).map((value, i) => value / weights[i]!);
  const open = [...tilts.keys()].filter((i) => tilts[i]! > 1.001 / MOST_TILT && tilts[i]! < 0.999 * MOST_TILT);
  expect(open.length).toBeGreaterThan(30);
  for (const i of open) expect(tilts[i]! / measure[i]!).toBeCloseTo(tilts[open[0]!]! / measure[open[0]!]!, 12);
  expect(Math.min(...tilts)).toBe(1 / MOST_TILT);
});

test("an even measure, or none, is the even draw", () => {
  const weights = Float64Array.of(5, 1, 1, 1, 1);
  for (const measure of [new Float64Array(5), new Float64Array(5).fill(0.3)])
    tiltedWeights(weights, measure).forEach((own, i) => expect(own).toBeCloseTo(weights[i]!, 12));
});

test("a few items that tell everything are drawn four times as often as evenly, no more", () => {
  const measure = Float64Array.from({ length: 100 }, (_, i) => (i < 5 ? 1 : 0));
  const inclusion = inclusionProbabilities(tiltedWeights(new Float64Array(100).fill(0.01), measure), 20);
  inclusion.forEach((own, i) => expect(own).toBeCloseTo(i < 5 ? 0.8 : 16 / 95, 9));
});

test("draws every item with its stated probability at every nested size; the total is unbiased", () => {
  const draws = 5000;
  const random = createRandom("tilted draws");
  const measure = Float64Array.from({ length: 40 }, () => random.next() ** 3);
  const score = Float64Array.from({ length: 40 }, () => Math.round(random.next()));
  const input = anchorInput({ sizes: [5, 12, 30] });
  const { draw } = tilted.prepare({ ...input, knowledge: measure });
  const truth = sum(score.map((own, i) => own * input.weights[i]!));
  const levels = nestedLevels(tiltedWeights(input.weights, measure), input.sizes);
  const counts = levels.map(() => new Float64Array(40));
  const totals = levels.map(() => [] as number[]);
  for (let k = 0; k < draws; k++) {
    const { sets } = draw(random.fork(`draw ${k}`)) as ChosenAnchors;
    let outer: ArrayLike<number> = Uint32Array.from(measure.keys());
    levels.forEach(({ size, inclusion }, l) => {
      const { items, mass, inclusion: stated } = sets.get(size)!;
      items.forEach((item) => (counts[l]![item]! += 1));
      totals[l]!.push(sum(Array.from(items, (item, j) => mass[j]! * score[item]!)));
      if (k < 10) {
        expect(items.length).toBe(size);
        expect(Array.from(outer)).toEqual(expect.arrayContaining([...items]));
        expect(stated).toEqual(Float64Array.from(items, (item) => inclusion[item]!));
        expect(mass).toEqual(Float64Array.from(items, (item) => input.weights[item]! / inclusion[item]!));
      }
      outer = items;
    });
  }
  levels.forEach(({ size, inclusion }, l) => {
    expect(sum(inclusion)).toBeCloseTo(size, 9);
    inclusion.forEach((own, i) => {
      if (own > 1 - 1e-9) expect(counts[l]![i]).toBe(draws);
      else expectBinomial(counts[l]![i]!, draws, own);
    });
    const mean = sum(totals[l]!) / draws;
    const variance = sum(totals[l]!.map((own) => (own - mean) ** 2)) / draws;
    expect(Math.abs(mean - truth)).toBeLessThan(4.5 * Math.sqrt(variance / draws));
  });
});
