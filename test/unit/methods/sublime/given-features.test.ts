import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { typescriptBackend } from "../../../../offline-trainer/src/backends/typescript.ts";
import { fit } from "../../../../offline-trainer/src/fit/fit.ts";
import { evenForm } from "../../../../offline-trainer/src/fit/form-plans.ts";
import { learn } from "../../../../offline-trainer/src/fit/learn.ts";
import type { ItemTable } from "../../../../offline-trainer/src/matrix/item-table.ts";
import { describeBenchmark } from "../../../../offline-trainer/src/matrix/benchmark.ts";
import { customised } from "../../../../offline-trainer/src/methods/index.ts";
import { type Method, recommended, withKnowledge } from "../../../../offline-trainer/src/methods/method.ts";
import { sublimeAnchorsOf } from "../../../../offline-trainer/src/methods/sublime/given-features.ts";
import type { SubsetRanking } from "../../../../offline-trainer/src/methods/sublime/untouched-ranking.ts";
import { refusal } from "../../../support/refusal.ts";
import { smallLeaderboard } from "../../fit/small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 24, items: [30, 16] });
const small = { dims: 1, folds: 2, draws: 1 } as const;
const sublime = await customised(recommended, { ...small, selection: "sublime" });
const features = (value: (item: number) => number): ItemTable => ({
  name: "features.csv",
  columns: ["item_id", "made elsewhere"],
  rows: matrix.items.map(({ item_id: id }, i) => [id, value(i).toFixed(12)]),
  lines: matrix.items.map((_, i) => i + 2),
});
const fitted = (method: Method) =>
  fit(matrix, {
    method,
    sizes: [4],
    seed: 1,
    benchmark: "demo",
    version: "1.0.0",
    created: "2026-01-01T00:00:00Z",
    backend: typescriptBackend,
  });

test("a bundle of sublime says how each size of each scenario was chosen, others say nothing", async () => {
  const { content } = await fitted(sublime);
  const { rankings } = content.manifest.fit as { rankings: Record<string, Record<string, SubsetRanking>> };
  expect(Object.keys(rankings)).toEqual(content.manifest.scenarios.map(({ id }) => id));
  for (const own of Object.values(rankings)) {
    expect(Object.keys(own)).toEqual(["4"]);
    expect(own["4"]).toMatchObject({ anchorModels: 6, candidates: 200 });
    expect(own["4"]!.untouched!.models).toBe(6);
  }
  const others = await fitted(await customised(recommended, { ...small, selection: "random" }));
  expect(others.content.manifest.fit).not.toHaveProperty("rankings");
});

test("features reach the items that they are of", async () => {
  const benchmark = describeBenchmark(matrix, sublime.settings);
  const plans = [evenForm(9, benchmark.scenarios)];
  const anchorsOf = async (value: (item: number) => number): Promise<number[][]> => {
    const anchors = sublimeAnchorsOf(matrix, { table: features(value) });
    const method = withKnowledge({ ...sublime, anchors }, benchmark);
    const learned = await learn(benchmark, method, plans, createRandom("fit"), { backend: typescriptBackend });
    const [form] = await learned.draw(0);
    return ["a", "b"].map((id) => Array.from(form!.scenarios.get(id)!.anchors.items));
  };
  const [first, second] = await anchorsOf((i) => Math.sin(i));
  const changed = await anchorsOf((i) => (i < 30 ? Math.sin(i) : Math.cos(3 * i)));
  expect(changed[0]).toEqual(first);
  expect(changed[1]).not.toEqual(second);
});

test("an anchor model that isn't there is refused", () => {
  const error = refusal(() => sublimeAnchorsOf(matrix, { anchorModels: ["org/model-3", "org/nobody"] }));
  expect(error).toMatchObject({
    code: "invalid_option",
    message: "the responses have no model org/nobody, named as an anchor model",
  });
});
