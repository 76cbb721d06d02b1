import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { type Bundle, estimateFromAnchors, loadBundle, type Responses } from "anchoreval";
import { mappedScore } from "anchoreval/internal/core/estimators/score-maps";
import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { termValue } from "../../../../sdk/core/estimators/score-maps.ts";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../offline-trainer/src/backends/typescript.ts";
import { bundleFiles, fit, type Fit } from "../../../../offline-trainer/src/fit/fit.ts";
import { matrixScenarios } from "../../../../offline-trainer/src/matrix/benchmark.ts";
import { customised, loadMethod } from "../../../../offline-trainer/src/methods/index.ts";
import { informationDesign } from "../../../../offline-trainer/src/methods/metabench/design-search.ts";
import { type Method, recommended } from "../../../../offline-trainer/src/methods/method.ts";
import { formScoreMaps } from "../../../../offline-trainer/src/methods/score-maps/form-score-maps.ts";
import { DEFAULT_SETTINGS } from "../../../../offline-trainer/src/methods/settings.ts";
import { fullScores } from "../../../../offline-trainer/src/matrix/scenarios.ts";
import { memorySource } from "../../../support/memory-source.ts";
import { smallLeaderboard } from "../../fit/small-leaderboard.ts";
import { WHOLE } from "../../../support/whole.ts";

const matrix = smallLeaderboard({ models: 40, items: [60, 40] });
const metabench = await customised(await loadMethod("metabench"), { search: 3, folds: 2, draws: 1 });

const fitted = (method: Method, sizes = [10, 60]): Promise<Fit> =>
  fit(matrix, {
    method,
    sizes,
    seed: 1,
    benchmark: "demo",
    version: "1.0.0",
    created: "2026-01-01T00:00:00Z",
    backend: typescriptBackend,
  });

const columns = matrix.items.length;
const answersOf = (bundle: Bundle, model: number, form: string, scenarios = [...bundle.scenarios.keys()]): Responses =>
  Object.fromEntries(
    matrix.items.flatMap(({ item_id: id, scenario }, i) =>
      scenarios.includes(scenario) && bundle.scenarios.get(scenario)!.anchors.get(id)?.forms.includes(form)
        ? [[id, matrix.scores[model * columns + i]!]]
        : [],
    ),
  );

describe("a bundle of the recipe metabench", async () => {
  const result = await fitted(metabench);
  const bundle = await loadBundle(memorySource(bundleFiles(result)));
  const form = bundle.manifest.forms[0]!;

  test("serves the score map, and says what the search found", () => {
    expect(form).toMatchObject({ id: "10", selection: "fisher-information", estimator: "score-map" });
    expect(form.interval).toBe("cross-validated");
    for (const { map, measured } of Object.values(form.scenarios)) {
      expect(map!.together).not.toBeNull();
      expect(measured.interpolation!.estimators["score-map"]!.mae).toBeGreaterThan(0);
    }
    const { designs } = bundle.manifest.fit as { designs: Record<string, Record<string, unknown>> };
    for (const { id, irtModel } of bundle.manifest.banks) {
      expect(designs[id]).toMatchObject({ irtModel, judged: 3 });
      expect(designs[id]!["error"]).toBeGreaterThan(0);
    }
  });

  test("scores models by it: better than by their scenarios' mean, within what the answers prove", () => {
    const errors: number[] = [];
    const spreads: number[] = [];
    const tasks = matrixScenarios(matrix, metabench.settings);
    const truths = tasks.map((task) => fullScores(task.matrix, task).score);
    for (let model = 0; model < 40; model++) {
      const { scenarios } = estimateFromAnchors(bundle, answersOf(bundle, model, "10"), { form: "10" });
      tasks.forEach(({ id }, b) => {
        const { score, details } = scenarios[id]!;
        expect(details!.estimators["score-map"]).toBe(score);
        expect(details!.estimator).toBe("score-map");
        errors.push(score! - truths[b]![model]!);
        spreads.push(truths[b]![model]! - truths[b]!.reduce((sum, own) => sum + own, 0) / 40);
      });
    }
    const square = (values: readonly number[]): number => values.reduce((sum, own) => sum + own * own, 0);
    expect(square(errors)).toBeLessThan(0.3 * square(spreads));
  });

  test("where another scenario isn't answered, a scenario's own map serves", () => {
    const [id] = [...bundle.scenarios.keys()];
    const { scenarios } = estimateFromAnchors(bundle, answersOf(bundle, 3, "10", [id!]), { form: "10" });
    const { score, details, answered } = scenarios[id!]!;
    expect(details!.evidence).toBe("alone");
    expect(answered).toBe(10);
    const { maps, anchors } = bundle.scenarios.get(id!)!.forms.get("10")!;
    const own = new Map(matrix.items.map(({ item_id: item }, i) => [item, matrix.scores[3 * columns + i]!]));
    const ids = bundle.scenarios.get(id!)!.forms.get("10")!.itemIds;
    const mean = ids.reduce((sum, item) => sum + own.get(item)!, 0) / anchors.items.length;
    // One term reads the mean; another, if there is one, what the ability lets expect, within the scores.
    const [first, ...others] = maps!.alone.terms;
    const least = others.map((term) => Array.from(term.values)).flat();
    const known = maps!.alone.intercept + termValue(first!, mean);
    if (others.length === 0) expect(score).toBeCloseTo(Math.min(1, Math.max(0, known)), 6);
    else expect(Math.abs(score! - known)).toBeLessThan(Math.max(...least.map(Math.abs)) + 0.2);
  });

  test("a whole scenario is exact", () => {
    const [scenario] = matrixScenarios(matrix, metabench.settings);
    const truth = fullScores(scenario!.matrix, scenario!);
    const { scenarios } = estimateFromAnchors(bundle, answersOf(bundle, 5, "60"), { form: "60" });
    const [id] = [...bundle.scenarios.keys()];
    expect(scenarios[id!]!.score).toBeCloseTo(truth.score[5]!, 12);
    expect(scenarios[id!]).toMatchObject({ exact: true, interval: { method: "exact" } });
  });

  test.skipIf(!WHOLE)("the same seed makes the same bytes", async () => {
    expect(bundleFiles(await fitted(metabench))).toEqual(bundleFiles(result));
  });
});

test.each(["random", "essence"] as const)(
  "%s: a map where one is asked for, or is the anchors' own",
  async (selection) => {
    const { content } = await fitted(
      await customised(recommended, { selection, dims: 1, folds: 2, draws: 1, scoreMap: "auto" }),
      [5],
    );
    for (const own of Object.values(content.manifest.forms[0]!.scenarios)) {
      if (selection === "random") expect(own.map).toBeUndefined();
      else expect(own.map).toMatchObject({ alone: { terms: [{ feature: "mean" }] }, together: null });
      expect("score-map" in own.measured.interpolation!.estimators).toBe(selection === "essence");
    }
  },
);

test("maps of the anchors' mean follow the sources' full scores, and know no other scenario", () => {
  const tasks = matrixScenarios(matrix, { ...DEFAULT_SETTINGS, weighting: "items" });
  const rows = Array.from({ length: 40 }, (_, m) => m);
  const anchors = tasks.map(({ matrix: { items } }): AnchorSet => {
    const random = createRandom(2);
    const chosen = random.shuffle(items.map((_, i) => i)).slice(0, 20);
    return { items: Uint32Array.from(chosen), inclusion: null, mass: new Float64Array(20).fill(1) };
  });
  const anchored = tasks.map(
    (scenario, s) => ({ scenario, trained: { rows }, prior: null, design: null, anchors: anchors[s] }) as never,
  );
  const maps = formScoreMaps(anchored, "mean", createRandom(1));
  maps.forEach((map, s) => {
    expect(map.together).toBeNull();
    const values = [0.1, 0.3, 0.5, 0.7, 0.9].map((mean) => mappedScore(map.alone, () => mean));
    expect(values).toEqual(values.toSorted((x, y) => x - y));
    const { matrix: own } = tasks[s]!;
    const truth = fullScores(own, tasks[s]!).score;
    const errors = rows.map((row) => {
      const mean = Array.from(anchors[s]!.items, (item) => scoreAt(own, row, item));
      return mappedScore(map.alone, () => mean.reduce((sum, own) => sum + own, 0) / 20) - truth[row]!;
    });
    expect(Math.abs(errors.reduce((sum, own) => sum + own, 0) / 40)).toBeLessThan(0.01);
  });
});

describe("the search for a design", () => {
  const [task] = matrixScenarios(matrix, metabench.settings);
  const options = {
    replicates: Array.from({ length: 40 }, (_, m) => m),
    sizes: [10],
    priorScale: 2,
    budget: 4,
    irtModel: "2pl" as const,
    estimation: "marginal" as const,
    dims: 1,
    shrinkage: 0.5,
    backend: typescriptBackend,
  };
  const rows = Array.from({ length: 30 }, (_, m) => m);

  test("goes by the seed and the rows alone", async () => {
    const search = (own: typeof task) => informationDesign.search(own!, rows, { ...options, random: createRandom(3) });
    const found = await search(task);
    expect(found).toMatchObject({ notes: { judged: 4 } });
    const changed = {
      ...task!,
      matrix: {
        ...task!.matrix,
        scores: task!.matrix.scores.map((score, at) => (at < 30 * task!.matrix.stride ? score : 1 - score)),
      },
    } as typeof task;
    expect(await search(changed)).toEqual(found);
  });

  test("takes the default where models are few, or all items are asked", async () => {
    const none = { irtModel: "2pl", design: { threshold: 0, grid: "even" }, notes: { error: null, judged: 0 } };
    expect(
      await informationDesign.search(task!, rows.slice(0, 19), { ...options, random: createRandom(3) }),
    ).toMatchObject(none);
    expect(
      await informationDesign.search(task!, rows, { ...options, sizes: [60], random: createRandom(3) }),
    ).toMatchObject(none);
  });

  test("by penalised estimation there is no model but the 2PL", async () => {
    const penalised = { ...options, estimation: "penalised" as const, random: createRandom(3) };
    expect((await informationDesign.search(task!, rows, penalised)).irtModel).toBe("2pl");
  });
});
