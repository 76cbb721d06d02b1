import { describe, expect, test } from "vitest";
import { fullScores, scenarioSlices } from "../../../../../offline-trainer/src/matrix/scenarios.ts";
import { replicateGroups } from "../../../../../offline-trainer/src/matrix/alike/replicates.ts";
import { kindCode } from "../../../../../features/simulate/fit/items.ts";
import { CHANCE } from "../../../../../features/simulate/fit/models.ts";
import {
  demoLeaderboard,
  type SimulatedLeaderboard,
  simulateLeaderboard,
} from "../../../../../features/simulate/fit/simulate-leaderboard.ts";
import { encodeTruth } from "../../../../../features/simulate/fit/truth.ts";
import { expectBinomial } from "../../../../support/binomial.ts";

const SHAPE = { models: 240, items: 3000, scenarios: 6, dims: 3, seed: 11 };
const COMPLETE = { ...SHAPE, missingCells: 0, missingBlocks: 0, prefixRuns: 0 };
const complete = simulateLeaderboard(COMPLETE);

const mean = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;

function row({ matrix }: SimulatedLeaderboard, m: number): Uint8Array | Float32Array {
  return matrix.scores.subarray(m * matrix.items.length, (m + 1) * matrix.items.length);
}

function agreement(leaderboard: SimulatedLeaderboard, left: number, right: number): number {
  const other = row(leaderboard, right);
  return mean(Array.from(row(leaderboard, left), (score, i) => (score === other[i] ? 1 : 0)));
}

test("the matrix has the shape asked for, different names and ids, binary scores and grouped items", () => {
  const { matrix } = complete;
  expect(matrix.subjects).toHaveLength(240);
  expect(new Set(matrix.subjects).size).toBe(240);
  expect(new Set(matrix.items.map(({ item_id: id }) => id)).size).toBe(3000);
  expect(matrix.scores).toBeInstanceOf(Uint8Array);
  expect(matrix.observed).toBeNull();
  expect(scenarioSlices(matrix.items, "items").map(({ id }) => id)).toEqual(
    complete.truth.scenarios.map(({ id }) => id),
  );
});

describe("the seed", () => {
  test("decides everything", () => {
    const again = simulateLeaderboard(COMPLETE);
    expect(again.matrix.subjects).toEqual(complete.matrix.subjects);
    expect(again.matrix.items).toEqual(complete.matrix.items);
    expect(Buffer.from(again.matrix.scores.buffer).equals(Buffer.from(complete.matrix.scores.buffer))).toBe(true);
    expect(Buffer.from(encodeTruth(again.truth)).equals(Buffer.from(encodeTruth(complete.truth)))).toBe(true);
  });

  test("another one gives other scores", () => {
    expect(simulateLeaderboard({ ...COMPLETE, seed: 12 }).matrix.scores).not.toEqual(complete.matrix.scores);
  });
});

describe("an option changes only what it is about:", () => {
  test("the order of rows", () => {
    const turned = simulateLeaderboard({ ...COMPLETE, order: "oldest-first" });
    expect(turned.matrix.subjects).toEqual(complete.matrix.subjects.toReversed());
    for (const m of [0, 100, 239]) expect(row(turned, 239 - m)).toEqual(row(complete, m));
    expect(turned.truth.expected.items.subarray(239 * 6)).toEqual(complete.truth.expected.items.subarray(0, 6));
    expect(turned.truth.models.toReversed().map(({ date }) => date)).toEqual(
      complete.truth.models.map(({ date }) => date),
    );
  });

  test("missing answers", () => {
    const { matrix, truth } = simulateLeaderboard(SHAPE);
    expect(matrix.observed).toContain(0);
    matrix.observed!.forEach((seen, at) => {
      if (matrix.scores[at] !== (seen === 1 ? complete.matrix.scores[at] : 0)) throw new Error(`score ${at} changed`);
    });
    expect(truth.realised).toEqual(complete.truth.realised);
  });

  test("a share of items leaves the answers to the other items alone", () => {
    const cleaner = simulateLeaderboard({ ...COMPLETE, mislabelledShare: 0 });
    const kept = [...complete.truth.items.kind.keys()].filter(
      (i) => complete.truth.items.kind[i] === cleaner.truth.items.kind[i],
    );
    expect(kept.length).toBeGreaterThan(2700);
    for (let m = 0; m < 240; m++) {
      const [before, after] = [row(complete, m), row(cleaner, m)];
      expect(kept.every((i) => before[i] === after[i])).toBe(true);
    }
  });

  test("items drift for models above the mean ability alone, the more the stronger", () => {
    const drifted = simulateLeaderboard({ ...COMPLETE, driftSd: 2 });
    const { general } = complete.truth.abilities;
    const changed = Array.from(general, (_, m) => {
      const [before, after] = [row(complete, m), row(drifted, m)];
      return [...before].filter((score, i) => score !== after[i]).length;
    });
    const originals = [...general.keys()].filter((m) => complete.truth.models[m]!.replicateOf === null);
    expect(originals.filter((m) => general[m]! <= 0 && changed[m]! > 0)).toEqual([]);
    const byStrength = originals.filter((m) => general[m]! > 0).sort((x, y) => general[x]! - general[y]!);
    const meanOf = (rows: readonly number[]): number => rows.reduce((sum, m) => sum + changed[m]!, 0) / rows.length;
    const half = byStrength.length >> 1;
    expect(meanOf(byStrength.slice(0, half))).toBeGreaterThan(50);
    expect(meanOf(byStrength.slice(half))).toBeGreaterThan(1.5 * meanOf(byStrength.slice(0, half)));
  });

  test("dimensions leave abilities and difficulties alone", () => {
    const wider = simulateLeaderboard({ ...COMPLETE, dims: 6 });
    expect(wider.truth.abilities.scenario).toEqual(complete.truth.abilities.scenario);
    expect(wider.truth.items.difficulty).toEqual(complete.truth.items.difficulty);
    expect(wider.truth.abilities.skills).toHaveLength(240 * 5);
  });
});

describe("the truth", () => {
  const { matrix, truth } = complete;

  test.each(["items", "subscenarios"] as const)("has the full scores of the data, weighted by %s", (weighting) => {
    scenarioSlices(matrix.items, weighting).forEach((slice, s) => {
      const { score } = fullScores(matrix, slice);
      for (let m = 0; m < 240; m++) expect(truth.realised[weighting][m * 6 + s]).toBeCloseTo(score[m]!, 12);
    });
  });

  test("expects what is drawn: differences are those of independent answers", () => {
    const slices = scenarioSlices(matrix.items, "items");
    let squares = 0;
    for (let m = 0; m < 240; m++)
      slices.forEach(({ count }, s) => {
        const difference = truth.realised.items[m * 6 + s]! - truth.expected.items[m * 6 + s]!;
        // The variance of a mean of answers is at most 1/(4N).
        expect(Math.abs(difference)).toBeLessThan(5 * Math.sqrt(0.25 / count));
        squares += difference ** 2 * 4 * count;
      });
    expect(squares / (240 * 6)).toBeGreaterThan(0.1);
    expect(squares / (240 * 6)).toBeLessThan(1);
  });

  test("has every length that it should", () => {
    expect(truth.abilities.general).toHaveLength(240);
    expect(truth.abilities.skills).toHaveLength(240 * 2);
    expect(truth.items.loadings).toHaveLength(3000 * 2);
    expect(truth.models.map(({ name }) => name)).toEqual(matrix.subjects);
    for (let i = 0; i < 3000; i++)
      expect(Math.hypot(...truth.items.loadings.subarray(2 * i, 2 * i + 2))).toBeCloseTo(truth.options.skillSd, 12);
  });
});

describe("models", () => {
  const { truth } = complete;

  test("replicates agree with their originals in more than 97 % of answers, and splits keep them together", () => {
    const groups = replicateGroups(complete.matrix);
    const replicates = [...truth.models.keys()].filter((m) => truth.models[m]!.replicateOf !== null);
    expect(replicates).toHaveLength(Math.round(0.04 * 240));
    for (const m of replicates) {
      const original = truth.models[m]!.replicateOf!;
      expect(agreement(complete, m, original)).toBeGreaterThan(0.97);
      expect(groups[m]).toBe(groups[original]);
      expect(truth.expected.items.subarray(6 * m, 6 * m + 6)).toEqual(
        truth.expected.items.subarray(6 * original, 6 * original + 6),
      );
    }
  });

  test("get stronger over time", () => {
    const { general } = truth.abilities;
    expect(truth.models[0]!.date > truth.models.at(-1)!.date).toBe(true);
    // Two years lie between the middles of the thirds, a logit of progress at the default.
    expect(mean(general.subarray(0, 80)) - mean(general.subarray(160))).toBeGreaterThan(0.4);
    const overall = truth.models.map((_, m) => mean(truth.realised.items.subarray(6 * m, 6 * m + 6)));
    expect(mean(overall.slice(0, 80))).toBeGreaterThan(mean(overall.slice(160)) + 0.03);
  });

  test("of a family agree more than strangers", () => {
    const related: number[] = [];
    const strangers: number[] = [];
    for (let l = 0; l < 120; l++)
      for (let r = 0; r < l; r++)
        if (truth.models[l]!.replicateOf === null && truth.models[r]!.replicateOf === null)
          (truth.models[l]!.family === truth.models[r]!.family ? related : strangers).push(agreement(complete, l, r));
    expect(mean(related)).toBeGreaterThan(mean(strangers) + 0.03);
  });

  test("of both classes are there in the share asked for", () => {
    const originals = truth.models.flatMap(({ replicateOf }, m) => (replicateOf === null ? [m] : []));
    const second = originals.filter((m) => truth.abilities.classes[m] === 1);
    expectBinomial(second.length, originals.length, truth.options.mixtureShare);
  });
});

describe("scenarios", () => {
  const wide = simulateLeaderboard({ ...COMPLETE, scenarios: 8, items: 4000, chanceShare: 0.1, choiceShare: 0.75 });
  const { truth, matrix } = wide;

  test("are nearly solved, hardly solved, or at the floor with little between models", () => {
    const scores = (kind: string): number[] =>
      truth.scenarios.flatMap((scenario, s) =>
        scenario.kind === kind ? truth.models.map((_, m) => truth.expected.items[m * 8 + s]!) : [],
      );
    const median = (values: number[]): number => values.sort((x, y) => x - y)[values.length >> 1]!;
    expect(median(scores("saturated"))).toBeGreaterThan(0.85);
    expect(median(scores("hard"))).toBeLessThan(0.45);
    const spread = (values: number[]): number =>
      values.sort((x, y) => x - y)[Math.floor(0.9 * values.length)]! - values[Math.floor(0.3 * values.length)]!;
    expect(spread(scores("flat"))).toBeLessThan(0.5 * spread(scores("regular")));
  });

  test("have models at chance in the share asked for: guesses at 1/choices, constant answers right by the key", () => {
    let struck = 0;
    for (let m = 0; m < 240; m++)
      truth.scenarios.forEach(({ begin, items, choices }, s) => {
        const chance = truth.abilities.chance[m * 8 + s]!;
        if (chance === CHANCE.none) return;
        struck++;
        if (chance === CHANCE.guesses)
          expect(truth.expected.items[m * 8 + s]).toBeCloseTo(choices > 0 ? 1 / choices : 0, 12);
        else if (truth.models[m]!.replicateOf === null) {
          const option = truth.abilities.constantOption[m * 8 + s]!;
          for (let i = begin; i < begin + items; i++)
            expect(matrix.scores[m * 4000 + i]).toBe(truth.items.key[i] === option ? 1 : 0);
        }
      });
    expectBinomial(struck, 120 * 8, 0.2);
  });

  test("correlate in their scores", () => {
    const strong = truth.models.map((_, m) => mean(truth.expected.items.subarray(8 * m, 8 * m + 8)));
    const order = [...strong.keys()].sort((x, y) => strong[x]! - strong[y]!);
    for (let s = 0; s < 8; s++) {
      const of = (models: number[]): number => mean(models.map((m) => truth.expected.items[m * 8 + s]!));
      expect(of(order.slice(120))).toBeGreaterThan(of(order.slice(0, 120)));
    }
  });
});

describe("items", () => {
  const odd = simulateLeaderboard({
    ...COMPLETE,
    scenarios: 2,
    saturatedShare: 0,
    hardShare: 0,
    flatShare: 0,
    mislabelledShare: 0.2,
    memorisedShare: 0.2,
    redundantShare: 0.2,
  });
  const { truth, matrix } = odd;
  const strength = truth.abilities.general;
  const order = [...strength.keys()].sort((x, y) => strength[x]! - strength[y]!);
  const [weak, strong] = [order.slice(0, 80), order.slice(160)];
  const columns = (kind: Parameters<typeof kindCode>[0]): number[] =>
    [...truth.items.kind.keys()].filter((i) => truth.items.kind[i] === kindCode(kind));
  const accuracy = (models: number[], items: number[]): number =>
    mean(models.flatMap((m) => items.map((i) => matrix.scores[m * 3000 + i]!)));

  test("that are mislabelled are those that strong models get wrong", () => {
    expect(accuracy(strong, columns("regular"))).toBeGreaterThan(accuracy(weak, columns("regular")) + 0.2);
    expect(accuracy(strong, columns("mislabelled"))).toBeLessThan(accuracy(weak, columns("mislabelled")) - 0.1);
  });

  test("that are memorised don't depend on ability", () => {
    const items = columns("memorised");
    expect(Math.abs(accuracy(strong, items) - accuracy(weak, items))).toBeLessThan(0.08);
  });

  test("that are redundant agree beyond what the model's ability says", () => {
    const members = new Map<number, number[]>();
    truth.items.cluster.forEach((cluster, i) => {
      if (cluster > 0) members.set(cluster, [...(members.get(cluster) ?? []), i]);
    });
    const clusters = [...members.values()];
    const itemMean = Float64Array.from({ length: 3000 }, (_, i) => accuracy(order, [i]));
    const covariance = (pairs: (readonly [number, number])[]): number =>
      mean(
        pairs.flatMap(([i, j]) =>
          order.map(
            (m) => (matrix.scores[m * 3000 + i]! - itemMean[i]!) * (matrix.scores[m * 3000 + j]! - itemMean[j]!),
          ),
        ),
      );
    const inside = covariance(clusters.map(([i, j]) => [i!, j!] as const));
    const between = covariance(clusters.slice(1).map(([i], k) => [i!, clusters[k]![0]!] as const));
    expect(inside).toBeGreaterThan(1.4 * between);
  });
});

test("pass rates are multiples of 1/samples in the scenarios that have them", () => {
  const { matrix, truth } = simulateLeaderboard({ ...COMPLETE, models: 30, samples: 4, passRateShare: 0.5 });
  expect(matrix.scores).toBeInstanceOf(Float32Array);
  for (const { begin, items, passRates } of truth.scenarios) {
    const values = new Set<number>();
    for (let m = 0; m < 30; m++)
      for (const score of matrix.scores.subarray(m * 3000 + begin, m * 3000 + begin + items)) values.add(score);
    expect([...values].sort()).toEqual(passRates ? [0, 0.25, 0.5, 0.75, 1] : [0, 1]);
  }
});

test("a model of one dimension and nothing peculiar is the two-parameter model", () => {
  const { truth, matrix } = simulateLeaderboard({
    ...COMPLETE,
    dims: 1,
    choiceShare: 0,
    slip: 0,
    mixtureSd: 0,
    familyItemSd: 0,
    chanceShare: 0,
    redundantShare: 0,
    mislabelledShare: 0,
    nonMonotoneShare: 0,
    memorisedShare: 0,
  });
  const { discrimination: a, difficulty: b, scenario } = truth.items;
  for (let m = 0; m < 240; m += 40)
    scenarioSlices(matrix.items, "items").forEach(({ begin, count }, s) => {
      let sum = 0;
      for (let i = begin; i < begin + count; i++) {
        expect(scenario[i]).toBe(s);
        sum += 1 / (1 + Math.exp(-a[i]! * (truth.abilities.scenario[m * 6 + s]! - b[i]!)));
      }
      expect(truth.expected.items[m * 6 + s]).toBeCloseTo(sum / count, 12);
    });
});

test("the demo's leaderboard: 120 models × 2 000 items in 3 scenarios, one with subscenarios, nothing missing", () => {
  const { matrix, truth } = demoLeaderboard(1);
  expect([matrix.subjects.length, matrix.items.length, truth.scenarios.length]).toEqual([120, 2000, 3]);
  expect(truth.scenarios.map(({ subscenarios }) => subscenarios.length).sort()).toEqual([1, 1, 6]);
  expect(truth.scenarios.map(({ kind }) => kind)).toEqual(["regular", "regular", "regular"]);
  expect(matrix.observed).toBeNull();
});
