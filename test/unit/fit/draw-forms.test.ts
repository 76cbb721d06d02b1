import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { ANCHOR_METHOD_NAMES } from "../../../offline-trainer/src/methods/index.ts";
import { scenarioGroups } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { drawForms, prepareForms } from "../../../offline-trainer/src/fit/draw-forms.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { rowsOf } from "./held-out-estimates.ts";
import { smallBank } from "./small-bank.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";

test.each(ANCHOR_METHOD_NAMES)("%s: items that no source answered cost no anchor and no weight", async (selection) => {
  const unanswered = [3, 17, 30];
  const matrix = withScores(smallLeaderboard({ models: 24, items: [40] }), (model, item, score) =>
    model < 20 && unanswered.includes(item) ? NaN : score,
  );
  const [task] = scenarioGroups(matrix, DEFAULT_SETTINGS);
  const trained = await smallBank(task!, 20);
  expect(unanswered.map((item) => trained.scenarios[0]!.accuracy[item])).toEqual([NaN, NaN, NaN]);
  const prepared = prepareForms(task!, rowsOf(20), trained, {
    selection,
    forms: [5, 12].map((size) => evenForm(size, task!.scenarios)),
    random: createRandom("fit"),
  });
  for (let draw = 0; draw < 10; draw++) {
    const [forms] = await drawForms(prepared, createRandom(draw));
    for (const size of [5, 12]) {
      const { items, mass } = forms!.get(String(size))!;
      expect(items.length).toBe(size);
      if (selection.endsWith("kmeans")) expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    }
  }
});
