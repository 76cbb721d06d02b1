import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { backtestCell, FORMS_PER_SEED, type CellInput, type CellResult } from "../../../features/backtest/fit/cell.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { blendingWeight } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { learnBlends } from "../../../offline-trainer/src/fit/blends.ts";
import { crossValidate, type CrossValidation, type Validation } from "../../../offline-trainer/src/fit/folds.ts";
import { evenForm, type FormPlan } from "../../../offline-trainer/src/fit/form-plans.ts";
import type { FormScenario } from "../../../offline-trainer/src/fit/forms.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { learn, type Learned } from "../../../offline-trainer/src/fit/learn.ts";
import {
  describeBenchmark,
  onlyModels,
  pooledParts,
  type Benchmark,
} from "../../../offline-trainer/src/matrix/benchmark.ts";
import { isBinary, scoreAt, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { ANCHOR_METHOD_NAMES, customised } from "../../../offline-trainer/src/methods/index.ts";
import { recommended, withKnowledge, type Method } from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS, type FitSettings } from "../../../offline-trainer/src/methods/settings.ts";
import { folds } from "../../../offline-trainer/src/matrix/splits.ts";
import { searchingShortly } from "../../support/select-anchors.ts";
import { WHOLE } from "../../support/whole.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";

/**
 * Held-out models may reach an estimate through their answers to the anchors, and nothing else. Their other answers are
 * replaced here by whatever there is (other scores, fractions, none at all): everything learned must stay as it is, to
 * the last bit.
 */

/** It changes scores, their kind and who has any: enough where each scramble takes a fit. */
const MOST = "fractions, half of them missing";

type Scramble = (matrix: ResponseMatrix, spared: (model: number, item: number) => boolean) => ResponseMatrix;

function scrambles(random: RandomSource): [string, Scramble][] {
  const all =
    (score: () => number): Scramble =>
    (matrix, spared) =>
      withScores(matrix, (model, item, old) => (spared(model, item) ? old : score()));
  return [
    ["all wrong", all(() => 0)],
    ["all right", all(() => 1)],
    ["other answers", all(() => random.below(2))],
    ["fractions", all(() => random.next())],
    ["half of them missing", all(() => (random.next() < 0.5 ? NaN : 1))],
    [MOST, all(() => (random.next() < 0.5 ? NaN : random.next()))],
  ];
}

/**
 * 40 models, 160 and 120 items; 24 sources, 8 targets, 8 that are on neither side. The answers have more dimensions than
 * are fitted, so that neither end of λ is the best.
 */
const shape = { models: 40, items: [160, 120], dims: 5, seed: 11 };
const own = Array.from({ length: 40 }, (_, m) => m);
const split = { sources: own.filter((m) => m % 5 < 3), targets: own.filter((m) => m % 5 === 3) };
const sizes = [3, 8];
const settings: FitSettings = { ...DEFAULT_SETTINGS, dims: 1, linked: false, folds: 3, draws: 2 };
const methodOf = async (change: Partial<FitSettings> = {}): Promise<Method> => {
  const method = await customised(recommended, { ...settings, ...change });
  return { ...method, anchors: searchingShortly(method.anchors) };
};

/** The first scenario, or all that are pooled; no model replicates another. */
function benchmarkOf(matrix: ResponseMatrix, given: FitSettings = settings): Benchmark {
  const [first] = pooledParts(describeBenchmark(matrix, given), given.linked);
  return { ...first!, replicates: Int32Array.from(own) };
}
const formsFor = (benchmark: Benchmark): FormPlan[] => sizes.map((size) => evenForm(size, benchmark.scenarios));
function cellOf(matrix: ResponseMatrix, given: Method): CellInput {
  const benchmark = benchmarkOf(matrix, given.settings);
  const method = withKnowledge(given, benchmark);
  return { benchmark, split: { ...split, scenarios: benchmark.scenarios.map(() => split) }, sizes, seed: 5, method };
}

/** What backtestCell learns, by the same streams. */
function learnedBy({ benchmark, seed, method }: CellInput): Promise<Learned> {
  const random = createRandom(seed).fork(benchmark.scenarios.length > 1 ? "all" : benchmark.scenarios[0]!.id);
  const sources = onlyModels(benchmark, split.sources);
  return learn(sources, method, formsFor(benchmark), random, { backend: typescriptBackend });
}

/** All of it that is plain data: answers, parameters, links, choices of the model, the range of the scores, notes on anchors. */
async function dataOf({ scenarios, linked, seen, notes }: Learned) {
  const plain = scenarios.map(({ scenario, ...learned }) => {
    const { matrix, ...described } = scenario;
    const { subjects, items } = matrix; // scores are kept in fewer bytes where all of them, of whomever, are 0 or 1
    const scores = subjects.map((_, m) => items.map((__, i) => scoreAt(matrix, m, i)));
    return { ...learned, ...described, subjects, items, scores };
  });
  return { scenarios: plain, linked, seen, notes: await notes() };
}

/** The anchors and maps of all forms, draw by draw. */
async function formsOf(fold: Learned): Promise<ReadonlyMap<string, FormScenario>[]> {
  const forms: ReadonlyMap<string, FormScenario>[] = [];
  for (let draw = 0; draw < FORMS_PER_SEED; draw++)
    for (const { scenarios } of await fold.draw(draw)) forms.push(scenarios);
  return forms;
}

/** First column of every scenario among a cell's items. */
function beginsOf({ benchmark }: CellInput): Map<string, number> {
  let begin = 0;
  return new Map(
    benchmark.scenarios.map(({ id, count }) => {
      begin += count;
      return [id, begin - count];
    }),
  );
}

/** The part of a result that held-out answers outside the anchors must not reach. */
const learned = (results: readonly CellResult[]): unknown =>
  results.map(({ scenario, n, dims, lambda, estimates }) => ({
    scenario,
    n,
    dims,
    lambda,
    estimates: estimates.map(({ model, draw, estimators, interval, failed }) => ({
      model,
      draw,
      estimators,
      interval,
      failed,
    })),
  }));

type Variant = [name: string, change: Partial<FitSettings>, graded: boolean];

describe("backtestCell", () => {
  /** Where a fit takes seconds. */
  const few = { folds: 2, draws: 1 };
  const threeParameters: Variant = ["3PL", { ...few, irtModel: "3pl", estimation: "marginal" }, false];
  const variants: Variant[] = [
    ...ANCHOR_METHOD_NAMES.map((selection): Variant => [selection, { selection }, false]),
    ["design searched for", { ...few, selection: "fisher-information", search: 2, estimation: "marginal" }, false],
    ...(WHOLE ? [threeParameters] : []),
    ["dimension chosen", { ...few, dims: "auto" }, false],
    ["λ by the reference's rule", { lambda: "reference" }, false],
    ["scenarios pooled", { linked: true }, false],
    ["graded scores", {}, true],
    ["graded scores, correctness-kmeans", { selection: "correctness-kmeans" }, true],
  ];

  test.each(variants)("%s: held-out answers reach nothing but their own estimates", async (variant, change, graded) => {
    const method = await methodOf(change);
    const matrix = smallLeaderboard({ ...shape, graded });
    const cell = cellOf(matrix, method);
    const before = await backtestCell(cell, typescriptBackend);
    // λ and the intervals must have something to say, too.
    const { linked } = method.settings;
    for (const { n, lambda, estimates } of before) {
      if (n === 8 && !linked) expect(lambda! > 0 && lambda! < 1).toBe(true);
      expect(estimates.every(({ interval }) => interval !== null)).toBe(true);
    }
    const fold = await learnedBy(cell);
    const forms = await formsOf(fold);
    const begins = beginsOf(cell);
    const anchors = new Set(
      forms.flatMap((scenarios) =>
        [...scenarios].flatMap(([id, { anchors }]) => Array.from(anchors.items, (item) => begins.get(id)! + item)),
      ),
    );
    // The test says something only if most of the targets' answers are free to change.
    const width = cell.benchmark.scenarios.reduce((sum, { count }) => sum + count, 0);
    expect(anchors.size).toBeLessThan(0.5 * width);
    expect(before[0]!.estimates.length).toBe(split.targets.length * FORMS_PER_SEED);
    const sources = new Set(split.sources);
    const targets = new Set(split.targets);
    // Targets keep what they answered to the anchors; models on neither side keep nothing.
    const spared = (model: number, item: number): boolean =>
      sources.has(model) || (targets.has(model) && item < width && anchors.has(item));

    for (const [name, scramble] of scrambles(createRandom("scramble"))) {
      if (variant !== DEFAULT_SETTINGS.selection && name !== MOST) continue;
      const changed = scramble(matrix, spared);
      expect(changed, name).not.toEqual(matrix);
      const other = cellOf(changed, method);
      const after = await backtestCell(other, typescriptBackend);
      expect(learned(after), name).toEqual(learned(before));
      // … although the truth was another one.
      expect(after[0]!.estimates.map(({ truth }) => truth)).not.toEqual(before[0]!.estimates.map(({ truth }) => truth));

      const again = await learnedBy(other);
      expect(await dataOf(again), name).toEqual(await dataOf(fold));
      expect(await formsOf(again), name).toEqual(forms);
    }
  });

  test("what the targets answered to the anchors does reach their estimates", async () => {
    const matrix = smallLeaderboard(shape);
    const method = await methodOf();
    const before = await backtestCell(cellOf(matrix, method), typescriptBackend);
    const turned = withScores(matrix, (model, _, score) => (split.targets.includes(model) ? 1 - score : score));
    const after = await backtestCell(cellOf(turned, method), typescriptBackend);
    expect(learned(after)).not.toEqual(learned(before));
    expect(after.map(({ lambda }) => lambda)).toEqual(before.map(({ lambda }) => lambda));
  });

  test("what the sources answered does reach what is learned", async () => {
    const matrix = smallLeaderboard(shape);
    const method = await methodOf();
    const before = await learnedBy(cellOf(matrix, method));
    const turned = withScores(matrix, (model, item, score) =>
      model === split.sources[0] && item === 0 ? 1 - score : score,
    );
    expect((await learnedBy(cellOf(turned, method))).linked).not.toEqual(before.linked);
  });
});

describe("crossValidate", () => {
  const rows = own.slice(0, 30);
  const forms = formsFor(benchmarkOf(smallLeaderboard(shape)));
  const tools = { backend: typescriptBackend };
  /** Which has a fold's models among all others, whose answers it must not count. */
  const device = onnxNodeBackend({ provider: "cpu", precision: "float64", rounds: "loop" });
  const validation = (
    benchmark: Benchmark,
    method: Method,
    backend: CalibrationBackend = typescriptBackend,
  ): Promise<Validation> => crossValidate({ benchmark, method, forms }, rows, createRandom(9), { backend });
  /** The first scenario's, by form. */
  const validate = async (
    matrix: ResponseMatrix,
    method: Method,
    backend: CalibrationBackend,
  ): Promise<(n: number) => CrossValidation> => {
    const byForm = (await validation(benchmarkOf(matrix), method, backend)).get("a")!;
    return (n) => byForm.get(String(n))!.separate;
  };
  const ofFold = (estimates: readonly HeldOutEstimate[], fold: number): unknown[] =>
    estimates
      .filter((estimate) => estimate.fold === fold)
      .map(({ model, draw, base, seen, bounds, sampling, failed }) => ({
        model,
        draw,
        base,
        seen,
        bounds,
        sampling,
        failed,
      }));

  test.each([
    { selection: "stratified", backend: typescriptBackend },
    { selection: "irt-kmeans", backend: typescriptBackend },
    { selection: "stratified", backend: device },
  ] as const)(
    "$selection, by $backend.name: a fold's models reach nothing of that fold but their own estimates",
    async ({ selection, backend }) => {
      const matrix = smallLeaderboard({ ...shape, graded: selection === "irt-kmeans" });
      const method = await methodOf({ selection });
      const benchmark = benchmarkOf(matrix);
      const before = await validate(matrix, method, backend);
      const input = { groups: rows, eligible: rows.map(() => true) };
      const parts = folds(input, 3, createRandom(9).fork("folds"));
      for (const [fold, part] of parts.entries()) {
        const held = new Set(part.targets);
        expect(
          new Set(
            before(3)
              .interpolation.filter((e) => e.fold === fold)
              .map(({ model }) => model),
          ),
        ).toEqual(held);
        // The anchors of this fold's forms, drawn again from its sources.
        const stream = createRandom(9).fork(`fold ${fold}`);
        const again = await learn(onlyModels(benchmark, part.sources), method, forms, stream, tools);
        const anchors = new Set<number>();
        for (const draw of [0, 1])
          for (const { scenarios } of await again.draw(draw))
            for (const item of scenarios.get("a")!.anchors.items) anchors.add(item);
        const random = createRandom("fold");
        const changed = withScores(matrix, (model, item, score) =>
          (held.has(model) && !anchors.has(item)) || model >= 30
            ? selection === "stratified"
              ? random.below(2)
              : random.next()
            : score,
        );
        const after = await validate(changed, method, backend);
        for (const n of sizes) {
          expect(ofFold(after(n).interpolation, fold)).toEqual(ofFold(before(n).interpolation, fold));
          // Other folds learn from these models, and change.
          const next = (fold + 1) % 3;
          expect(ofFold(after(n).interpolation, next)).not.toEqual(ofFold(before(n).interpolation, next));
        }
      }
      expect(isBinary(matrix)).toBe(selection === "stratified");
    },
  );

  test("models outside its rows reach nothing at all", async () => {
    const matrix = smallLeaderboard(shape);
    const method = await methodOf({ selection: "stratified" });
    const before = await validation(benchmarkOf(matrix), method);
    for (const [name, scramble] of scrambles(createRandom("outside"))) {
      const changed = scramble(matrix, (model) => model < 30);
      const after = await validation(benchmarkOf(changed), method);
      expect(after, name).toEqual(before);
      for (const lambda of ["learned", "reference"] as const) {
        const ruled = await methodOf({ selection: "stratified", lambda });
        const served = (from: ResponseMatrix, validated: Validation): unknown =>
          [...learnBlends(benchmarkOf(from), rows, ruled, forms, validated)].map(([id, byForm]) =>
            [...byForm].map(([form, { separate, pooled }]) => [id, form, separate.served, pooled]),
          );
        expect(served(changed, after)).toEqual(served(matrix, before));
      }
    }
  });

  test("replicates are held out together", async () => {
    const replicates = Int32Array.from(own, (m) => (m % 2 === 1 && m < 20 ? m - 1 : m)); // 0 and 1, 2 and 3, …
    const benchmark = { ...benchmarkOf(smallLeaderboard(shape)), replicates };
    const validated = await validation(benchmark, await methodOf({ selection: "random" }));
    const { interpolation } = validated.get("a")!.get("3")!.separate;
    const foldOf = new Map(interpolation.map(({ model, fold }) => [model, fold]));
    expect(foldOf.size).toBe(30);
    for (let m = 0; m < 20; m += 2) expect(foldOf.get(m)).toBe(foldOf.get(m + 1));
  });

  test("what blends a fold's estimators does not know its models, whichever fold tells of them", async () => {
    const benchmark = benchmarkOf(smallLeaderboard(shape));
    const method = await methodOf({ selection: "stratified" });
    const validated = await validation(benchmark, method);
    const foldOutOf = (given: Validation) =>
      learnBlends(benchmark, rows, method, forms, given).get("a")!.get("8")!.separate.foldOut;
    const { interpolation, extrapolation } = validated.get("a")!.get("8")!.separate;
    const blend = foldOutOf(validated);
    const values = new Set<number>();
    for (const fold of [0, 1, 2, 3]) {
      const all = [...interpolation, ...extrapolation];
      const held = new Set(all.filter((estimate) => estimate.fold === fold).map(({ model }) => model));
      expect(held.size).toBeGreaterThan(5);
      // Their truth, and what was estimated for them, in any table.
      const change = (estimate: HeldOutEstimate): HeldOutEstimate =>
        held.has(estimate.model) ? { ...estimate, truth: 1 - estimate.truth } : estimate;
      const separate = { interpolation: interpolation.map(change), extrapolation: extrapolation.map(change) };
      const byForm = new Map(validated.get("a"));
      byForm.set("8", { ...byForm.get("8")!, separate });
      const changed = foldOutOf(new Map([["a", byForm]]));
      const some = all.find((estimate) => estimate.fold === fold)!;
      expect(changed(some)).toEqual(blend(some));
      expect(blend(some).lambda).toBe(blendingWeight(all.filter(({ model }) => !held.has(model))));
      values.add(blend(some).lambda);
    }
    expect(values.size).toBeGreaterThan(1);
  });
});

describe("onlyModels", () => {
  const matrix = smallLeaderboard({ ...shape, missing: 0.1 });
  const held = own.filter((m) => !split.sources.includes(m));

  test("has the answers of its models, in their order, and no other's", () => {
    const sources = onlyModels(benchmarkOf(matrix), split.sources);
    const whole = benchmarkOf(matrix);
    expect(sources.models).toEqual(split.sources.map((m) => matrix.subjects[m]));
    for (const [s, { matrix: taken, families }] of sources.scenarios.entries()) {
      const { matrix: all, families: allFamilies } = whole.scenarios[s]!;
      expect(taken.subjects).toEqual(sources.models);
      expect(Array.from(families)).toEqual(split.sources.map((m) => allFamilies[m]));
      const width = all.items.length;
      const rowsFrom = (values: ArrayLike<number>): number[] =>
        split.sources.flatMap((m) => Array.from({ length: width }, (_, i) => values[m * all.stride + i]!));
      expect(Array.from(taken.scores)).toEqual(rowsFrom(all.scores));
      expect(Array.from(taken.observed!)).toEqual(rowsFrom(all.observed!));
    }
  });

  test("is the same whatever any of the others answered", () => {
    const before = onlyModels(benchmarkOf(matrix), split.sources);
    for (const model of held) {
      const changed = withScores(matrix, (m, _, score) => (m === model ? 1 - score : score));
      expect(onlyModels(benchmarkOf(changed), split.sources)).toEqual(before);
    }
  });
});
