import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { cholesky, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  type AnchorInput,
  type AnchorMethod,
  byAccuracy,
  type ChosenAnchors,
} from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { answerFeatures, curveFeatures, modelsToCome } from "../../../offline-trainer/src/anchors/curve-features.ts";
import {
  drawNested,
  nestedLevels,
  stratified,
  stratifiedSamples,
} from "../../../offline-trainer/src/anchors/stratified.ts";
import {
  bestProposal,
  krigingVariance,
  PROPOSALS,
  purposiveShare,
  screened,
  unsureChances,
} from "../../../offline-trainer/src/anchors/screened.ts";
import { tellingItems } from "../../../offline-trainer/src/anchors/telling-items.ts";
import { pivotalSample } from "../../../sdk/core/numeric/sampling.ts";
import { anchorInput, selectAnchors } from "../../support/select-anchors.ts";
import { drawnFeatures } from "./drawn-features.ts";

const draw = (method: AnchorMethod, input: AnchorInput): ChosenAnchors =>
  method.prepare(input).draw(input.random) as ChosenAnchors;
const varianceOf = ({ bank, abilities, weights }: AnchorInput): ((sample: ArrayLike<number>) => number) =>
  krigingVariance(curveFeatures(bank, abilities), weights);

describe("screened", () => {
  test("is the best of its draws: at every size, among the samples of the next larger", () => {
    for (let seed = 0; seed < 5; seed++) {
      const input = anchorInput({ items: 60, sizes: [5, 10, 20], seed });
      const variance = varianceOf(input);
      const levels = nestedLevels(unsureChances(input), input.sizes);
      const drawn = draw(screened, input).sets;
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

  test("is never worse than the draw of the same stream, which is its first proposal, and better on average", () => {
    const sum = { own: 0, plain: 0 };
    for (let seed = 0; seed < 20; seed++) {
      const input = anchorInput({ items: 60, sizes: [10], seed });
      const variance = varianceOf(input);
      const own = variance(draw(screened, input).sets.get(10)!.items);
      const levels = nestedLevels(unsureChances(input), input.sizes);
      const { sets } = stratifiedSamples(input, levels).draw(input.random) as ChosenAnchors;
      const plain = variance(sets.get(10)!.items);
      expect(own).toBeLessThanOrEqual(plain);
      sum.own += own;
      sum.plain += plain;
    }
    expect(sum.own).toBeLessThan(0.9 * sum.plain);
  });

  test("of items that are all alike, equal in weight too, is the stratified draw: ties go to the first", () => {
    const given = anchorInput({ sizes: [10] });
    const alike = {
      ...given,
      weights: new Float64Array(40).fill(1 / 40),
      bank: itemBank(new Float64Array(80), new Float64Array(40)),
    };
    expect(draw(screened, alike).sets).toEqual(draw(stratified, alike).sets);
  });

  test("of few models looks at curves and accuracies, not at single answers", async () => {
    const input = anchorInput();
    const blind = { ...input, column: () => expect.unreachable("an answer was read") };
    expect((await selectAnchors(screened, blind)).sets).toEqual((await selectAnchors(screened, input)).sets);
  });

  test("has items that are certain in every form", () => {
    const given = anchorInput({ items: 12, sizes: [3, 6] });
    const weights = given.weights.map((_, i) => (i === 4 ? 0.6 : 0.4 / 11));
    for (let seed = 0; seed < 10; seed++)
      for (const { items, inclusion } of draw(screened, {
        ...given,
        weights,
        random: createRandom(seed),
      }).sets.values())
        expect(inclusion![items.indexOf(4)]).toBe(1);
  });
});

describe("unsureChances", () => {
  /** Items of one dimension by difficulty, of discrimination 1.5. */
  const scale = (difficulties: readonly number[], abilities: readonly number[]) => ({
    weights: new Float64Array(difficulties.length).fill(1 / difficulties.length),
    bank: itemBank(
      new Float64Array(difficulties.length).fill(1.5),
      Float64Array.from(difficulties, (b) => 1.5 * b),
    ),
    abilities: Float64Array.from(abilities),
  });

  test("sum to the weights, between a quarter and four times each", () => {
    for (let seed = 0; seed < 5; seed++) {
      const input = anchorInput({ items: 60, sizes: [5], seed });
      const chances = unsureChances(input);
      expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 12);
      for (const [i, weight] of input.weights.entries()) {
        expect(chances[i]! / weight).toBeGreaterThanOrEqual(0.25 - 1e-12);
        expect(chances[i]! / weight).toBeLessThanOrEqual(4 + 1e-12);
      }
    }
  });

  test("are larger the nearer an item is to what models like the sources and stronger ones half know", () => {
    const chances = unsureChances(scale([-6, -1, 1, 3], [-0.5, 0, 0.5, 1]));
    expect(chances[0]).toBeLessThan(chances[1]!);
    expect(chances[1]).toBeLessThan(chances[2]!);
  });

  test("look further up than down: an item that only stronger models know is drawn before one that only weaker ones don't", () => {
    const [easy, hard] = unsureChances(scale([-3, 3], [-1, -0.5, 0.5, 1]));
    expect(hard).toBeGreaterThan(1.2 * easy!);
  });

  test("are the weights where no item tells more than another", () => {
    for (const chance of unsureChances(scale([1, 1, 1], [0, 1]))) expect(chance).toBeCloseTo(1 / 3, 12);
    expect(Array.from(unsureChances(scale([1, 1], [500, 501])))).toEqual([0.5, 0.5]); // all sure of everything
  });

  test("by hand: π ∝ √v, of the models twice and of the stronger half with ¼, ½ and ¾ of their errors mended", () => {
    const { bank, ...rest } = scale([-0.4, 0.6, 1.1], [0, 0.3]);
    const chances = (theta: number, shift: number): number[] =>
      [-0.4, 0.6, 1.1].map((b) => 1 / (1 + Math.exp(-1.5 * (theta - b) - shift)));
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    /** The shift that mends a share of the stronger model's errors, from the solution of its equation on a grid. */
    const mending = (share: number): number => {
      const score = mean(chances(0.3, 0));
      const shifts = Array.from({ length: 60_000 }, (_, k) => k / 10_000);
      return shifts.find((shift) => mean(chances(0.3, shift)) >= score + share * (1 - score))!;
    };
    const open = (values: readonly number[]): number[] => values.map((p) => p * (1 - p));
    const [weak, strong] = [open(chances(0, 0)), open(chances(0.3, 0))];
    const populations = [
      weak.map((value, i) => value + strong[i]!), // twice their mean
      ...[0.25, 0.5, 0.75].map((share) => open(chances(0.3, mending(share)))),
    ];
    const roots = [0, 1, 2].map((i) => Math.sqrt(populations.reduce((sum, values) => sum + values[i]!, 0)));
    const total = roots.reduce((sum, value) => sum + value, 0);
    unsureChances({ bank, ...rest }).forEach((chance, i) => expect(chance).toBeCloseTo(roots[i]! / total, 4));
  });

  test("of models that answer everything right are the weights", () => {
    expect(Array.from(unsureChances(scale([-500, -400], [0, 1])))).toEqual([0.5, 0.5]);
  });
});

describe("anchors chosen on purpose", () => {
  const models = 120;
  /** The usual input with many more source models. */
  const many = (sizes: readonly number[], seed = 1): AnchorInput => {
    const given = anchorInput({ items: 60, sizes, seed });
    const random = createRandom("many models");
    const columns = Array.from({ length: 60 }, () => Float64Array.from({ length: models }, () => random.next()));
    return {
      ...given,
      models: Array.from({ length: models }, (_, m) => `org/model-${m}`),
      families: Int32Array.from({ length: models }, (_, m) => m),
      abilities: Float64Array.from({ length: 2 * models }, () => random.normal()),
      column: (item) => columns[item]!,
    };
  };
  const sizes = [1, 10, 20];

  test("are none of few models, and two thirds of many", () => {
    expect([5, 60, 110, 160, 5000].map(purposiveShare).map((share) => Math.round(3e6 * share))).toEqual([
      0, 0, 1e6, 2e6, 2e6,
    ]);
  });

  test("are in every form, the best first, whatever the seed, and the rest is drawn", () => {
    const input = many(sizes);
    const lead = tellingItems(input, byAccuracy(input.accuracy), 6, modelsToCome(input));
    const rest = new Set<number>();
    for (let seed = 0; seed < 20; seed++) {
      const { sets, nested } = draw(screened, many(sizes, seed));
      expect(nested).toBe(true);
      for (const [size, share] of [
        [1, 0],
        [10, 3],
        [20, 6],
      ] as const) {
        const items = Array.from(sets.get(size)!.items);
        expect(items.length).toBe(size);
        for (const item of lead.slice(0, share)) expect(items).toContain(item);
        for (const item of items) if (!lead.includes(item)) rest.add(item);
      }
    }
    expect(rest.size).toBeGreaterThan(40);
  });

  test("leave less of the full score open than a draw alone", () => {
    const input = many([20]);
    const variance = krigingVariance(answerFeatures(input), input.weights);
    const alone = draw(screened, { ...input, models: input.models.slice(0, 60) }).sets.get(20)!;
    expect(variance(draw(screened, input).sets.get(20)!.items)).toBeLessThan(0.97 * variance(alone.items));
  });

  test("stand for the items next to them: masses sum to the weights, and a probability is an item's part of its mass", () => {
    const input = many(sizes);
    for (const [size, { items, mass, inclusion }] of draw(screened, input).sets) {
      expect(
        inclusion!.every((own, j) => own > 0 && Math.abs(own * mass[j]! - input.weights[items[j]!]!) < 1e-12),
      ).toBe(true);
      expect(inclusion!.every((own) => own <= 1)).toBe(true);
      if (size > 1) expect(mass.reduce((sum, own) => sum + own, 0)).toBeCloseTo(1, 12);
    }
  });
});

describe("bestProposal", () => {
  const pool = [7, 3, 5, 1, 9, 4];
  const probabilities = new Float64Array(6).fill(0.5);
  const sum = (sample: ArrayLike<number>): number => Array.from(sample).reduce((total, item) => total + item, 0);
  const items = (positions: readonly number[]): number[] => positions.map((position) => pool[position]!);

  test("is the best of all", () => {
    for (let seed = 0; seed < 20; seed++) {
      const stream = createRandom(seed);
      const proposals = Array.from({ length: 50 }, () => items(pivotalSample(probabilities, stream)));
      const best = items(bestProposal(pool, probabilities, createRandom(seed), sum, 50));
      expect(sum(best)).toBe(Math.min(...proposals.map(sum)));
    }
  });
});

const COUNT = 12;
const WIDTH = 3;
const random = createRandom("kriging");
const { features, weights } = drawnFeatures(random, COUNT, WIDTH);
const samples = Array.from({ length: 30 }, (_, k) =>
  random.shuffle(Array.from({ length: COUNT }, (__, i) => i)).slice(0, k % COUNT),
);

/** Covariance of two items' answers, z·z and the noise of one. */
const covariance = (i: number, j: number): number =>
  [0, 1, 2].reduce(
    (sum, k) => sum + features.loadings[i * WIDTH + k]! * features.loadings[j * WIDTH + k]!,
    i === j ? features.noise[i]! : 0,
  );
const withTotal = (i: number): number => weights.reduce((sum, w, j) => sum + w * covariance(i, j), 0);

/** Var(T) − Cov(T, y_A) Var(y_A)⁻¹ Cov(y_A, T) with the N×N covariance of the answers. */
function dense(sample: readonly number[]): number {
  const n = sample.length;
  const own = Float64Array.from({ length: n * n }, (_, at) => covariance(sample[Math.floor(at / n)]!, sample[at % n]!));
  const shared = Float64Array.from(sample, withTotal);
  const solved = choleskySolve(cholesky(own, n)!, n, shared);
  const explained = solved.reduce((sum, value, j) => sum + value * shared[j]!, 0);
  return weights.reduce((sum, w, i) => sum + w * withTotal(i), 0) - explained;
}

describe("krigingVariance", () => {
  const variance = krigingVariance(features, weights);

  test("is the conditional variance of the total, by the whole covariance matrix", () => {
    for (const sample of samples) expect(variance(sample) / dense(sample)).toBeCloseTo(1, 9);
  });

  test("is the same whatever the order of the sample and whatever was asked before", () => {
    for (const sample of samples) expect(variance(sample.toReversed())).toBeCloseTo(variance(sample), 14);
  });

  test("falls with every item that is answered, to 0 where all are", () => {
    const growing = random.shuffle(Array.from({ length: COUNT }, (_, i) => i));
    for (let n = 1; n < COUNT; n++)
      expect(variance(growing.slice(0, n))).toBeLessThan(variance(growing.slice(0, n - 1)));
    expect(variance(growing)).toBeCloseTo(0, 15);
  });

  test("of flat curves is the noise of what isn't answered", () => {
    const flat = krigingVariance({ ...features, loadings: new Float64Array(COUNT * WIDTH) }, weights);
    for (const sample of samples) {
      const open = weights.reduce((sum, w, i) => (sample.includes(i) ? sum : sum + w * w * features.noise[i]!), 0);
      expect(flat(sample)).toBeCloseTo(open, 14);
    }
  });
});
