import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import type { ItemFeatures } from "../../../offline-trainer/src/methods/sublime/item-features.ts";
import type { SubsetRanking } from "../../../offline-trainer/src/methods/sublime/untouched-ranking.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { scenarioGroups } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { DEFAULT_SETTINGS, type FitSettings } from "../../../offline-trainer/src/methods/settings.ts";
import { drawForms, prepareForms } from "../../../offline-trainer/src/fit/draw-forms.ts";
import { fit } from "../../../offline-trainer/src/fit/fit.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { refusal } from "../../support/refusal.ts";
import { rowsOf } from "./held-out-estimates.ts";
import { smallBank } from "./small-bank.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 24, items: [30, 16] });
const base: FitSettings = { ...DEFAULT_SETTINGS, selection: "sublime", dims: 1, folds: 2, draws: 1 };
const features = (of: (item: number) => number): ItemFeatures => ({
  columns: [{ name: "made elsewhere", values: Float64Array.from({ length: 46 }, (_, i) => of(i)) }],
  points: null,
  subscenarios: null,
  strata: null,
});
const fit = (configuration: FitSettings) =>
  fit(matrix, {
    configuration,
    sizes: [4],
    seed: 1,
    benchmark: "demo",
    version: "1.0.0",
    created: "2026-01-01T00:00:00Z",
    backend: typescriptBackend,
  });

test("a bundle of sublime says how each size of each scenario was chosen, others say nothing", async () => {
  const { content } = await fit(base);
  const { rankings } = content.manifest.fit as { rankings: Record<string, Record<string, SubsetRanking>> };
  expect(Object.keys(rankings)).toEqual(content.manifest.scenarios.map(({ id }) => id));
  for (const own of Object.values(rankings)) {
    expect(Object.keys(own)).toEqual(["4"]);
    expect(own["4"]).toMatchObject({ anchorModels: 6, candidates: 200 });
    expect(own["4"]!.untouched!.models).toBe(6);
  }
  const others = await fit({ ...base, selection: "random" });
  expect(others.content.manifest.fit).not.toHaveProperty("rankings");
});

test.each([false, true])("features reach the items that they are of, scenarios jointly: %s", async (joint) => {
  const configuration = { ...base, joint };
  const anchorsOf = async (of: (item: number) => number): Promise<number[][]> => {
    const random = createRandom("fit");
    const found: number[][] = [];
    for (const task of scenarioGroups(matrix, configuration, { itemFeatures: features(of) })) {
      const trained = await smallBank(task, 24, { random });
      const forms = [evenForm(9, task.scenarios)];
      const options = { selection: "sublime", forms, random } as const;
      const drawn = await drawForms(prepareForms(task, rowsOf(24), trained, options), random);
      for (const own of drawn) found.push(Array.from(own.get("9")!.items));
    }
    return found;
  };
  const [first, second] = await anchorsOf((i) => Math.sin(i));
  const changed = await anchorsOf((i) => (i < 30 ? Math.sin(i) : Math.cos(3 * i)));
  expect(changed[0]).toEqual(first);
  expect(changed[1]).not.toEqual(second);
});

test("an anchor model that isn't there is refused", () => {
  const error = refusal(() => scenarioGroups(matrix, base, { anchorModels: ["org/model-3", "org/nobody"] }));
  expect(error).toMatchObject({
    code: "invalid_option",
    message: "the responses have no model org/nobody, named as an anchor model",
  });
});
