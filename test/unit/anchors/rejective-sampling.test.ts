import { createRandom, type RandomSource } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { nestedLevels } from "../../../offline-trainer/src/anchors/nested-draw.ts";
import { pivotalSample } from "../../../sdk/core/numeric/sampling.ts";
import {
  acceptedShare,
  drawRejective,
  fixBounds,
  type RejectiveLevel,
} from "../../../offline-trainer/src/anchors/rejective-sampling.ts";
import { expectBinomial } from "../../support/binomial.ts";

const COUNT = 60;
const weights = new Float64Array(COUNT).fill(1 / COUNT);
const order = Array.from({ length: COUNT }, (_, k) => (k * 7) % COUNT);
const value = createRandom("values");
const at = Float64Array.from({ length: COUNT }, () => value.normal());
/** Square of the sample's sum. */
const criterion = (sample: ArrayLike<number>): number => Array.from(sample).reduce((sum, i) => sum + at[i]!, 0) ** 2;
const levels = (sizes: readonly number[]): RejectiveLevel[] =>
  nestedLevels(weights, sizes).map((level) => ({ ...level, criterion }));

describe("fixBounds", () => {
  test("lets the stated share of proposals meet the bound, at the largest size", () => {
    const { levels: bounded } = fixBounds(levels([12]), order, createRandom("pilot"));
    const { bound, share, inclusion } = bounded[0]!;
    expect(share).toBeCloseTo(1 / 12, 12); // 12 items of 60
    const random = createRandom("proposals");
    const chances = Float64Array.from(order, (i) => inclusion[i]!);
    let met = 0;
    for (let k = 0; k < 5000; k++)
      if (criterion(pivotalSample(chances, random).map((position) => order[position]!)) <= bound) met++;
    // The bound is read off 500 proposals, whose own share has the standard deviation .012.
    expect(Math.abs(met / 5000 - share)).toBeLessThan(4.5 * Math.sqrt((share * (1 - share)) / 500));
  });

  test("has one bound a size, fixed by its own stream", () => {
    const bounds = (seed: number): number[] =>
      fixBounds(levels([6, 12, 24]), order, createRandom(seed)).levels.map(({ bound }) => bound);
    expect(bounds(1)).toEqual(bounds(1));
    expect(bounds(1)).not.toEqual(bounds(2));
    expect(bounds(1).length).toBe(3);
  });
});

test("a share of .03 is accepted, more of tiny samples and of those that are nearly everything", () => {
  const share = (size: number, outer: number, own = weights): number =>
    acceptedShare(nestedLevels(own, [size])[0]!, outer);
  expect([1, 2, 10, 30, 50, 58, 59].map((size) => share(size, COUNT))).toEqual([
    1,
    1 / 2,
    1 / 10,
    1 / 30,
    1 / 10,
    1 / 2,
    1,
  ]);
  expect(share(40, 1000, new Float64Array(1000).fill(1e-3))).toBe(0.03);
  expect(share(11, 12)).toBe(1);
  // Items that are always asked are no choice.
  const heavy = Float64Array.from(weights, (_, i) => (i < 4 ? 100 : 1));
  expect(share(6, COUNT, heavy)).toBe(1 / 2);
});

describe("drawRejective", () => {
  const design = fixBounds(levels([6, 12, 24]), order, createRandom("pilot"));

  /** Streams of one seed; a judged form's or one that isn't. */
  const streams =
    (seed: number, judged: boolean) =>
    (name: string): RandomSource =>
      name === "judged" ? { ...createRandom(0), next: () => (judged ? 0.1 : 0.0999) } : createRandom(`${seed} ${name}`);

  test("takes the first proposal that meets the bound", () => {
    for (let seed = 0; seed < 20; seed++) {
      const [sample] = drawRejective({ ...design, levels: design.levels.slice(0, 1) }, streams(seed, true));
      const { bound, inclusion } = design.levels[0]!;
      const random = createRandom(`${seed} size 24`);
      const chances = Float64Array.from(order, (i) => inclusion[i]!);
      const next = (): number[] => pivotalSample(chances, random).map((position) => order[position]!);
      let expected = next();
      while (criterion(expected) > bound) expected = next();
      expect(sample).toEqual(expected);
    }
  });

  test("takes the first proposals of one form in ten", () => {
    let odd = 0;
    for (let seed = 0; seed < 20; seed++) {
      const [sample] = drawRejective(design, streams(seed, false));
      const chances = Float64Array.from(order, (i) => design.levels[0]!.inclusion[i]!);
      const first = pivotalSample(chances, createRandom(`${seed} size 24`)).map((position) => order[position]!);
      expect(sample).toEqual(first);
      if (criterion(first) > design.levels[0]!.bound) odd++;
    }
    expect(odd).toBeGreaterThan(10);
  });

  test("meets every bound nearly always, in samples that are nested, in order and of their size", () => {
    let missed = 0;
    for (let seed = 0; seed < 300; seed++) {
      const samples = drawRejective(design, streams(seed, true));
      expect(samples.map((sample) => sample.length)).toEqual([24, 12, 6]);
      samples.forEach((sample, k) => {
        expect(new Set(sample).size).toBe(sample.length);
        const rank = sample.map((i) => order.indexOf(i));
        expect(rank).toEqual(rank.toSorted((x, y) => x - y));
        if (k > 0) expect(sample.every((i) => samples[k - 1]!.includes(i))).toBe(true);
        if (criterion(sample) > design.levels[k]!.bound) missed++;
      });
    }
    expect(missed).toBeLessThan(27); // of 900
  });

  test("takes the best proposal where none of 300 meets the bound", () => {
    const out = design.levels.slice(0, 1).map((level) => ({ ...level, bound: -1 }));
    const [sample] = drawRejective({ ...design, levels: out }, streams(5, true));
    const random = createRandom("5 size 24");
    const chances = Float64Array.from(order, (i) => out[0]!.inclusion[i]!);
    const values = Array.from({ length: 300 }, () =>
      criterion(pivotalSample(chances, random).map((position) => order[position]!)),
    );
    expect(criterion(sample!)).toBe(Math.min(...values));
  });

  test("has a sample even where the criterion is no number", () => {
    const broken = design.levels.map((level) => ({ ...level, criterion: () => NaN }));
    expect(drawRejective({ ...design, levels: broken }, streams(1, true)).map((sample) => sample.length)).toEqual([
      24, 12, 6,
    ]);
  });

  test("draws what a proposal is where every one is good: π is the proposals' own", () => {
    const all = design.levels.map((level) => ({ ...level, bound: Infinity }));
    const hits = new Float64Array(COUNT);
    const random = createRandom("all");
    for (let k = 0; k < 4000; k++)
      for (const i of drawRejective({ ...design, levels: all }, () => random)[2]!) hits[i]! += 1;
    hits.forEach((count) => expectBinomial(count, 4000, 0.1));
  });
});
