import { describe, expect, test } from "vitest";
import { backtestCell } from "../../../../../features/backtest/fit/cell.ts";
import {
  cellsWork,
  planCells,
  type BacktestPlanOptions,
  type PlannedCell,
} from "../../../../../features/backtest/fit/plan-cells.ts";
import { DEFAULT_SETTINGS } from "../../../../../offline-trainer/src/methods/settings.ts";
import { responseMatrix, type ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores } from "../../../../../offline-trainer/src/matrix/scenarios.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { recommended } from "../../../../../offline-trainer/src/methods/method.ts";
import { countedBackend } from "../../../../support/counted-backend.ts";
import { smallLeaderboard, withScores } from "../../../fit/small-leaderboard.ts";

const MODELS = 20;
const plain = smallLeaderboard({ models: MODELS });
/** The last model answers as the first one does, but once: a replicate, no copy. */
const matrix = withScores(plain, (m, i, score) =>
  m === MODELS - 1 ? (i === 7 ? 1 - plain.scores[i]! : plain.scores[i]!) : score,
);

function plan(options: Partial<BacktestPlanOptions> = {}, from: ResponseMatrix = matrix): PlannedCell[] {
  const defaults = { split: "interpolation", sizes: [5], seeds: 1, method: recommended } as const;
  return planCells(from, { ...defaults, ...options });
}

const named = (names: readonly string[]): ResponseMatrix =>
  responseMatrix(names, matrix.items, Float64Array.from(matrix.scores));
const separate = { ...recommended, settings: { ...DEFAULT_SETTINGS, linked: false } };
const together = ({ split: { sources, targets } }: PlannedCell): boolean =>
  sources.includes(0) && targets.includes(MODELS - 1);

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const deviation = (values: Float64Array): number =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / values.length);

describe("a number of sources", () => {
  test("are some of the split's, by the seed; its targets stay", () => {
    const all = plan({ seeds: 2 });
    const some = plan({ seeds: 2, sources: 7 });
    some.forEach(({ split }, k) => {
      expect(split.targets).toEqual(all[k]!.split.targets);
      expect(split.sources).toHaveLength(7);
      expect(split.sources).toEqual([...split.sources].sort((x, y) => x - y));
      for (const m of split.sources) expect(all[k]!.split.sources).toContain(m);
    });
    expect(some[0]!.split.sources).not.toEqual(some[1]!.split.sources);
    expect(plan({ seeds: 2, sources: 7 })).toEqual(some);
    expect(plan({ sources: 99 })).toEqual(plan());
  });
});

describe("cells", () => {
  test("one for a scenario, seed and fold, each with its scenario's items alone", () => {
    const cells = plan({ seeds: 2, sizes: [5, 9], method: separate });
    expect(
      cells.map(({ benchmark: { scenarios }, seed, seedIndex }) => [...scenarios.map(({ id }) => id), seed, seedIndex]),
    ).toEqual([
      ["a", 0, 0],
      ["a", 1, 1],
      ["b", 0, 0],
      ["b", 1, 1],
    ]);
    for (const { benchmark, sizes } of cells) {
      const { id, begin, count, matrix: own } = benchmark.scenarios[0]!;
      expect(sizes).toEqual([5, 9]);
      expect(own.items).toEqual(matrix.items.filter(({ scenario }) => scenario === id));
      expect([begin, count]).toEqual([0, own.items.length]);
    }
  });

  test("one for all scenarios that are pooled", () => {
    const cells = plan({ seeds: 2 });
    expect(cells.map(({ benchmark: { scenarios }, seed }) => [scenarios.map(({ id }) => id), seed])).toEqual([
      [["a", "b"], 0],
      [["a", "b"], 1],
    ]);
    expect(cells.map(({ benchmark }) => benchmark.scenarios)).toEqual(
      [1, 2].map(() => plan({ method: separate }).flatMap(({ benchmark }) => benchmark.scenarios)),
    );
  });

  test("of the scenarios that were asked for, as they are among others", () => {
    const all = plan({ method: separate });
    expect(plan({ scenarios: ["b"], method: separate })).toEqual(all.slice(1));
    expect(plan({ scenarios: ["b"] }).map(({ benchmark }) => benchmark)).toEqual([all[1]!.benchmark]);
    expect(plan({ scenarios: [] })).toEqual(plan());
  });

  test("seeds count from the first", () => {
    expect(plan({ firstSeed: 3 }).map(({ split }) => split)).toEqual(
      plan({ seeds: 4 }).flatMap(({ split, seed }) => (seed === 3 ? [split] : [])),
    );
  });
});

describe("who is held out", () => {
  test("interpolation: the same models in every scenario, others with other seeds", () => {
    const [a0, a1, b0, b1] = plan({ seeds: 2, method: separate }).map(({ split }) => split);
    expect([b0, b1]).toEqual([a0, a1]);
    expect(a1).not.toEqual(a0);
  });

  test.each([
    ["each scenario by its own score", separate],
    ["pooled: by both", recommended],
  ])("extrapolation: strong targets, weak sources, whatever the seed; %s", (_, method) => {
    for (const cell of plan({ split: "extrapolation", seeds: 2, method })) {
      const full = cell.benchmark.scenarios.map((scenario) => fullScores(scenario.matrix, scenario).score);
      const score = (m: number): number =>
        full.reduce((sum, scores) => sum + (scores[m]! - mean(scores)) / deviation(scores), 0);
      const { sources, targets } = cell.split;
      expect(targets).toHaveLength(6);
      expect(Math.max(...sources.map(score))).toBeLessThanOrEqual(Math.min(...targets.map(score)));
    }
    const [first, second, third] = plan({ split: "extrapolation", seeds: 2, method }).map(({ split }) => split);
    expect(second).toEqual(first);
    if (method === separate) expect(third).not.toEqual(first);
  });

  test("extrapolation ranked together: the same models in every scenario, also where each is estimated by itself", () => {
    const options = { split: "extrapolation", seeds: 2 } as const;
    const apart = plan({ ...options, method: separate, rankedTogether: true });
    const linked = plan({ ...options, rankedTogether: true });
    const modelsOf = ({ split: { sources, targets } }: PlannedCell) => ({ sources, targets });
    expect(apart.map(modelsOf)).toEqual([...linked, ...linked].map(modelsOf));
    expect(linked).toEqual(plan(options));
    expect(apart.map(({ benchmark: { scenarios } }) => scenarios.map(({ id }) => id))).toEqual([
      ["a"],
      ["a"],
      ["b"],
      ["b"],
    ]);
  });

  test("ranked together, a source without a score in a scenario is none there", () => {
    const first = matrix.items.filter(({ scenario }) => scenario === "a").length;
    const gaps = withScores(matrix, (m, i, score) => (m === 3 && i < first ? NaN : score));
    const [a, b] = plan({ split: "extrapolation", method: separate, rankedTogether: true }, gaps);
    const [all] = plan({ split: "extrapolation" }, gaps);
    expect([...all!.split.sources, ...all!.split.targets]).toContain(3);
    expect([...a!.split.sources, ...a!.split.targets]).not.toContain(3);
    expect([...b!.split.sources, ...b!.split.targets]).toContain(3);
    const { scenarios, ...whole } = a!.split;
    expect(scenarios).toEqual([whole]);
  });

  test("family: five folds, every model a target once, no family on both sides", () => {
    const families = new Map(matrix.subjects.map((name, m) => [name, `family ${m % 7}`]));
    const cells = plan({ split: "family", families, scenarios: ["a"] });
    expect(cells.map(({ seedIndex }) => seedIndex)).toEqual([0, 0, 0, 0, 0]);
    expect(cells.flatMap(({ split }) => split.targets).sort((x, y) => x - y)).toEqual([...Array(MODELS).keys()]);
    for (const { split } of cells) {
      const held = new Set(split.targets.map((m) => m % 7));
      expect(split.sources.filter((m) => held.has(m % 7))).toEqual([]);
    }
    // Models 0 and 19 are of two families, which their likeness ties together.
    expect(cells.some(together)).toBe(false);
    const apart = plan({ split: "family", families, scenarios: ["a"] }, plain);
    expect(apart.some(({ split }) => split.targets.includes(0) !== split.targets.includes(MODELS - 1))).toBe(true);
  });

  test("newest: the last rows, or the latest dates", () => {
    expect(plan({ split: "newest" })[0]!.split.targets).toEqual([15, 16, 17, 18, 19]);
    const dates = matrix.subjects.map((_, m) => String(2040 - m));
    expect(plan({ split: "newest", dates })[0]!.split.targets).toEqual([0, 1, 2, 3, 4]);
  });

  test("named targets, in place of the split's; who replicates them is no source", () => {
    const targets = [matrix.subjects[19]!, matrix.subjects[4]!];
    const { split } = plan({ targets })[0]!;
    expect(split.targets).toEqual([4, 19]);
    expect(split.sources).toEqual([...Array(MODELS).keys()].filter((m) => ![0, 4, 19].includes(m)));
  });

  test("models with too few answers are sources, in scenarios where they have any", () => {
    const gaps = withScores(matrix, (m, i, score) => (m === 2 && i < 60 ? NaN : m === 3 && i % 2 === 0 ? NaN : score));
    const targets = [2, 3, 5].map((m) => gaps.subjects[m]!);
    for (const method of [separate, recommended]) {
      const [a, b] = plan({ targets, method }, gaps).flatMap(({ split: { scenarios } }) => scenarios);
      expect(a!.targets).toEqual([5]);
      expect(b!.targets).toEqual([2, 5]);
      const [a0, b0] = plan({ targets: targets.slice(2), method }, gaps).flatMap(
        ({ split: { scenarios } }) => scenarios,
      );
      expect(a0!.sources).not.toContain(2);
      expect(a0!.sources).toContain(3);
      expect(b0!.sources).toContain(2);
    }
  });
});

describe("what can't be planned", () => {
  const few = (models: number): ResponseMatrix => smallLeaderboard({ models });
  const unanswered = withScores(matrix, (_, i, score) => (i % 10 === 0 ? NaN : score));
  const NEEDED = "at least 5 and 1 are needed (targets have at least 98 % of the weight observed)";
  const oneFamily = new Map(matrix.subjects.map((name) => [name, "one"]));

  test.each<[string, () => unknown, "invalid_data" | "unknown_scenario", string]>([
    [
      "a scenario that isn't there",
      () => plan({ scenarios: ["b", "c", "d"] }),
      "unknown_scenario",
      "there is no scenario c, d: there are a, b",
    ],
    [
      "a target that isn't there",
      () => plan({ targets: ["org/model-1", "x"] }),
      "invalid_data",
      "the responses have no model x, named as a target",
    ],
    [
      "too few models",
      () => plan({}, few(6)),
      "invalid_data",
      `interpolation leaves 4 source models and 2 targets in a, b: ${NEEDED}`,
    ],
    [
      "too few weak models",
      () => plan({ split: "extrapolation" }, few(9)),
      "invalid_data",
      `extrapolation leaves 4 source models and 3 targets in a, b: ${NEEDED}`,
    ],
    [
      "all models as targets",
      () => plan({ targets: matrix.subjects }),
      "invalid_data",
      `interpolation leaves 0 source models and ${MODELS} targets in a, b: ${NEEDED}`,
    ],
    [
      "targets without the answers to compare with",
      () => plan({ split: "newest" }, unanswered),
      "invalid_data",
      `newest leaves 14 source models and 0 targets in a, b: ${NEEDED}`,
    ],
    [
      "one family",
      () => plan({ split: "family", families: oneFamily }),
      "invalid_data",
      `family leaves no fold with source models and targets in a, b: ${NEEDED}`,
    ],
    [
      "families without the answers to compare with",
      () => plan({ split: "family" }, unanswered),
      "invalid_data",
      `family leaves no fold with source models and targets in a, b: ${NEEDED}`,
    ],
    [
      "models without names",
      () => plan({ split: "family" }, named(matrix.subjects.map((_, m) => `model-${m}`))),
      "invalid_data",
      "the models have no names to tell families by: give `families`, a file of model,family",
    ],
  ])("%s", (_, act, code, message) => {
    expectRefusal(refusal(act), code, message);
  });
});

describe("the work of cells", () => {
  const names = matrix.subjects.map((_, m) => `maker${m % 10}/model-${m}`);
  const many = responseMatrix(names, matrix.items, Float64Array.from(plain.scores));
  const method = { ...recommended, settings: { ...DEFAULT_SETTINGS, dims: 1, draws: 1 } };
  const families = new Map(names.map((name) => [name, name.split("/")[0]!]));

  test.each(["interpolation", "family"] as const)("of %s is what its backend calibrates", async (split) => {
    const backend = countedBackend();
    for (const cell of plan({ split, seeds: 2, method, families, scenarios: ["a"] }, many))
      await backtestCell(cell, backend);
    const asked = { seeds: 2, scenarios: ["a"], wholeFits: true };
    expect(cellsWork(many, [split], [method], asked)).toEqual({
      ...{ models: MODELS, items: 60, dims: 1, scenarios: 1 },
      calibrations: backend.opened,
      cores: split === "family" ? 10 : 2,
    });
  });

  test("adds up splits and methods; what is learned from once is on one core", () => {
    const wide = { ...method, settings: { ...method.settings, dims: [1, 2] } };
    const once = cellsWork(many, ["interpolation", "extrapolation"], [method, wide], { seeds: 3, wholeFits: false });
    expect(once).toMatchObject({ dims: 2, calibrations: 6 + 18, cores: 1 });
    expect(cellsWork(many, ["newest"], [method], { seeds: 1, sources: 7, wholeFits: true })).toMatchObject({
      models: 7,
      calibrations: 1,
    });
  });
});
