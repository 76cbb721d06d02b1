import { AnchorEvalError, checkFromAnchors, loadBundle } from "anchoreval";
import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { flips, gateForms } from "../../../../../features/gates/fit/gate-forms.ts";
import { bundleFiles, fit } from "../../../../../offline-trainer/src/fit/fit.ts";
import type { FormPlan } from "../../../../../offline-trainer/src/fit/form-plans.ts";
import type { ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { recommended } from "../../../../../offline-trainer/src/methods/method.ts";
import { memorySource } from "../../../../support/memory-source.ts";
import { anchorInput } from "../../../../support/select-anchors.ts";

const ITEMS = 60;
const SIZE = 24;
const MODELS = 9;
const random = createRandom("gate forms");
const items = Array.from({ length: ITEMS }, (_, i) => ({ item_id: `quiz/${i}`, scenario: "quiz" }));
const difficulty = items.map(() => 3 * random.normal());
const matrixOf = (subjects: string[], scores: (row: number, item: number) => number, own = items): ResponseMatrix => ({
  subjects,
  items: own,
  stride: own.length,
  scores: Float32Array.from({ length: subjects.length * own.length }, (_, k) =>
    scores(Math.floor(k / own.length), k % own.length),
  ),
  observed: null,
});
/** Pass rates in eighths. */
const board = matrixOf(
  Array.from({ length: MODELS }, (_, m) => `maker${m}/model`),
  (m, i) => Math.round(8 * sigmoid(m / 2 - 2 - difficulty[i]! + random.normal())) / 8,
);
const chances = difficulty.map((own) => sigmoid(0.5 - own + random.normal()));
const run = (): Float64Array => Float64Array.from(chances, (p) => Number(random.next() < p));
const runs = [run(), run(), run(), run()];
const repeats = {
  file: "runs.csv",
  matrix: matrixOf(["a", "b", "c", "d"], (row, item) => runs[row]![item]!),
};

/** Forms drawn again and again: each of a way with a name, and so a stream, of its own. */
const DRAWS = 40;
const [plan] = gateForms(board, [SIZE], repeats) as [FormPlan];
const forms = Array.from({ length: DRAWS }, (_, k): FormPlan => ({
  ...plan,
  id: `gate-${k}`,
  way: { ...plan.way!, name: `flips ${k}` },
}));
const fitted = await fit(board, {
  ...{ benchmark: "quiz", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [10], seed: 1 },
  method: { ...recommended, settings: { ...recommended.settings, dims: 1, folds: 2, draws: 1 } },
  parts: [{ stage: "forms", forms }],
  backend: typescriptBackend,
});
const bundle = await loadBundle(memorySource(bundleFiles(fitted)));

describe("a check on gate forms", () => {
  test("measures a drop without bias over draws, and no more alarms than it allows", () => {
    const dropped = chances.map((p) => sigmoid(logit(p) - 0.8));
    const truth = chances.reduce((sum, p, i) => sum + (p - dropped[i]!) / ITEMS, 0);
    const NIGHTS = 12;
    const drops: { unchanged: number[]; dropped: number[] } = { unchanged: [], dropped: [] };
    let [alarms, missed] = [0, 0];
    for (const { id: form } of forms) {
      const { itemIds } = bundle.scenarios.get("quiz")!.forms.get(form)!;
      const answers = (own: readonly number[]) => ({
        responses: Object.fromEntries(
          itemIds.map((id) => [id, Number(random.next() < own[Number(id.slice(5))]!)] as const),
        ),
      });
      for (let night = 0; night < NIGHTS; night++) {
        const options = { form, baselines: [answers(chances)], maxDrop: 0, alarmsPerYear: 5, runsPerYear: 100 };
        const same = checkFromAnchors(bundle, answers(chances), options).drop!;
        const worse = checkFromAnchors(bundle, answers(dropped), options).drop!;
        drops.unchanged.push(same.drop!);
        drops.dropped.push(worse.drop! - truth);
        alarms += Number(same.low! > 0);
        missed += Number(worse.high! < truth);
      }
    }
    for (const own of Object.values(drops)) {
      const mean = own.reduce((sum, drop) => sum + drop, 0) / own.length;
      const variance = own.reduce((sum, drop) => sum + (drop - mean) ** 2, 0) / own.length;
      expect(Math.abs(mean)).toBeLessThan(4 * Math.sqrt(variance / own.length)); // of independent nights; a form's share its items
      expect(Math.sqrt(variance)).toBeLessThan(0.2);
    }
    const nights = DRAWS * NIGHTS;
    const most = 0.05 + 3 * Math.sqrt((0.05 * 0.95) / nights);
    expect(alarms / nights).toBeLessThan(most);
    expect(missed / nights).toBeLessThan(most);
  });

  test("asks items that flip more often, and says in its notes what that is worth", () => {
    const asked = new Float64Array(ITEMS);
    for (const { id } of forms)
      for (const item of bundle.scenarios.get("quiz")!.forms.get(id)!.itemIds)
        asked[Number(item.slice(5))]! += 1 / DRAWS;
    const flipping = chances.map((p) => p > 0.25 && p < 0.75);
    const share = (kind: boolean): number => {
      const own = [...asked].filter((_, i) => flipping[i] === kind);
      return own.reduce((sum, times) => sum + times, 0) / own.length;
    };
    expect(share(true)).toBeGreaterThan(1.3 * share(false));
    const notes = bundle.manifest.fit["gateForms"] as Record<string, { by: string; flips: number; variance: number }>;
    expect(notes["quiz"]!.by).toBe("repeats");
    const own = chances.reduce((sum, p) => sum + (2 * p * (1 - p)) / ITEMS, 0);
    expect(Math.abs(notes["quiz"]!.flips - own)).toBeLessThan(0.06);
    expect(notes["quiz"]!.variance).toBeLessThan(0.95);
  });
});

describe("without repeats", () => {
  const notesOf = async (graded: boolean) => {
    const input = anchorInput({ sizes: [10] });
    const column = (item: number) => input.column(item).map((own) => (graded ? own : Math.round(own)));
    return flips.prepare({ ...input, column }).notes!() as Promise<Record<string, { by: string; variance: number }>>;
  };

  test("flips come from the other models' pass rates, or from the response model where answers are single runs", async () => {
    const [graded, single] = [(await notesOf(true))["gateForms"]!, (await notesOf(false))["gateForms"]!];
    expect([graded.by, single.by]).toEqual(["pass rates", "response model"]);
    for (const { variance } of [graded, single]) expect(variance > 0.2 && variance <= 1).toBe(true);
  });
});

test("a form for each size, ascending, none twice; the runs of each scenario by its items' order", () => {
  const two = [...items.slice(0, 2), { item_id: "b", scenario: "other" }];
  const table = matrixOf(["x", "y"], (row, item) => Number(row === item), [two[2]!, two[0]!]);
  const plans = gateForms(
    matrixOf(["m"], () => 0, two),
    [2, 1, 2],
    { file: "runs.csv", matrix: table },
  );
  expect(plans.map(({ id, anchors }) => [id, ...anchors])).toEqual([
    ["gate-1", ["quiz", 1], ["other", 1]],
    ["gate-2", ["quiz", 2], ["other", 2]],
  ]);
  expect(plans[0]!.way!.knowledge).toEqual(
    new Map([
      ["quiz", { runs: Float64Array.of(2, 0), right: Float64Array.of(1, 0) }],
      ["other", { runs: Float64Array.of(2), right: Float64Array.of(1) }],
    ]),
  );
});

test.each([
  [
    "more items than there are",
    [ITEMS + 1],
    null,
    "invalid_option",
    `\`gateForm\` 61 is more than there are: the largest scenario has 60 items`,
  ],
  [
    "one run",
    [5],
    matrixOf(["a"], () => 1),
    "invalid_data",
    "runs.csv: what differs between runs of one model takes two runs or more, a row each; got 1",
  ],
  [
    "runs of unknown items",
    [5],
    matrixOf(["a", "b"], () => 1, [items[0]!, { item_id: "quiz/x", scenario: "quiz" }]),
    "invalid_data",
    'runs.csv: "quiz/x": there is no such item in `responses`',
  ],
  [
    "graded runs",
    [5],
    matrixOf(["a", "b"], (row, item) => (row === 1 && item === 3 ? 0.5 : 1)),
    "invalid_data",
    "runs.csv: run b, item quiz/3: `repeats` takes single runs, right (1) or wrong (0), got 0.5",
  ],
] as const)("%s are refused", (_, sizes, matrix, code, message) => {
  try {
    gateForms(board, sizes, matrix && { file: "runs.csv", matrix });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(AnchorEvalError);
    expect(error).toMatchObject({ code, message });
  }
});
