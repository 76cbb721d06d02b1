import { estimateFromAnchors, loadBundle, type Responses, AnchorEvalError } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { nestedLevels, tiltedWeights } from "../../../offline-trainer/src/anchors/stratified.ts";
import { tilted } from "../../support/tilted.ts";
import { bundleFiles, fit, type Fit } from "../../../offline-trainer/src/fit/fit.ts";
import {
  evenForm,
  type FormPlan,
  type FormWay,
  planForms,
  withSecondForms,
} from "../../../offline-trainer/src/fit/form-plans.ts";
import { learn } from "../../../offline-trainer/src/fit/learn.ts";
import { describeBenchmark, matrixScenarios, onlyModels } from "../../../offline-trainer/src/matrix/benchmark.ts";
import type { ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import {
  ANCHOR_METHOD_NAMES,
  type AnchorMethodName,
  customised,
  loadAnchorMethod,
  loadMethod,
} from "../../../offline-trainer/src/methods/index.ts";
import { recommended, withKnowledge } from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { closingWords } from "../../../offline-trainer/src/fit/closing-words.ts";
import { renderReport } from "../../../features/fit-report.ts";
import { memorySource } from "../../support/memory-source.ts";
import { searchingShortly } from "../../support/select-anchors.ts";
import { rowsOf } from "./held-out-estimates.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";
import { WHOLE } from "../../support/whole.ts";

test.each(ANCHOR_METHOD_NAMES)("%s: items that no source answered cost no anchor and no weight", async (selection) => {
  const unanswered = [3, 17, 30];
  const matrix = withScores(smallLeaderboard({ models: 24, items: [40] }), (model, item, score) =>
    model < 20 && unanswered.includes(item) ? NaN : score,
  );
  const given = await customised(recommended, { selection, dims: 1 });
  const benchmark = describeBenchmark(matrix, given.settings);
  const method = withKnowledge(given, benchmark);
  const plans = [5, 12].map((size) => evenForm(size, benchmark.scenarios));
  const sources = onlyModels(benchmark, rowsOf(20));
  const learned = await learn(sources, method, plans, createRandom("fit"), { backend: typescriptBackend });
  const { accuracy } = learned.scenarios[0]!.trained;
  expect(unanswered.map((item) => accuracy[item])).toEqual([NaN, NaN, NaN]);
  for (let draw = 0; draw < 10; draw++)
    for (const form of await learned.draw(draw)) {
      const { items, mass } = form.scenarios.get("a")!.anchors;
      expect(items.length).toBe(Number(form.id));
      if (selection.endsWith("kmeans")) expect(mass.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
    }
});

const matrix = smallLeaderboard({ models: 30, items: [60, 44] });

/** Ways to choose anchors that can choose a second form of other items. */
const WITH_SECOND = ["greedy-variance", "essence", "fisher-information"] as const satisfies readonly AnchorMethodName[];

describe.each(WITH_SECOND)("second forms by %s", (selection) => {
  const sizes = [4, 20];
  const forms = async (board: ResponseMatrix) => {
    const given = await customised(recommended, { selection, dims: 1 });
    const method = { ...given, anchors: searchingShortly(given.anchors) };
    const benchmark = describeBenchmark(board, method.settings);
    const plans = sizes.map((size) => evenForm(size, benchmark.scenarios));
    const sources = onlyModels(benchmark, rowsOf(30));
    const anchorsBy = async (wanted = plans) => {
      const random = createRandom("fit");
      const known = withKnowledge(method, benchmark);
      const learned = await learn(sources, known, wanted, random, { backend: typescriptBackend });
      return async (k: number) =>
        new Map((await learned.draw(k)).map(({ id, scenarios }) => [id, scenarios.get("a")!.anchors]));
    };
    const before = await (await anchorsBy())(1);
    const drawn = await anchorsBy(withSecondForms(plans));
    const all = await drawn(1);
    for (const [id, anchors] of before) expect(all.get(id)).toEqual(anchors);
    expect((await drawn(2)).get("20-b")).toBe(all.get("20-b"));
    return { first: (size: number) => all.get(String(size))!, second: (size: number) => all.get(`${size}-b`)! };
  };

  test("have as many items, none of the first form's, whoever was held out", async () => {
    const board = smallLeaderboard({ models: 40, items: [44] });
    const { first, second } = await forms(board);
    for (const size of sizes) {
      const own = second(size);
      expect(new Set([...own.items, ...first(size).items]).size).toBe(2 * size);
      expect(own.inclusion).toBeNull();
      expect([...own.mass]).toEqual(new Array(size).fill(1 / size));
    }
    const held = withScores(board, (model, _, score) => (model < 30 ? score : 1 - score));
    const again = await forms(held);
    for (const size of sizes) expect(again.second(size)).toEqual(second(size));
  });

  test("take all that is left where that is just enough", async () => {
    const { first, second } = await forms(smallLeaderboard({ models: 40, items: [40] }));
    const all = [...first(20).items, ...second(20).items].sort((x, y) => x - y);
    expect(all).toEqual(rowsOf(40));
  });
});

describe("a bundle with second forms", async () => {
  const given = await customised(await loadMethod("metabench"), { search: 0, folds: 2, draws: 1 });
  const method = { ...given, anchors: searchingShortly(given.anchors) };
  const fitted = (secondForms: boolean): Promise<Fit> =>
    fit(matrix, {
      method,
      sizes: [8, 14],
      totals: [20],
      secondForms,
      seed: 1,
      benchmark: "demo",
      version: "1.0.0",
      created: "2026-01-01T00:00:00Z",
      backend: typescriptBackend,
    });
  const result = await fitted(true);
  const bundle = await loadBundle(memorySource(bundleFiles(result)));
  const itemsOf = (form: string): string[] =>
    [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get(form)!.itemIds);

  test("has them after the first ones, which it has like a bundle without", async () => {
    const { forms, defaultForm } = bundle.manifest;
    expect(forms.map(({ id, disjointFrom }) => [id, disjointFrom])).toEqual([
      ["8", undefined],
      ["total-20", undefined],
      ["14", undefined],
      ["8-b", "8"],
      ["total-20-b", "total-20"],
      ["14-b", "14"],
    ]);
    expect(defaultForm).toBe("14");
    for (const form of ["8", "total-20", "14"])
      expect(new Set([...itemsOf(form), ...itemsOf(`${form}-b`)]).size).toBe(2 * itemsOf(form).length);
    const without = await loadBundle(memorySource(bundleFiles(await fitted(false))));
    expect(forms.slice(0, 3)).toEqual(without.manifest.forms);
    for (const [id, scenario] of without.scenarios)
      for (const form of ["8", "14"]) {
        const { anchors, maps, itemIds } = scenario.forms.get(form)!;
        expect(bundle.scenarios.get(id)!.forms.get(form)).toMatchObject({ anchors, maps, itemIds });
      }
  });

  test("measures each by itself on held-out models", async () => {
    const [first, second] = ["8", "8-b"].map((id) => bundle.manifest.forms.find((form) => form.id === id));
    for (const id of bundle.scenarios.keys()) {
      const errors = [first, second].map((form) => form!.scenarios[id]!.measured.interpolation!);
      expect(errors[0]!.models).toBe(errors[1]!.models);
      expect(errors[0]!.randomMae).toBe(errors[1]!.randomMae);
      expect(errors[0]!.estimators["score-map"]).not.toEqual(errors[1]!.estimators["score-map"]);
      const [map, other] = [first, second].map((form) => bundle.scenarios.get(id)!.forms.get(form!.id)!.maps!.alone);
      expect(other).not.toEqual(map);
    }
    expect(second!.overall!.measured).not.toEqual(first!.overall!.measured);
    expect(closingWords(bundle.manifest).filter((line) => line.includes("14 other items"))).toHaveLength(2);
    await expect(renderReport(result)).resolves.toBeDefined();
  });

  test("infers the form from the items answered", () => {
    for (const id of ["14", "14-b"]) {
      const answers: Responses = Object.fromEntries(
        itemsOf(id).map((item) => [item, matrix.scores[matrix.items.findIndex((own) => own.item_id === item)]!]),
      );
      const { form, scenarios } = estimateFromAnchors(bundle, answers);
      expect(form).toBe(id);
      for (const { score } of Object.values(scenarios)) expect(score).toBeGreaterThan(0);
    }
  });

  test.skipIf(!WHOLE)("the same seed makes the same bytes", async () => {
    expect(bundleFiles(await fitted(true))).toEqual(bundleFiles(result));
  });
});

describe("a form drawn in a way of its own", async () => {
  const method = { ...recommended, settings: { ...recommended.settings, dims: 1, folds: 2, draws: 2 } };
  const measure = new Map([
    ["a", Float64Array.from({ length: 60 }, (_, i) => i)],
    ["b", Float64Array.from({ length: 44 }, (_, i) => 44 - i)],
  ]);
  const way: FormWay = { name: "tilted", source: tilted.source, knowledge: measure };
  const { scenarios } = describeBenchmark(matrix, method.settings);
  const fitted = (forms: FormPlan[]): Promise<Fit> =>
    fit(matrix, {
      method,
      sizes: [8, 14],
      parts: [{ stage: "forms", forms }],
      seed: 1,
      benchmark: "demo",
      version: "1.0.0",
      created: "2026-01-01T00:00:00Z",
      backend: typescriptBackend,
    });
  const others = [10, 20].map((size): FormPlan => ({ ...evenForm(size, scenarios), id: `tilted-${size}`, way }));
  const [result, without] = await Promise.all([fitted(others), fitted([])]);

  test("stands after the method's, which are the same with it and without", () => {
    const { forms, defaultForm } = result.content.manifest;
    expect(forms.map(({ id, selection }) => [id, selection])).toEqual([
      ["8", "screened"],
      ["14", "screened"],
      ["tilted-10", "tilted"],
      ["tilted-20", "tilted"],
    ]);
    expect(defaultForm).toBe("14");
    expect(forms.slice(0, 2)).toEqual(without.content.manifest.forms);
    for (const [s, scenario] of result.content.scenarios.entries())
      for (const form of ["8", "14"])
        expect(scenario.forms.get(form)).toEqual(without.content.scenarios[s]!.forms.get(form));
  });

  test("is drawn by that way, with its probabilities, and nested in the larger ones of it", () => {
    for (const [s, { weights, id }] of scenarios.entries()) {
      const { forms } = result.content.scenarios[s]!;
      const levels = nestedLevels(tiltedWeights(weights, measure.get(id)!), [10, 20]);
      for (const { size, inclusion } of levels) {
        const { items, inclusion: stated } = forms.get(`tilted-${size}`)!;
        expect(stated).toEqual(Float64Array.from(items, (item) => inclusion[item]!));
      }
      expect([...forms.get("tilted-20")!.items]).toEqual(expect.arrayContaining([...forms.get("tilted-10")!.items]));
    }
  });

  test("is the same whatever other forms there are", async () => {
    const plan = scenarios.map(({ id }, s) => [id, result.content.scenarios[s]!.forms.get("tilted-20")!] as const);
    const other = await fit(matrix, {
      ...{
        method,
        sizes: [11],
        parts: [{ stage: "forms", forms: others }],
        seed: 1,
        benchmark: "demo",
        version: "1.0.0",
      },
      ...{ created: "2026-01-01T00:00:00Z", backend: typescriptBackend },
    });
    for (const [s, [, anchors]] of plan.entries())
      expect(other.content.scenarios[s]!.forms.get("tilted-20")).toEqual(anchors);
    expect(bundleFiles(await fitted(others))).toEqual(bundleFiles(result));
  });
});

test.each([
  ["stratified", [5], "unsupported", "not by stratified"],
  ["irt-kmeans", [5], "unsupported", "not by irt-kmeans"],
  ["sublime", [5], "unsupported", "not by sublime"],
  ["essence", [5, 23], "invalid_option", "two forms of 23 items without a common one need 46, b has 44"],
] satisfies [AnchorMethodName, number[], string, string][])(
  "%s, %j: refused as %s",
  async (selection, sizes, code, words) => {
    expect(ANCHOR_METHOD_NAMES).toContain(selection);
    const anchors = await loadAnchorMethod(selection);
    const scenarios = matrixScenarios(matrix, DEFAULT_SETTINGS);
    try {
      planForms(scenarios, { anchors }, { sizes, secondForms: true });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(AnchorEvalError);
      expect(error).toMatchObject({ code });
      expect((error as AnchorEvalError).message).toContain(words);
    }
  },
);
