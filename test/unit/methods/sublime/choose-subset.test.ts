import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { meanScores, weightedScores } from "../../../../offline-trainer/src/methods/item-columns.ts";
import {
  type Board,
  chooseSubset,
  featureTable,
  type FeatureTable,
  prepareBoard,
  ridgeFitted,
  subsetFeatures,
} from "../../../../offline-trainer/src/methods/sublime/choose-subset.ts";
import {
  type ItemProfile,
  pickAnchorModels,
  randomFeatures,
  rootMeanSquaredDistance,
} from "../../../../offline-trainer/src/methods/sublime/profile.ts";
import {
  boardOf,
  untouchedRanking,
  untouchedRankings,
} from "../../../../offline-trainer/src/methods/sublime/anchors.ts";
import { kendall, pearson, spearman } from "../../../../offline-trainer/src/numeric/statistics.ts";
import { largestDifference, readFixture } from "../../../support/fixture.ts";

const MODELS = 48;
const ITEMS = 90;

/** 48 models of 16 families; of 90 items the first 45 are answered at random, the others by ability. */
function board(): Board {
  const random = createRandom("noisy half");
  const scores = new Float64Array(ITEMS * MODELS);
  const bars = Float64Array.from({ length: ITEMS }, () => random.next());
  for (let i = 0; i < ITEMS; i++)
    for (let m = 0; m < MODELS; m++) {
      const clear = m / MODELS > bars[i]! !== random.next() < 0.1;
      scores[i * MODELS + m] = i < 45 ? random.below(2) : Number(clear);
    }
  const columns = { models: MODELS, items: ITEMS, scores };
  const weights = new Float64Array(ITEMS).fill(1 / ITEMS);
  return {
    columns,
    weights,
    full: weightedScores(columns, weights),
    families: Int32Array.from({ length: MODELS }, (_, m) => m % 16),
    points: null,
    candidates: 120,
  };
}

const given = board();
const prepared = prepareBoard(given, createRandom("board"));
const choice = chooseSubset(prepared, 12, createRandom("choice"));

describe("chooseSubset", () => {
  test("takes the candidate of the highest prediction, a quarter of them drawn at random", () => {
    expect(choice.candidates.length).toBe(120);
    expect(choice.candidates.filter(({ sampler }) => sampler === "random").length).toBe(30);
    expect(new Set(choice.candidates.map(({ sampler }) => sampler))).toEqual(
      new Set(prepared.samplers.map(({ name }) => name)),
    );
    expect(choice.predicted[choice.chosen]).toBe(Math.max(...choice.predicted));
    for (const { items } of choice.candidates) expect(items.length).toBe(12);
  });

  test("measures Spearman's correlation over the models that aren't anchor models", () => {
    const { judges, anchors } = prepared.roles;
    expect([...judges, ...anchors].toSorted((x, y) => x - y)).toEqual(Array.from({ length: MODELS }, (_, m) => m));
    const scores = meanScores(given.columns, choice.candidates[7]!.items);
    expect(choice.measured[7]).toBe(
      spearman(
        judges.map((m) => scores[m]!),
        judges.map((m) => given.full[m]!),
      ),
    );
  });

  test("prefers items that say something of the ranking to those that are noise", () => {
    const clear = Array.from(choice.candidates[choice.chosen]!.items).filter((item) => item >= 45).length;
    expect(clear).toBeGreaterThanOrEqual(8);
    const random = choice.candidates.flatMap(({ sampler }, c) => (sampler === "random" ? [choice.measured[c]!] : []));
    expect(choice.measured[choice.chosen]).toBeGreaterThan(random.reduce((sum, own) => sum + own, 0) / random.length);
  });

  test("is the same from the same seed, another one from another", () => {
    const again = chooseSubset(prepareBoard(given, createRandom("board")), 12, createRandom("choice"));
    expect(again).toEqual(choice);
    expect(chooseSubset(prepared, 12, createRandom("other")).candidates).not.toEqual(choice.candidates);
  });

  test("chooses among models that all score the same", () => {
    const columns = { ...given.columns, scores: new Float64Array(ITEMS * MODELS).fill(1) };
    const same = { ...given, columns, full: new Float64Array(MODELS).fill(1), candidates: 24 };
    const { chosen, measured } = chooseSubset(prepareBoard(same, createRandom(1)), 5, createRandom(1));
    expect(chosen).toBe(0);
    expect(measured.every((own) => own === 0)).toBe(true);
  });
});

describe("anchor models", () => {
  const full = Float64Array.from({ length: 40 }, (_, m) => ((7 * m) % 40) / 40);

  test("are spread over the ranking", () => {
    const { anchors } = pickAnchorModels(full);
    const ranks = anchors.map((m) => 40 * full[m]!).toSorted((x, y) => x - y);
    expect(ranks.map(Math.round)).toEqual([2, 7, 12, 17, 22, 27, 32, 37]);
    expect(pickAnchorModels(full.slice(0, 12)).anchors.length).toBe(3);
  });

  test("judge too where fewer than four models are left", () => {
    const { anchors, judges } = pickAnchorModels(full.slice(0, 5));
    expect([anchors.length, judges]).toEqual([2, [0, 1, 2, 3, 4]]);
    expect(pickAnchorModels(full.slice(0, 1))).toEqual({ anchors: [0], judges: [0] });
  });
});

describe("untouched models", () => {
  test("their answers reach neither the choice nor the prediction", () => {
    const sources = Array.from({ length: MODELS }, (_, m) => m).filter((m) => m % 16 < 12);
    const other = board();
    const random = createRandom("other answers");
    for (let at = 0; at < other.columns.scores.length; at++)
      if ((at % MODELS) % 16 >= 12) other.columns.scores[at] = random.next();
    const full = weightedScores(other.columns, other.weights);
    const choose = (own: Board) =>
      chooseSubset(prepareBoard(boardOf(own, sources), createRandom(1)), 12, createRandom(2));
    expect(choose({ ...other, full })).toEqual(choose(given));
  });

  test("untouchedRanking: correlations of the chosen and of random candidates with the truth", () => {
    const ranking = untouchedRanking(choice, given)!;
    const scores = meanScores(given.columns, choice.candidates[choice.chosen]!.items);
    expect(ranking.spearman).toBe(spearman(scores, given.full));
    expect(ranking.kendall).toBe(kendall(scores, given.full));
    expect(ranking.predicted).toBe(choice.predicted[choice.chosen]);
    expect(ranking.models).toBe(MODELS);
    expect(Math.abs(ranking.agreement)).toBeLessThanOrEqual(1);
    expect(untouchedRanking(choice, { ...given, full: new Float64Array(MODELS).fill(0.5) })).toBeNull();
  });

  test("are a quarter of the families in turn; none where there is one family", () => {
    const found = untouchedRankings({ ...given, candidates: 40 }, [6, 12], createRandom(1));
    expect([...found.keys()]).toEqual([6, 12]);
    expect(found.get(12)!.models).toBe(12);
    expect(found.get(12)!.random.spearman).toBeLessThan(1);
    expect(untouchedRankings({ ...given, families: new Int32Array(MODELS) }, [6], createRandom(1))).toEqual(new Map());
  });
});

interface Fixture extends Record<"weights" | "points" | "labels" | "kernel" | "scores", readonly number[]> {
  readonly tolerance: number;
  readonly models: number;
  readonly clusters: number;
  readonly dims: number;
  readonly width: number;
  readonly columns: readonly (readonly number[])[];
  readonly distance: number;
  readonly cases: readonly { readonly subset: readonly number[]; readonly expected: readonly number[] }[];
}

const fixture = readFixture<Fixture>("subsets/features.json");
const count = fixture.weights.length;
const weights = Float64Array.from(fixture.weights);
const points = { count, dims: fixture.dims, values: Float64Array.from(fixture.points) };
const kernel = Float64Array.from(fixture.kernel);
const anchors = { models: fixture.models, items: count, scores: Float64Array.from(fixture.scores) };
const weighted = (values: Float64Array, width: number): Float64Array => {
  const sum = new Float64Array(width);
  values.forEach((value, at) => (sum[at % width]! += weights[Math.floor(at / width)]! * value));
  return sum;
};
const profile: ItemProfile = {
  count,
  weights,
  columns: fixture.columns.map((values, c) => ({ name: String(c), values: Float64Array.from(values) })),
  points,
  distance: fixture.distance,
  clusters: fixture.clusters,
  labels: Int32Array.from(fixture.labels),
  kernel: { width: fixture.width, values: kernel, mean: weighted(kernel, fixture.width) },
};
const full = weighted(anchors.scores, fixture.models);

describe("subsetFeatures", () => {
  test.each(fixture.cases)("as NumPy and SciPy say of $subset.length items", ({ subset, expected }) => {
    const found = subsetFeatures({ profile, anchors, full }, Uint32Array.from(subset));
    // A single item's scores needn't be those of a constant: SciPy has no correlation there.
    expect(largestDifference(found, expected)).toBeLessThanOrEqual(fixture.tolerance);
  });

  test("correlations that aren't there are 0: anchor models that all score the same", () => {
    const same = { ...anchors, scores: new Float64Array(anchors.scores.length).fill(0.5) };
    const found = subsetFeatures({ profile, anchors: same, full }, Uint32Array.of(1, 2, 3));
    expect(Array.from(found.slice(-3))).toEqual([0, 0, 0]);
    expect(found.every(Number.isFinite)).toBe(true);
  });
});

test("rootMeanSquaredDistance is SciPy's over all pairs; 0 of one point", () => {
  expect(rootMeanSquaredDistance(points)).toBeCloseTo(fixture.distance, 12);
  expect(rootMeanSquaredDistance({ count: 1, dims: 2, values: Float64Array.of(3, 4) })).toBe(0);
});

test("randomFeatures: inner products are near the Gaussian kernel", () => {
  const width = 4096;
  const features = randomFeatures(points, width, createRandom("kernel"));
  for (let i = 0; i < count; i++)
    for (let j = 0; j <= i; j++) {
      let [product, square] = [0, 0];
      for (let f = 0; f < width; f++) product += features[i * width + f]! * features[j * width + f]!;
      for (let d = 0; d < points.dims; d++)
        square += (points.values[i * points.dims + d]! - points.values[j * points.dims + d]!) ** 2;
      // Standard error 1/√D at most.
      expect(Math.abs(product - Math.exp(-square / (2 * fixture.distance ** 2)))).toBeLessThan(5 / Math.sqrt(width));
    }
});

const rows = (count: number, width: number, seed: string): Float64Array[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => Float64Array.from({ length: width }, () => random.normal()));
};

test("featureTable standardises, and leaves what doesn't vary at 0", () => {
  const table = featureTable([Float64Array.of(1, 7, 0), Float64Array.of(3, 7, 0), Float64Array.of(5, 7, 0)]);
  const far = Math.sqrt(1.5);
  expect(Array.from(table.values)).toEqual([-far, 0, 0, 0, 0, 0, far, 0, 0]);
});

describe("ridgeFitted", () => {
  const known = rows(300, 6, "rows");
  const predict = (targets: Float64Array): Float64Array =>
    ridgeFitted(featureTable(known), targets, createRandom("axes"));

  test("finds what is linear under noise", () => {
    const random = createRandom("noise");
    const clean = Float64Array.from(known, (row) => 0.3 * row[0]! - 0.2 * row[3]! + 2);
    const noisy = clean.map((value) => value + 0.2 * random.normal());
    const found = predict(noisy);
    expect(pearson(found, clean)).toBeGreaterThan(0.97);
    expect(pearson(found, clean)).toBeGreaterThan(pearson(noisy, clean)!);
  });

  test("targets that are all the same are predicted so", () => {
    const same = new Float64Array(300).fill(0.75);
    expect(largestDifference(predict(same), same)).toBeLessThan(1e-12);
  });

  test("features that say nothing leave the mean", () => {
    const blank: FeatureTable = { count: 40, width: 3, values: new Float64Array(120) };
    const targets = Float64Array.from({ length: 40 }, (_, i) => i % 5);
    const found = ridgeFitted(blank, targets, createRandom(1));
    expect(found.every((value) => value === found[0] && Math.abs(value - 2) < 1)).toBe(true);
  });
});
