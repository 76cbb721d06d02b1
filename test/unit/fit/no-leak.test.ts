import { createRandom, type RandomSource } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { SELECTIONS } from "../../../offline-trainer/src/anchors/types.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import {
  backtestCell,
  FORMS_PER_SEED,
  type CellInput,
  type CellResult,
} from "../../../offline-trainer/src/backtest/cell.ts";
import { bankTasks, linkedTasks } from "../../../offline-trainer/src/fit/bank-tasks.ts";
import { scoreMapKind } from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_CONFIGURATION, type FitConfiguration } from "../../../offline-trainer/src/fit/configuration.ts";
import { crossValidate, type CrossValidation } from "../../../offline-trainer/src/fit/folds.ts";
import { drawForms, prepareForms, type BankForms } from "../../../offline-trainer/src/fit/draw-forms.ts";
import { type HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { drawStream, trainFold, type TrainedFold } from "../../../offline-trainer/src/fit/held-out.ts";
import { blendingWeight } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { evenForm, type FormPlan } from "../../../offline-trainer/src/fit/form-plans.ts";
import { learnBlends } from "../../../offline-trainer/src/fit/blends.ts";
import { foldOutBlend } from "../../../offline-trainer/src/fit/fold-out-blend.ts";
import type { ScenarioGroup } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { isBinary, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { folds } from "../../../offline-trainer/src/splits/interpolation.ts";
import { familyNumbers } from "../../../offline-trainer/src/splits/families.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";

/**
 * Held-out models may reach an estimate through their answers to the anchors, and nothing else. Their other answers are
 * replaced here by whatever there is (other scores, fractions, none at all): everything learned must stay as it is, to
 * the last bit.
 */

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
const configuration: FitConfiguration = { ...DEFAULT_CONFIGURATION, dims: 1, linked: false, folds: 3, draws: 2 };

const taskOf = (matrix: ResponseMatrix, given: FitConfiguration): ScenarioGroup => bankTasks(matrix, given)[0]!;
const formsFor = (tasks: readonly ScenarioGroup[]): FormPlan[] =>
  sizes.map((size) =>
    evenForm(
      size,
      tasks.flatMap(({ scenarios }) => scenarios),
    ),
  );
const cellOf = (matrix: ResponseMatrix, given: FitConfiguration): CellInput => ({
  tasks: linkedTasks(bankTasks(matrix, given), given)[0]!,
  groups: own,
  split,
  splits: linkedTasks(bankTasks(matrix, given), given)[0]!.map(() => split),
  sizes,
  seed: 5,
  configuration: given,
});

/** What backtestCell trains, by the same streams. */
function trained({ tasks, groups, seed, configuration: given }: CellInput): Promise<TrainedFold> {
  return trainFold(
    tasks,
    tasks.map(() => split),
    0,
    {
      dims: given.dims,
      irtModel: given.irtModel,
      estimation: given.estimation,
      link: given.link,
      shrinkage: given.shrinkage,
      backend: typescriptBackend,
      groups,
      selection: given.selection,
      scoreMap: scoreMapKind(given),
      search: given.search,
      priorScale: given.priorScale,
      forms: formsFor(tasks),
      random: createRandom(seed).fork(tasks.length > 1 ? "all" : tasks[0]!.id),
    },
  );
}

/** The forms of every scenario, whichever bank it is in. */
async function formsOf(cell: CellInput, fold: TrainedFold): Promise<BankForms[]> {
  const prepared = cell.tasks.map((task, b) =>
    prepareForms(task, split.sources, fold.linked.banks[b]!, {
      selection: cell.configuration.selection,
      forms: formsFor(cell.tasks),
      random: fold.random,
      ...(fold.models[b]!.design && { design: fold.models[b]!.design }),
    }),
  );
  const forms: BankForms[] = [];
  for (let draw = 0; draw < FORMS_PER_SEED; draw++) {
    const banks = [];
    for (const own of prepared) banks.push(await drawForms(own, drawStream(fold.random, draw)));
    forms.push(banks.flat());
  }
  return forms;
}

/** First column of every scenario among a cell's items. */
function beginsOf({ tasks }: CellInput): number[] {
  let begin = 0;
  return tasks.flatMap(({ matrix, scenarios }) => {
    const own = scenarios.map((slice) => begin + slice.begin);
    begin += matrix.items.length;
    return own;
  });
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

/** They take seconds for each scramble: the two that change most are enough. */
const SLOW = ["essence", "sublime", "hybrid", "design searched for", "3PL", "link chosen", "shrinkage chosen"];

describe("backtestCell", () => {
  const variants: [string, Partial<FitConfiguration>, boolean][] = [
    ...SELECTIONS.map((selection): [string, Partial<FitConfiguration>, boolean] => [selection, { selection }, false]),
    ["design searched for", { selection: "fisher-information", search: 4, estimation: "marginal" }, false],
    ["3PL", { irtModel: "3pl", estimation: "marginal" }, false],
    ["shrinkage chosen", { shrinkage: "auto", folds: 2, draws: 1 }, false],
    ["link chosen", { link: "auto" }, true],
    ["dimension chosen", { dims: "auto", folds: 2, draws: 1 }, false],
    ["λ by the reference's rule", { lambda: "reference" }, false],
    ["one ability for all scenarios", { joint: true }, false],
    ["scenarios estimated together", { linked: true }, false],
    ["graded scores", {}, true],
    ["graded scores, correctness-kmeans", { selection: "correctness-kmeans" }, true],
  ];

  test.each(variants)("%s: held-out answers reach nothing but their own estimates", async (variant, change, graded) => {
    const given = { ...configuration, ...change };
    const matrix = smallLeaderboard({ ...shape, graded });
    const cell = cellOf(matrix, given);
    const before = await backtestCell(cell, typescriptBackend);
    // λ and the intervals must have something to say, too.
    for (const { n, lambda, estimates } of before) {
      if (n === 8 && !given.linked) expect(lambda! > 0 && lambda! < 1).toBe(true);
      expect(estimates.every(({ interval }) => interval !== null)).toBe(true);
    }
    const fold = await trained(cell);
    const forms = await formsOf(cell, fold);
    const begins = beginsOf(cell);
    const anchors = new Set(
      forms.flatMap((bySize) =>
        bySize.flatMap((scenario, s) =>
          [...scenario.values()].flatMap(({ items }) => Array.from(items, (item) => begins[s]! + item)),
        ),
      ),
    );
    // The test says something only if most of the targets' answers are free to change.
    const width = cell.tasks.reduce((sum, task) => sum + task.matrix.items.length, 0);
    expect(anchors.size).toBeLessThan(0.5 * width);
    expect(before[0]!.estimates.length).toBe(split.targets.length * FORMS_PER_SEED);
    const sources = new Set(split.sources);
    const targets = new Set(split.targets);
    // Targets keep what they answered to the anchors; models on neither side keep nothing.
    const spared = (model: number, item: number): boolean =>
      sources.has(model) || (targets.has(model) && item < width && anchors.has(item));

    for (const [name, scramble] of scrambles(createRandom("scramble")).slice(SLOW.includes(variant) ? -2 : 0)) {
      const changed = scramble(matrix, spared);
      expect(changed, name).not.toEqual(matrix);
      const other = cellOf(changed, given);
      const after = await backtestCell(other, typescriptBackend);
      expect(learned(after), name).toEqual(learned(before));
      // … although the truth was another one.
      expect(after[0]!.estimates.map(({ truth }) => truth)).not.toEqual(before[0]!.estimates.map(({ truth }) => truth));

      const again = await trained(other);
      expect(again.linked, name).toEqual(fold.linked);
      expect(await formsOf(other, again), name).toEqual(forms);
    }
  });

  test("what the targets answered to the anchors does reach their estimates", async () => {
    const matrix = smallLeaderboard(shape);
    const before = await backtestCell(cellOf(matrix, configuration), typescriptBackend);
    const turned = withScores(matrix, (model, _, score) => (split.targets.includes(model) ? 1 - score : score));
    const after = await backtestCell(cellOf(turned, configuration), typescriptBackend);
    expect(learned(after)).not.toEqual(learned(before));
    expect(after.map(({ lambda }) => lambda)).toEqual(before.map(({ lambda }) => lambda));
  });

  test("what the sources answered does reach what is learned", async () => {
    const matrix = smallLeaderboard(shape);
    const before = await trained(cellOf(matrix, configuration));
    const turned = withScores(matrix, (model, item, score) =>
      model === split.sources[0] && item === 0 ? 1 - score : score,
    );
    expect((await trained(cellOf(turned, configuration))).linked).not.toEqual(before.linked);
  });
});

describe("crossValidate", () => {
  const rows = own.slice(0, 30);
  const options = {
    dims: 1,
    irtModel: "2pl" as const,
    estimation: "penalised" as const,
    link: "binarize" as const,
    shrinkage: 0.5,
    backend: typescriptBackend,
    forms: formsFor([taskOf(smallLeaderboard(shape), configuration)]),
    folds: 3,
    draws: 2,
    priorScale: 2,
    scoreMap: "additive" as const,
    search: 0,
  };
  const validate = async (task: ScenarioGroup, selection: FitConfiguration["selection"]): Promise<CrossValidation> =>
    (await crossValidate([task], rows, own, { ...options, selection, random: createRandom(9) }))[0]!.alone;
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

  test.each(["stratified", "irt-kmeans"] as const)(
    "%s: a fold's models reach nothing of that fold but their own estimates",
    async (selection) => {
      const matrix = smallLeaderboard({ ...shape, graded: selection === "irt-kmeans" });
      const task = taskOf(matrix, configuration);
      const before = await validate(task, selection);
      const input = { groups: rows, eligible: rows.map(() => true) };
      const parts = folds(input, 3, createRandom(9).fork("folds"));
      for (const [fold, part] of parts.entries()) {
        const held = new Set(part.targets);
        expect(
          new Set(
            before.interpolation[0]!.get("3")!
              .filter((e) => e.fold === fold)
              .map(({ model }) => model),
          ),
        ).toEqual(held);
        // The anchors of this fold's forms, drawn again from its sources.
        const again = await trainFold([task], [part], fold, {
          ...options,
          groups: own,
          selection,
          random: createRandom(9).fork(`fold ${fold}`),
        });
        const anchors = new Set<number>();
        const prepared = prepareForms(task, part.sources, again.linked.banks[0]!, {
          ...options,
          selection,
          random: again.random,
        });
        for (const draw of [0, 1]) {
          const forms = await drawForms(prepared, drawStream(again.random, draw));
          for (const { items } of forms[0]!.values()) for (const item of items) anchors.add(item);
        }
        const random = createRandom("fold");
        const changed = withScores(matrix, (model, item, score) =>
          (held.has(model) && !anchors.has(item)) || model >= 30
            ? selection === "stratified"
              ? random.below(2)
              : random.next()
            : score,
        );
        const after = await validate(taskOf(changed, configuration), selection);
        for (const n of sizes) {
          expect(ofFold(after.interpolation[0]!.get(String(n))!, fold)).toEqual(
            ofFold(before.interpolation[0]!.get(String(n))!, fold),
          );
          // Other folds learn from these models, and change.
          const next = (fold + 1) % 3;
          expect(ofFold(after.interpolation[0]!.get(String(n))!, next)).not.toEqual(
            ofFold(before.interpolation[0]!.get(String(n))!, next),
          );
        }
      }
      expect(isBinary(matrix)).toBe(selection === "stratified");
    },
  );

  test("models outside its rows reach nothing at all", async () => {
    const matrix = smallLeaderboard(shape);
    const before = await validate(taskOf(matrix, configuration), "stratified");
    for (const [name, scramble] of scrambles(createRandom("outside"))) {
      const task = taskOf(
        scramble(matrix, (model) => model < 30),
        configuration,
      );
      const after = await validate(task, "stratified");
      expect(after, name).toEqual(before);
      for (const rule of ["learned", "reference"] as const) {
        const served = (own: ScenarioGroup, validation: CrossValidation): unknown =>
          learnBlends(own, rows, options.forms, validation, rule).map((bySize) =>
            [...bySize].map(([n, blend]) => [n, blend.served]),
          );
        expect(served(task, after)).toEqual(served(taskOf(matrix, configuration), before));
      }
    }
  });

  test("replicates are held out together", async () => {
    const twins = withScores(smallLeaderboard(shape), (_, __, score) => score);
    const groups = own.map((m) => (m % 2 === 1 && m < 20 ? m - 1 : m)); // 0 and 1, 2 and 3, …
    const [validation] = await crossValidate([taskOf(twins, configuration)], rows, groups, {
      ...options,
      selection: "random",
      random: createRandom(9),
    });
    const { interpolation } = validation!.alone;
    const foldOf = new Map(interpolation[0]!.get("3")!.map(({ model, fold }) => [model, fold]));
    expect(foldOf.size).toBe(30);
    for (let m = 0; m < 20; m += 2) expect(foldOf.get(m)).toBe(foldOf.get(m + 1));
  });

  test("what blends a fold's estimators does not know its models, whichever fold tells of them", async () => {
    const { interpolation, extrapolation } = await validate(
      taskOf(smallLeaderboard(shape), configuration),
      "stratified",
    );
    const given = {
      n: 8,
      lambda: 0.5,
      families: familyNumbers(smallLeaderboard(shape).subjects),
      lambdaRule: "learned" as const,
      interpolation: interpolation[0]!.get("8")!,
      extrapolation: extrapolation[0]!.get("8")!,
    };
    const blend = foldOutBlend(given);
    const values = new Set<number>();
    for (const fold of [0, 1, 2, 3]) {
      const all = [...given.interpolation, ...given.extrapolation];
      const held = new Set(all.filter((estimate) => estimate.fold === fold).map(({ model }) => model));
      expect(held.size).toBeGreaterThan(5);
      // Their truth, and what was estimated for them, in any table.
      const change = (estimate: HeldOutEstimate): HeldOutEstimate =>
        held.has(estimate.model) ? { ...estimate, truth: 1 - estimate.truth } : estimate;
      const changed = foldOutBlend({
        ...given,
        interpolation: given.interpolation.map(change),
        extrapolation: given.extrapolation.map(change),
      });
      const some = all.find((estimate) => estimate.fold === fold)!;
      expect(changed(some)).toEqual(blend(some));
      expect(blend(some).lambda).toBe(blendingWeight(all.filter(({ model }) => !held.has(model))));
      values.add(blend(some).lambda);
    }
    expect(values.size).toBeGreaterThan(1);
  });
});
