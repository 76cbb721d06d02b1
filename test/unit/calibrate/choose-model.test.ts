import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { fitBank, SCORE_LINKS, type ScoreLink } from "../../../offline-trainer/src/calibrate/bank.ts";
import {
  type ChoiceOptions,
  chooseModel,
  type ChosenModel,
  DIMENSION_CANDIDATES,
  SHRINKAGE_CANDIDATES,
  validationError,
} from "../../../offline-trainer/src/calibrate/choose-model.ts";
import { matrixScenarios, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { type ResponseMatrix, responseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { extrapolationSplit, folds, type Split } from "../../../offline-trainer/src/matrix/splits.ts";
import { rowsOf } from "../fit/held-out-estimates.ts";
import { type LeaderboardShape, smallLeaderboard, withScores } from "../fit/small-leaderboard.ts";

const taskOf = (matrix: ResponseMatrix, s = 0): Scenario => matrixScenarios(matrix, DEFAULT_SETTINGS)[s]!;
const asked = { link: "binarize", dims: 2, shrinkage: 0.5 } as const;
const options = (groups: readonly number[], seed = 3): ChoiceOptions => ({
  backend: typescriptBackend,
  random: createRandom(seed),
  irtModel: "2pl",
  estimation: "penalised",
  replicates: groups,
});
const chosenDimension = (task: Scenario, rows: readonly number[], given: ChoiceOptions): Promise<ChosenModel> =>
  chooseModel(task, rows, { ...asked, dims: "auto" }, given);

/**
 * The stated rule, by hand: every fifth group is held out; abilities from the even items, the weighted mean prediction
 * on the odd items against the weighted mean score there; mean over models.
 */
async function heldOutError(
  task: Scenario,
  rows: readonly number[],
  groups: readonly number[],
  dims: number,
): Promise<number> {
  const order = [...new Set(rows.map((m) => groups[m]!))];
  const isHeld = (m: number): boolean => order.indexOf(groups[m]!) % 5 === 0;
  const trained = await fitBank(
    task,
    rows.filter((m) => !isHeld(m)),
    { ...options(groups), ...asked, dims, random: createRandom(3).fork("dimension").fork(`${dims} dimensions`) },
  );
  const prior = scaledPrior(trained.abilities.mean, trained.abilities.covariance, 2);
  const { bank } = trained;
  const [even, uneven] = [0, 1].map((rest) => rowsOf(bank.count).filter((i) => i % 2 === rest));
  const errors: number[] = [];
  for (const m of rows.filter(isHeld)) {
    const scoreOf = (i: number): number => scoreAt(task.matrix, m, i);
    const gathered = gatherItems({ bank, items: even!, scores: even!.map(scoreOf) })!;
    const predicted = itemResponses(mapAbility(gathered.bank, gathered, prior).theta, bank);
    const odd = uneven!.filter((i) => !Number.isNaN(scoreOf(i)));
    if (odd.length === 0) continue;
    const weight = odd.reduce((sum, i) => sum + task.weights[i]!, 0);
    const mean = (value: (item: number) => number): number =>
      odd.reduce((sum, i) => sum + task.weights[i]! * value(i), 0) / weight;
    errors.push(Math.abs(mean((i) => predicted[i]!) - mean(scoreOf)));
  }
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}

describe("the dimension", () => {
  const boards: { name: string; shape: LeaderboardShape; scenario?: number; replicates?: boolean }[] = [
    { name: "one dimension", shape: { models: 40, items: [60, 40], dims: 1, seed: 2 } },
    { name: "four dimensions", shape: { models: 45, items: [150, 40], dims: 4, seed: 5 } },
    {
      name: "two subscenarios, missing answers",
      shape: { models: 40, items: [20, 60], dims: 3, missing: 0.1 },
      scenario: 1,
    },
    { name: "replicates", shape: { models: 45, items: [80, 40], dims: 3, seed: 9 }, replicates: true },
  ];
  const chosen = new Map<string, number>();

  test.each(boards)("takes the candidate of least error: $name", async ({ name, shape, scenario, replicates }) => {
    const task = taskOf(smallLeaderboard(shape), scenario);
    const groups = rowsOf(shape.models!).map((m) => (replicates === true && m % 3 === 1 ? m - 1 : m));
    const rows = rowsOf(shape.models!).filter((m) => m % 17 !== 5);
    const { dims, dimensionErrors: errors } = await chosenDimension(task, rows, options(groups));
    expect(errors.map((candidate) => candidate.dims)).toEqual([...DIMENSION_CANDIDATES]);
    let best = { dims: 0, error: Infinity };
    for (const candidate of errors) {
      const expected = await heldOutError(task, rows, groups, candidate.dims);
      expect(candidate.error).toBeCloseTo(expected, 10);
      if (expected < best.error) best = { dims: candidate.dims, error: expected };
    }
    expect(dims).toBe(best.dims);
    chosen.set(name, dims);
  });

  test("is no constant", () => {
    expect(chosen.get("one dimension")).toBeLessThan(chosen.get("four dimensions")!);
  });

  test("looks at its rows only", async () => {
    const matrix = smallLeaderboard({ models: 40, items: [40, 20], dims: 2 });
    const rows = rowsOf(30);
    const before = await chosenDimension(taskOf(matrix), rows, options(rowsOf(40)));
    const other = withScores(matrix, (m, _, score) => (m >= 30 ? 1 - score : score));
    expect(await chosenDimension(taskOf(other), rows, options(rowsOf(40)))).toEqual(before);
    const changed = withScores(matrix, (m, _, score) => (m === 1 ? 1 - score : score));
    expect(await chosenDimension(taskOf(changed), rows, options(rowsOf(40)))).not.toEqual(before);
  });

  test.each([
    // A fifth, rounded up, is held out; the others allow a dimension for each five of them.
    { models: 10, candidates: [1] }, // 8 stay
    { models: 12, candidates: [1] }, // 9
    { models: 13, candidates: [1, 2] }, // 10
    { models: 18, candidates: [1, 2] }, // 14
    { models: 19, candidates: [1, 2, 3] }, // 15
    { models: 30, candidates: [1, 2, 3] }, // 24
    { models: 32, candidates: [1, 2, 3, 5] }, // 25
  ])("$models models: $candidates", async ({ models, candidates }) => {
    const task = taskOf(smallLeaderboard({ models, items: [20, 8], dims: 2 }));
    const { dims, dimensionErrors: errors } = await chosenDimension(task, rowsOf(models), options(rowsOf(models)));
    expect(errors.map((candidate) => candidate.dims)).toEqual(candidates);
    expect(candidates).toContain(dims);
    if (candidates.length === 1) expect(dims).toBe(1);
  });

  test("below ten models, replicates counted once, there is no choice", async () => {
    const task = taskOf(smallLeaderboard({ models: 18, items: [20, 8] }));
    const none = { ...asked, dims: 1, dimensionErrors: [] };
    expect(await chosenDimension(task, rowsOf(9), options(rowsOf(18)))).toEqual(none);
    const twins = rowsOf(18).map((m) => m - (m % 2));
    expect(await chosenDimension(task, rowsOf(18), options(twins))).toEqual(none);
  });
});

test("what is asked for is taken, dimensions as far as the models allow them, and nothing is tried", async () => {
  const task = taskOf(smallLeaderboard({ models: 22, items: [20, 8] }));
  const unused = {
    ...options(rowsOf(22)),
    backend: { ...typescriptBackend, open: () => Promise.reject(new Error("nothing is to be calibrated")) },
  };
  for (const [wanted, models, dims] of [
    [2, 22, 2],
    [8, 22, 4],
    [8, 9, 1],
    [1, 22, 1],
  ] as const)
    for (const link of SCORE_LINKS) {
      const model = { link, dims: wanted, shrinkage: 0.3 };
      const expected = { ...model, dims, dimensionErrors: [] };
      expect(await chooseModel(task, rowsOf(models), model, unused)).toEqual(expected);
    }
  await expect(chosenDimension(task, rowsOf(22), unused)).rejects.toThrow("nothing is to be calibrated");
});

const [models, items] = [60, 80];

/** Scores about a 2PL's curve. @param score - from probability and a stream of random numbers */
function leaderboard(score: (p: number, normal: () => number, next: () => number) => number): ResponseMatrix {
  const random = createRandom("links");
  const theta = Array.from({ length: models }, () => random.normal());
  const b = Array.from({ length: items }, () => random.normal());
  const scores = Float64Array.from({ length: models * items }, (_, k) =>
    score(
      sigmoid(theta[Math.floor(k / items)]! - b[k % items]!),
      () => random.normal(),
      () => random.next(),
    ),
  );
  return responseMatrix(
    theta.map((_, m) => `model-${m}`),
    b.map((_, i) => ({ item_id: `item-${i}`, scenario: "s" })),
    scores,
  );
}

const chosenLink = async (matrix: ResponseMatrix): Promise<ScoreLink> => {
  const rows = matrix.subjects.map((_, m) => m);
  return (await chooseModel(taskOf(matrix), rows, { ...asked, link: "auto" }, options(rows, 1))).link;
};
const within = (score: number): number => Math.min(1, Math.max(0, score));

describe("auto", () => {
  test("takes the Bernoulli link where the variance is P(1−P)'s", async () => {
    const matrix = leaderboard((p, normal) => within(p + 0.3 * Math.sqrt(p * (1 - p)) * normal()));
    expect(await chosenLink(matrix)).toBe("bernoulli");
  });

  test("takes the Gaussian link where the variance is the same everywhere", async () => {
    const matrix = leaderboard((p, normal) => within(0.05 + 0.9 * p + 0.04 * normal()));
    expect(await chosenLink(matrix)).toBe("gaussian");
  });

  test("binarises where the curve of the scores bends as no logistic does", async () => {
    // Below P = .7 even a right answer scores .15: the mean score jumps there.
    const matrix = leaderboard((p, _, next) => (next() < p ? 1 : 0.2) * (p > 0.7 ? 1 : 0.15));
    expect(await chosenLink(matrix)).toBe("binarize");
  });

  test("has nothing to choose where scores are 0 or 1", async () => {
    expect(await chosenLink(leaderboard((p, _, next) => (next() < p ? 1 : 0)))).toBe("binarize");
  });
});

const matrix = smallLeaderboard({ models: 40, items: [60], dims: 2, seed: 5 });
const task = taskOf(matrix);
const all = matrix.subjects.map((_, m) => m);
const shared = { ...options(all, 2), link: "binarize", dims: 2 } as const;
const chosenShrinkage = async (rows: readonly number[]): Promise<number> =>
  (await chooseModel(task, rows, { ...asked, shrinkage: "auto" }, shared)).shrinkage;

describe("auto", () => {
  test("is the candidate of least error among like and stronger models, by brute force", async () => {
    const input = { groups: all, eligible: all.map(() => true) };
    const scores = all.map((m) =>
      Array.from(matrix.scores.subarray(m * 60, (m + 1) * 60)).reduce((sum, y) => sum + y / 60, 0),
    );
    const random = shared.random.fork("shrinkage");
    const like = folds(input, 5, random.fork("folds"));
    const strong = extrapolationSplit({ ...input, scores, names: matrix.subjects });
    const error = async ({ sources, targets }: Split, shrinkage: number): Promise<number> => {
      const trained = await fitBank(task, sources, {
        ...shared,
        shrinkage,
        random: random.fork(`share ${shrinkage}`),
      });
      return validationError(task, targets, trained);
    };
    const errors: number[] = [];
    for (const share of SHRINKAGE_CANDIDATES)
      errors.push(
        ((await error(like[0]!, share)) + (await error(like[1]!, share))) * 0.5 * (await error(strong, share)),
      );
    const best = SHRINKAGE_CANDIDATES[errors.indexOf(Math.min(...errors))]!;
    expect(new Set(errors).size).toBe(errors.length);
    expect(await chosenShrinkage(all)).toBe(best);
  });

  test("keeps the default for few models", async () => {
    expect(await chosenShrinkage(all.slice(0, 19))).toBe(0.5);
  });
});
