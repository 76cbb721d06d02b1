import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { estimateTargets } from "../../../offline-trainer/src/fit/held-out.ts";
import { learn } from "../../../offline-trainer/src/fit/learn.ts";
import { describeBenchmark, onlyModels } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { customised } from "../../../offline-trainer/src/methods/index.ts";
import { recommended } from "../../../offline-trainer/src/methods/method.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

const benchmark = describeBenchmark(smallLeaderboard({ models: 40, items: [30, 20] }), { weighting: "items" });
const models = [...benchmark.models.keys()];
const [targets, sources] = [models.slice(0, 10), models.slice(10)];
const method = await customised(recommended, { dims: 1 });
const forms = [evenForm(5, benchmark.scenarios)];
const learned = await learn(onlyModels(benchmark, sources), method, forms, createRandom("sources"), {
  backend: typescriptBackend,
});
const estimated = async (options: { readonly enough?: number; readonly answers?: boolean }) => {
  const splits = benchmark.scenarios.map(() => ({ targets }));
  const tables = await estimateTargets(benchmark, splits, learned, { fold: 0, draws: 4, ...options });
  return tables.get("b")!.get("5")!.separate;
};
const all = await estimated({});

test.each([
  [40, 4],
  [39, 3],
  [20, 2],
  [10, 1],
  [1, 1],
])(
  "where %d estimates are enough, ten models are estimated by %d of four draws each, all draws as often",
  async (enough, draws) => {
    const few = await estimated({ enough });
    const keys = few.map(({ model, draw }) => `${model}/${draw}`);
    expect(new Set(keys).size).toBe(10 * draws);
    for (const model of targets) expect(few.filter((estimate) => estimate.model === model).length).toBe(draws);
    const byDraw = [0, 1, 2, 3].map((draw) => few.filter((estimate) => estimate.draw === draw).length);
    expect(Math.max(...byDraw) - Math.min(...byDraw)).toBeLessThanOrEqual(2);
    expect(few).toEqual(all.filter(({ model, draw }) => keys.includes(`${model}/${draw}`)));
  },
);

test("answers are kept where they are asked for, and aligned with the anchors", async () => {
  expect((await estimated({ answers: false })).map(({ answers }) => answers)).toEqual(all.map(() => null));
  for (const { answers } of all) {
    const { sample, residuals } = answers!;
    expect([sample.scores.length, residuals.length]).toEqual([sample.items.length, sample.items.length]);
    expect(sample.scores.every((score) => score === 0 || score === 1)).toBe(true);
  }
});
