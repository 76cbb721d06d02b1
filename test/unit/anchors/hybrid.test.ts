import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { cholesky, choleskyInverse } from "anchoreval/internal/core/numeric/dense";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type { AnchorInput, AnchorMethod, ChosenAnchors } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { curveFeatures } from "../../../offline-trainer/src/anchors/curve-features.ts";
import {
  acceptedShare,
  balanceGap,
  drawRejective,
  fixBounds,
  hybrid,
  type RejectiveLevel,
  simulatedInclusion,
  tiltVariance,
} from "../../../offline-trainer/src/anchors/hybrid.ts";
import { nestedLevels } from "../../../offline-trainer/src/anchors/nested-samples.ts";
import { stratified } from "../../../offline-trainer/src/anchors/stratified.ts";
import { inclusionProbabilities, pivotalSample } from "../../../sdk/core/numeric/sampling.ts";
import { expectBinomial } from "../../support/binomial.ts";
import { anchorInput, selectAnchors } from "../../support/select-anchors.ts";
import { drawnFeatures } from "./drawn-features.ts";

/** Draws without waiting. */
const drawsOf = (method: AnchorMethod, input: AnchorInput): ((random: RandomSource) => ChosenAnchors) => {
  const { draw } = method.prepare(input);
  return (random) => draw(random) as ChosenAnchors;
};

describe("hybrid", () => {
  test("states the probabilities that an independent simulation of its draws finds, at every size", () => {
    const DRAWS = 12_000;
    const sizes = [3, 6];
    const draw = drawsOf(hybrid, { ...anchorInput({ items: 12, sizes }), final: true });
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
        // More than 8 000 forms were simulated, so both are counts.
        const deviation = Math.sqrt(own * (1 - own) * (1 / DRAWS + 1 / 8000));
        expect(Math.abs(hits.get(n)![i]! / DRAWS - own)).toBeLessThan(4.5 * deviation);
      });
    }
  });

  test("makes means unbiased: Hájek's over many forms, and Horvitz and Thompson's", () => {
    const sizes = [5, 10, 20];
    const input = { ...anchorInput({ sizes }), final: true };
    const draw = drawsOf(hybrid, input);
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
    const input = anchorInput({ items: 200, sizes: [10, 30] });
    const draw = drawsOf(hybrid, input);
    const features = curveFeatures(input.bank, input.abilities);
    for (const n of [10, 30]) {
      const gap = balanceGap(features, input.weights, inclusionProbabilities(input.weights, n));
      const mean = (select: (random: RandomSource) => ChosenAnchors): number => {
        let sum = 0;
        for (let k = 0; k < 100; k++) sum += gap(select(createRandom(k)).sets.get(n)!.items);
        return sum / 100;
      };
      expect(mean(draw)).toBeLessThan(0.5 * mean(drawsOf(stratified, input)));
    }
  });

  test("of items that are all alike is the stratified draw, with its probabilities", async () => {
    const given = anchorInput({ sizes: [5, 10] });
    const alike = { ...given, bank: itemBank(new Float64Array(80).fill(0.5), new Float64Array(40)) };
    const balanced = (await selectAnchors(hybrid, alike)).sets;
    for (const [n, { items, inclusion }] of (await selectAnchors(stratified, alike)).sets) {
      expect(Array.from(balanced.get(n)!.items)).toEqual(Array.from(items));
      balanced.get(n)!.inclusion!.forEach((own, j) => expect(Math.abs(own / inclusion![j]! - 1)).toBeLessThan(0.25));
    }
  });

  test("looks at curves and accuracies, not at single answers", async () => {
    const input = anchorInput();
    const blind = { ...input, column: () => expect.unreachable("an answer was read") };
    expect((await selectAnchors(hybrid, blind)).sets).toEqual((await selectAnchors(hybrid, input)).sets);
  });

  test("has items that are certain in every form", async () => {
    const given = anchorInput({ items: 12, sizes: [3, 6] });
    const weights = given.weights.map((_, i) => (i === 4 ? 0.6 : 0.4 / 11));
    for (let seed = 0; seed < 10; seed++) {
      const { sets } = await selectAnchors(hybrid, { ...given, weights, random: createRandom(seed) });
      for (const { items, inclusion } of sets.values()) expect(inclusion![items.indexOf(4)]).toBe(1);
    }
  });
});

const COUNT = 12;
const WIDTH = 3;
const random = createRandom("balance");
const { features, weights } = drawnFeatures(random, COUNT, WIDTH);
const z = (i: number, k: number): number => features.loadings[i * WIDTH + k]!;
const samples = Array.from({ length: 30 }, () =>
  random
    .shuffle(Array.from({ length: COUNT }, (_, i) => i))
    .slice(0, 5)
    .sort((x, y) => x - y),
);

describe("balanceGap", () => {
  const inclusion = inclusionProbabilities(weights, 5);
  const gap = balanceGap(features, weights, inclusion);

  test("is δᵀCδ, written out", () => {
    const precision = new Float64Array(WIDTH * WIDTH);
    for (let r = 0; r < WIDTH; r++)
      for (let c = 0; c < WIDTH; c++) {
        precision[r * WIDTH + c] = r === c ? 1 : 0;
        for (let i = 0; i < COUNT; i++)
          precision[r * WIDTH + c]! += (inclusion[i]! * z(i, r) * z(i, c)) / features.noise[i]!;
      }
    const covariance = choleskyInverse(cholesky(precision, WIDTH)!, WIDTH);
    for (const sample of samples) {
      const mass = sample.reduce((sum, i) => sum + weights[i]! / inclusion[i]!, 0);
      const delta = [0, 1, 2].map(
        (k) =>
          sample.reduce((sum, i) => sum + ((weights[i]! / inclusion[i]!) * z(i, k)) / mass, 0) -
          weights.reduce((sum, w, i) => sum + w * z(i, k), 0),
      );
      const expected = delta.reduce(
        (sum, x, r) => sum + delta.reduce((part, y, c) => part + x * covariance[r * WIDTH + c]! * y, 0),
        0,
      );
      expect(gap(sample) / expected).toBeCloseTo(1, 10);
    }
  });

  test("is 0 for the scenario whole, and where curves are flat", () => {
    const whole = Array.from({ length: COUNT }, (_, i) => i);
    expect(balanceGap(features, weights, new Float64Array(COUNT).fill(1))(whole)).toBeLessThan(1e-28);
    const flat = balanceGap({ ...features, loadings: new Float64Array(COUNT * WIDTH) }, weights, inclusion);
    for (const sample of samples) expect(flat(sample)).toBe(0);
  });

  test("does not tell a curve from its mirror image, nor one rotation of the abilities from another", () => {
    const mirrored = balanceGap(
      { ...features, loadings: features.loadings.map((value) => -value) },
      weights,
      inclusion,
    );
    const [cos, sin] = [Math.cos(0.7), Math.sin(0.7)];
    const turned = features.loadings.map((value, at) =>
      at % WIDTH === 0
        ? cos * value + sin * features.loadings[at + 1]!
        : at % WIDTH === 1
          ? cos * value - sin * features.loadings[at - 1]!
          : value,
    );
    const rotated = balanceGap({ ...features, loadings: turned }, weights, inclusion);
    for (const sample of samples) {
      expect(mirrored(sample)).toBeCloseTo(gap(sample), 12);
      expect(rotated(sample)).toBeCloseTo(gap(sample), 12);
    }
  });
});

const POOL = 60;
const evenWeights = new Float64Array(POOL).fill(1 / POOL);
const order = Array.from({ length: POOL }, (_, k) => (k * 7) % POOL);
const value = createRandom("values");
const at = Float64Array.from({ length: POOL }, () => value.normal());
/** Square of the sample's sum. */
const criterion = (sample: ArrayLike<number>): number => Array.from(sample).reduce((sum, i) => sum + at[i]!, 0) ** 2;
const levels = (sizes: readonly number[]): RejectiveLevel[] =>
  nestedLevels(evenWeights, sizes).map((level) => ({ ...level, criterion }));

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
  const share = (size: number, outer: number, own = evenWeights): number =>
    acceptedShare(nestedLevels(own, [size])[0]!, outer);
  expect([1, 2, 10, 30, 50, 58, 59].map((size) => share(size, POOL))).toEqual([
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
  const heavy = Float64Array.from(evenWeights, (_, i) => (i < 4 ? 100 : 1));
  expect(share(6, POOL, heavy)).toBe(1 / 2);
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
    const hits = new Float64Array(POOL);
    const random = createRandom("all");
    for (let k = 0; k < 4000; k++)
      for (const i of drawRejective({ ...design, levels: all }, () => random)[2]!) hits[i]! += 1;
    hits.forEach((count) => expectBinomial(count, 4000, 0.1));
  });
});

const SIMULATED = 200;
const tilts = createRandom("inclusion");
const unevenWeights = Float64Array.from({ length: SIMULATED }, (_, i) => (i === 7 ? 20 : 0.5 + tilts.next()));
const proposed = inclusionProbabilities(unevenWeights, 30);
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
/** The proposals' probabilities with their log-odds tilted, brought to the same sum. */
const tilted = (tilt: number): Float64Array => {
  const odds = proposed.map((own) => (own / (1 - own)) * Math.exp(tilt * tilts.normal()));
  const at = (factor: number): Float64Array =>
    odds.map((own, i) => (i === 7 ? 1 : (factor * own) / (1 + factor * own)));
  let [low, high] = [0.01, 100];
  for (let k = 0; k < 100; k++) {
    const middle = Math.sqrt(low * high);
    if (sum(at(middle)) < 30) low = middle;
    else high = middle;
  }
  return at(low);
};
function hitsOf(truth: Float64Array, samples: number, seed: string): Float64Array {
  const stream = createRandom(seed);
  const hits = new Float64Array(SIMULATED);
  // In a random order, so that a sample's items are nearly independent.
  for (let k = 0; k < samples; k++) {
    const order = stream.shuffle(Array.from({ length: SIMULATED }, (_, i) => i));
    for (const at of pivotalSample(
      Float64Array.from(order, (i) => truth[i]!),
      stream,
    ))
      hits[order[at]!]! += 1;
  }
  return hits;
}
const error = (values: Float64Array, truth: Float64Array): number =>
  Math.sqrt(values.reduce((total, value, i) => total + (value - truth[i]!) ** 2, 0) / SIMULATED);

describe("simulatedInclusion", () => {
  test.each([
    ["without a tilt", 0],
    ["with a slight one", 0.2],
    ["with a strong one", 1],
  ])("%s: sums to the size, lies in (0,1], leaves what is certain", (_, tilt) => {
    for (const samples of [2, 40, 2000]) {
      const result = simulatedInclusion(hitsOf(tilted(tilt), samples, `${tilt} ${samples}`), samples, proposed);
      expect(sum(result)).toBeCloseTo(30, 9);
      expect(result.every((value) => value > 0 && value <= 1)).toBe(true);
      expect(result[7]).toBe(1);
    }
  });

  test("is π of the proposals where counts scatter no more than binomial ones", () => {
    const hits = proposed.map((own) => 100 * own);
    expect(tiltVariance(hits, 100, proposed)).toBe(0);
    simulatedInclusion(hits, 100, proposed).forEach((value, i) => expect(value).toBeCloseTo(proposed[i]!, 12));
  });

  test("finds the tilt that there is", () => {
    for (const tilt of [0.2, 0.5]) {
      const truth = tilted(tilt);
      const found = Math.sqrt(tiltVariance(hitsOf(truth, 4000, `tilt ${tilt}`), 4000, proposed));
      expect(found).toBeGreaterThan(0.8 * tilt);
      expect(found).toBeLessThan(1.2 * tilt);
    }
  });

  test("is nearer the truth than the counts and than the proposals' π, with few samples and many", () => {
    const truth = tilted(0.5);
    for (const samples of [30, 100, 1000]) {
      const hits = hitsOf(truth, samples, `near ${samples}`);
      const result = error(simulatedInclusion(hits, samples, proposed), truth);
      expect(result).toBeLessThan(
        error(
          hits.map((count) => count / samples),
          truth,
        ),
      );
      expect(result).toBeLessThan(error(proposed, truth));
    }
    const many = simulatedInclusion(hitsOf(truth, 20_000, "many"), 20_000, proposed);
    expect(error(many, truth)).toBeLessThan(0.05 * error(proposed, truth));
  });

  test("never exceeds 1 where the scaling would", () => {
    const near = Float64Array.of(0.97, 0.97, 0.97, 0.09);
    const result = simulatedInclusion(Float64Array.of(1000, 1000, 1000, 0), 1000, near);
    expect(sum(result)).toBeCloseTo(3, 12);
    expect(result.every((value) => value > 0 && value <= 1)).toBe(true);
  });
});
