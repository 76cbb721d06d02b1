import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { fitBank } from "../../../offline-trainer/src/calibrate/bank.ts";
import {
  chooseDimension,
  DIMENSION_CANDIDATES,
  furtherCandidates,
} from "../../../offline-trainer/src/calibrate/choose-dimension.ts";
import { matrixScenarios, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { DEFAULT_SETTINGS, MOST_DIMENSIONS } from "../../../offline-trainer/src/methods/settings.ts";
import { rowsOf } from "../fit/held-out-estimates.ts";
import { type LeaderboardShape, smallLeaderboard, withScores } from "../fit/small-leaderboard.ts";

const taskOf = (matrix: ResponseMatrix, s = 0): Scenario => matrixScenarios(matrix, DEFAULT_SETTINGS)[s]!;
const options = (groups: readonly number[]): Parameters<typeof chooseDimension>[3] => ({
  backend: typescriptBackend,
  random: createRandom(3),
  irtModel: "2pl",
  estimation: "penalised",
  replicates: groups,
});

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
    { ...options(groups), shrinkage: 0.5, dims, random: createRandom(3).fork("dimension").fork(`${dims} dimensions`) },
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
    const { dims, dimensionErrors: errors } = await chooseDimension(task, rows, "auto", options(groups));
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
    const before = await chooseDimension(taskOf(matrix), rows, "auto", options(rowsOf(40)));
    const other = withScores(matrix, (m, _, score) => (m >= 30 ? 1 - score : score));
    expect(await chooseDimension(taskOf(other), rows, "auto", options(rowsOf(40)))).toEqual(before);
    const changed = withScores(matrix, (m, _, score) => (m === 1 ? 1 - score : score));
    expect(await chooseDimension(taskOf(changed), rows, "auto", options(rowsOf(40)))).not.toEqual(before);
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
    const { dims, dimensionErrors: errors } = await chooseDimension(
      task,
      rowsOf(models),
      "auto",
      options(rowsOf(models)),
    );
    expect(errors.map((candidate) => candidate.dims)).toEqual(candidates);
    expect(candidates).toContain(dims);
    if (candidates.length === 1) expect(dims).toBe(1);
  });

  test("of a list is one of the list's, or the most that so few models allow", async () => {
    const task = taskOf(smallLeaderboard({ models: 40, items: [60, 20], dims: 2 }));
    const choose = (models: number, candidates: readonly number[]) =>
      chooseDimension(task, rowsOf(models), candidates, options(rowsOf(40)));
    expect((await choose(40, [2, 4, 10])).dimensionErrors.map(({ dims }) => dims)).toEqual([2, 4]);
    expect(await choose(20, [10, 20])).toMatchObject({ dims: 3, dimensionErrors: [{ dims: 3 }] });
    expect(await choose(9, [2, 5])).toEqual({ dims: 1, dimensionErrors: [] });
  });

  test("below ten models, replicates counted once, there is no choice", async () => {
    const task = taskOf(smallLeaderboard({ models: 18, items: [20, 8] }));
    const none = { dims: 1, dimensionErrors: [] };
    expect(await chooseDimension(task, rowsOf(9), "auto", options(rowsOf(18)))).toEqual(none);
    const twins = rowsOf(18).map((m) => m - (m % 2));
    expect(await chooseDimension(task, rowsOf(18), "auto", options(twins))).toEqual(none);
  });
});

describe("on a device that does whole rounds", () => {
  const graph = onnxNodeBackend({ provider: "cpu", precision: "float64", rounds: "loop" });

  test.each([
    { models: 100, seed: 6, tried: [1, 2, 3, 5], best: 3 }, // 5 isn't the best: nothing further
    { models: 60, seed: 8, tried: [1, 2, 3, 5, 8], best: 8 }, // 48 models allow 9
    { models: 100, seed: 2, tried: [1, 2, 3, 5, 8, 12], best: 8 }, // 12 isn't: no 18
  ])("auto goes on while more are better: $models models, seed $seed", async ({ models, seed, tried, best }) => {
    const task = taskOf(smallLeaderboard({ models, items: [120], dims: 8, seed }));
    const rows = rowsOf(models);
    const choose = (asked: "auto" | readonly number[], backend = graph) =>
      chooseDimension(task, rows, asked, { ...options(rows), backend });
    const { dims, dimensionErrors: errors } = await choose("auto");
    expect(errors.map((candidate) => candidate.dims)).toEqual(tried);
    expect(dims).toBe(best);
    const reference = await choose(tried, typescriptBackend);
    errors.forEach(({ error }, k) => expect(error).toBeCloseTo(reference.dimensionErrors[k]!.error, 6));
    expect((await choose("auto", typescriptBackend)).dimensionErrors).toEqual(reference.dimensionErrors.slice(0, 4));
  });

  test("a list is tried as it is", async () => {
    const task = taskOf(smallLeaderboard({ models: 60, items: [60], dims: 8, seed: 8 }));
    const { dimensionErrors } = await chooseDimension(task, rowsOf(60), [2, 5], {
      ...options(rowsOf(60)),
      backend: graph,
    });
    expect(dimensionErrors.map(({ dims }) => dims)).toEqual([2, 5]);
  });

  test("the larger the board the fewer are cheap, and where rounds are finished elsewhere none", () => {
    const further = (models: number, items: number, backend: Parameters<typeof furtherCandidates>[0] = graph) =>
      furtherCandidates(backend, { models, items });
    expect(further(100, 1000)).toEqual([8, 12, 18, 27, 40]);
    expect(Math.max(...further(100, 1000), ...DIMENSION_CANDIDATES)).toBeLessThanOrEqual(MOST_DIMENSIONS);
    expect(further(400, 4777)).toEqual([8, 12, 18]);
    expect(further(6349, 4777)).toEqual([]);
    expect(further(100, 1000, { ...graph, finish: typescriptBackend })).toEqual([]);
    expect(further(100, 1000, typescriptBackend)).toEqual([]);
  });
});
