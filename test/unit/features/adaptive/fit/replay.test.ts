import { DEFAULT_SETTINGS, recommended } from "anchoreval-trainer";
import { describe, expect, test } from "vitest";
import { type ReplayOptions, type ReplayRow, runReplays } from "../../../../../features/adaptive/fit/replay.ts";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { smallLeaderboard, withScores } from "../../../fit/small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 40, items: [120, 90] });
const shared: ReplayOptions = {
  split: "interpolation",
  seeds: 1,
  method: { ...recommended, settings: { ...DEFAULT_SETTINGS, dims: 1 } },
  backend: typescriptBackend,
  repeats: 10,
  mostTargets: 10,
  share: 0.3,
};
const run = (change: Partial<ReplayOptions> = {}, of = matrix): Promise<ReplayRow[]> =>
  runReplays(of, { ...shared, ...change });

describe("replays of held-out models", () => {
  test("of each scenario and of all together err less than as many uniform items, and cover", async () => {
    const rows = await run();
    expect(
      rows.map(({ scenario, items, budget, asked, replays, targets }) => ({
        scenario,
        items,
        budget,
        asked,
        replays,
        targets,
      })),
    ).toEqual([
      { scenario: "a", items: 120, budget: 36, asked: 36, replays: 100, targets: 10 },
      { scenario: "b", items: 90, budget: 27, asked: 27, replays: 100, targets: 10 },
      { scenario: "overall", items: 210, budget: 63, asked: 63, replays: 100, targets: 10 },
    ]);
    for (const row of rows) {
      expect(row.effectiveSize).toBeGreaterThan(1.1);
      expect(row.coverage).toBeGreaterThan(0.9);
      expect(Math.abs(row.bias)).toBeLessThan(4 * (row.rmse / Math.sqrt(row.replays)));
      expect(row).toMatchObject({ earlyStops: 0, falseStops: 0 });
    }
  });

  test("tell how often an item is given", async () => {
    const one = { scenarios: ["b"], repeats: 20 };
    const [open] = await run(one);
    expect(open!.exposure!.most).toBeGreaterThan(0.4);
    expect(open!.exposure!.percentile95).toBeLessThan(open!.exposure!.most);
    const [pairs] = await run({ ...one, repeats: 1, pairs: true });
    expect(pairs!.exposure).toBeNull();
  });

  test("are the same again, and others with another seed", async () => {
    const few = { repeats: 2, scenarios: ["b"] };
    const first = await run(few);
    expect(await run(few)).toEqual(first);
    expect(await run({ ...few, firstSeed: 1 })).not.toEqual(first);
  });

  test("stop early by a rule, seldom wrongly", async () => {
    for (const stop of [{ halfWidth: 0.12 }, { threshold: 0.5 }, { better: true }]) {
      const rows = await run({ stop, share: 1, scenarios: ["a"], repeats: 15 });
      expect(rows[0]!.effectiveSize).toBeNull();
      expect(rows[0]!.earlyStops).toBeGreaterThan(0.1);
      expect(rows[0]!.asked).toBeLessThan(120);
      expect(rows[0]!.falseStops).toBeLessThan(0.1);
    }
  });

  test("over runs follow the expected score: items once each, then some again, and no source's trials are the target's", async () => {
    const random = createRandom("cells");
    const trials = matrix.subjects.flatMap((model, m) =>
      matrix.items.map(({ item_id: item }, i) => {
        const other = scoreAt(matrix, (m + 1) % matrix.subjects.length, i);
        const score = scoreAt(matrix, m, i);
        return { model, item, scores: Array.from({ length: 5 }, () => (random.next() < 0.25 ? other : score)) };
      }),
    );
    const means = new Map(
      trials.map(({ model, item, scores }) => [`${model} ${item}`, scores.reduce((a, b) => a + b) / 5]),
    );
    const board = withScores(matrix, (m, i) => means.get(`${matrix.subjects[m]!} ${matrix.items[i]!.item_id}`)!);
    const over = { trials, scenarios: ["a"], repeats: 4, mostTargets: 5, batch: 30 };
    const [once] = await run({ ...over, share: 1 }, board);
    expect(once).toMatchObject({ asked: 120, exposure: null, trials: { again: 0 } });
    expect(once!.trials!.once / once!.trials!.fiveTimes).toBeCloseTo(Math.sqrt(5), 9);
    const [more] = await run({ ...over, share: 2.5 }, board);
    expect(more).toMatchObject({ asked: 300, trials: { again: 180 } });
    expect(more!.halfWidth).toBeLessThan(once!.halfWidth);
    for (const row of [once!, more!]) {
      expect(row.coverage).toBeGreaterThan(0.75); // of 20
      expect(Math.abs(row.bias)).toBeLessThan(4 * (row.rmse / Math.sqrt(row.replays)));
    }
    const halfWidth = (once!.halfWidth * 0.8) / 100;
    const [stopped] = await run({ ...over, share: 20, stop: { halfWidth } }, board);
    expect(stopped!.asked).toBeGreaterThan(120);
    expect(stopped!.asked).toBeLessThan(300);
    expect(stopped!.coverage).toBeGreaterThan(0.75);
  });

  test("all items asked know the score", async () => {
    const [row] = await run({ share: 1, scenarios: ["b"], repeats: 1 });
    expect(row).toMatchObject({ asked: 90, coverage: 1, halfWidth: 0 });
    expect(row!.rmse).toBeLessThan(1e-9);
  });

  test("leave out models with gaps; without any other they are refused", async () => {
    const gaps = withScores(matrix, (model, item, score) => (item === 3 && model !== 7 ? NaN : score));
    expectRefusal(
      await rejection(run({ targets: ["org/model-1", "org/model-2"], scenarios: ["a"] }, gaps)),
      "invalid_data",
      "answered every item",
    );
    const [row] = await run({ targets: ["org/model-1", "org/model-7"], scenarios: ["a"], repeats: 1 }, gaps);
    expect(row!.targets).toBe(1);
  });
});
