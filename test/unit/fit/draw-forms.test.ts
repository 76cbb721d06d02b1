import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { learn } from "../../../offline-trainer/src/fit/learn.ts";
import { describeBenchmark, onlyModels, scenariosOf } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { ANCHOR_METHOD_NAMES, customised } from "../../../offline-trainer/src/methods/index.ts";
import { recommended, withKnowledge } from "../../../offline-trainer/src/methods/method.ts";
import { rowsOf } from "./held-out-estimates.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";

test.each(ANCHOR_METHOD_NAMES)("%s: items that no source answered cost no anchor and no weight", async (selection) => {
  const unanswered = [3, 17, 30];
  const matrix = withScores(smallLeaderboard({ models: 24, items: [40] }), (model, item, score) =>
    model < 20 && unanswered.includes(item) ? NaN : score,
  );
  const given = await customised(recommended, { selection, dims: 1 });
  const benchmark = describeBenchmark(matrix, given.settings);
  const method = withKnowledge(given, benchmark);
  const plans = [5, 12].map((size) => evenForm(size, scenariosOf(benchmark)));
  const sources = onlyModels(benchmark, rowsOf(20));
  const learned = await learn(sources, method, plans, createRandom("fit"), { backend: typescriptBackend });
  const { accuracy } = learned.groups[0]!.bank.scenarios[0]!;
  expect(unanswered.map((item) => accuracy[item])).toEqual([NaN, NaN, NaN]);
  for (let draw = 0; draw < 10; draw++)
    for (const form of await learned.draw(draw)) {
      const { items, mass } = form.scenarios.get("a")!.anchors;
      expect(items.length).toBe(Number(form.id));
      if (selection.endsWith("kmeans")) expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    }
});
