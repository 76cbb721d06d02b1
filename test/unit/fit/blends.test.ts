import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { blendingWeight, referenceLambda, stackWeights } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { learnBlends, servedBlend, type FormBlend } from "../../../offline-trainer/src/fit/blends.ts";
import type { Validation } from "../../../offline-trainer/src/fit/folds.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { describeBenchmark, type Benchmark, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { scoreAt, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { recommended } from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS, type LambdaRule } from "../../../offline-trainer/src/methods/settings.ts";
import { stackOf } from "../../support/stack-of.ts";
import { drawnEstimates, rowsOf } from "./held-out-estimates.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";

const random = createRandom("learn blends");
const sizes = [4, 12];
const rows = rowsOf(24);
/** Two scenarios; models 20 to 23 have no answer in the second, models 24 to 29 are no sources. */
const matrix = withScores(smallLeaderboard({ models: 30, items: [40, 24], missing: 0.1 }), (m, i, score) =>
  m >= 20 && m < 24 && i >= 40 ? NaN : score,
);
const benchmarkOf = (board: ResponseMatrix): Benchmark => describeBenchmark(board, DEFAULT_SETTINGS);
const benchmark = benchmarkOf(matrix);
const { scenarios } = benchmark;
const forms = sizes.map((size) => evenForm(size, scenarios));
const methodOf = (lambda: LambdaRule) => ({ ...recommended, settings: { ...DEFAULT_SETTINGS, lambda } });

/** Held-out estimates by scenario and form. */
type Table = ReadonlyMap<string, ReadonlyMap<string, readonly HeldOutEstimate[]>>;

const table = (models: readonly number[], fold?: number): Table =>
  new Map(
    scenarios.map(({ id }, s) => [
      id,
      new Map(
        sizes.map((n) => [
          String(n),
          drawnEstimates(random, {
            models,
            draws: 2,
            ...(fold !== undefined && { fold }),
            anchorError: 0.3 / Math.sqrt(n) + 0.02 * s,
            modelError: fold === undefined ? 0.04 : 0.1,
          }),
        ]),
      ),
    ]),
  );
const none = { interpolation: [], extrapolation: [] };
const validated = (interpolation: Table, extrapolation: Table): Validation =>
  new Map(
    [...interpolation].map(([id, byForm]) => [
      id,
      new Map(
        [...byForm].map(([form, own]) => [
          form,
          { separate: { interpolation: own, extrapolation: extrapolation.get(id)!.get(form)! }, pooled: none },
        ]),
      ),
    ]),
  );
const like = table(rows);
const stronger = table(rowsOf(7, 17), 5);
const validation = validated(like, stronger);

/** The blend of a scenario's own answers that is served, by scenario and size. */
function served(lambda: LambdaRule, given = validation, from = benchmark) {
  const blends = learnBlends(from, rows, methodOf(lambda), forms, given);
  return (id: string, n: number) => blends.get(id)!.get(String(n))!.separate.served;
}

describe("λ, learned", () => {
  const blend = served("learned");

  test("pools random and weak-to-strong folds, of this scenario and size alone", () => {
    const seen = new Set<number>();
    const blends = learnBlends(benchmark, rows, methodOf("learned"), forms, validation);
    for (const { id } of scenarios) {
      expect([...blends.get(id)!.keys()]).toEqual(sizes.map(String));
      for (const n of sizes) {
        const own = like.get(id)!.get(String(n))!;
        const strong = stronger.get(id)!.get(String(n))!;
        expect(blend(id, n).lambda).toBe(blendingWeight([...own, ...strong]));
        expect(blend(id, n).lambda).not.toBe(blendingWeight(own));
        seen.add(blend(id, n).lambda);
      }
    }
    expect(seen.size).toBe(4);
  });

  test("is a half where nothing could be held out", () => {
    const learned = served("learned", validated(table([]), table([])));
    expect(scenarios.map(({ id }) => sizes.map((n) => learned(id, n).lambda))).toEqual([
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
  });
});

describe("λ by the reference's rule", () => {
  /** Mean over models of the population variance of their scores; models without any score have none. */
  function variance({ matrix, count }: Scenario): number {
    const own = rows.flatMap((row) => {
      const scores = Array.from({ length: count }, (_, i) => scoreAt(matrix, row, i)).filter(
        (score) => !Number.isNaN(score),
      );
      if (scores.length === 0) return [];
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
      return [scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length];
    });
    return own.reduce((sum, value) => sum + value, 0) / own.length;
  }

  test("the bias is p-irt's mean absolute error at the largest size in random folds, the variance the answers'", () => {
    const blend = served("reference");
    for (const scenario of scenarios) {
      const { id } = scenario;
      const largest = like.get(id)!.get("12")!;
      const bias = largest.reduce((sum, { base, truth }) => sum + Math.abs(base["p-irt"] - truth), 0) / largest.length;
      for (const n of sizes) expect(blend(id, n).lambda).toBeCloseTo(referenceLambda(bias, variance(scenario), n), 12);
    }
  });

  test("looks at its own rows only", () => {
    const all = (board: ResponseMatrix) => {
      const blend = served("reference", validation, benchmarkOf(board));
      return scenarios.map(({ id }) => sizes.map((n) => blend(id, n)));
    };
    const before = all(matrix);
    expect(all(withScores(matrix, (m, _, score) => (m >= 24 ? 1 - score : score)))).toEqual(before);
    expect(all(withScores(matrix, (m, _, score) => (m === 0 ? 1 : score)))).not.toEqual(before);
  });
});

describe("the stack and the gate", () => {
  test("learn from models like the others, of this scenario and size", () => {
    const blend = served("learned");
    const without = served("learned", validated(like, table([], 5)));
    for (const { id } of scenarios)
      for (const n of sizes) {
        const { stack, rmse } = blend(id, n);
        const own = like.get(id)!.get(String(n))!;
        expect(stack).toEqual(stackWeights(own));
        const squares = own.map(({ base, truth }) => (0.5 * base["p-irt-dr"] + 0.5 * base["p-irt"] - truth) ** 2);
        expect(rmse).toBeCloseTo(Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length), 14);
        expect(without(id, n)).toMatchObject({ stack, rmse });
      }
  });

  test("where nothing could be held out: the Gaussian, and the error of a fair coin's mean", () => {
    const { stack, rmse, tightening } = served("learned", validated(table([]), table([])))("a", 4);
    expect(tightening).toEqual({ inside: 1, outside: 1 });
    expect(stack).toEqual(stackOf({ gaussian: 1 }));
    expect(rmse).toBe(0.25); // 0.5/√4
  });
});

describe("the answers to all scenarios", () => {
  const MODELS = 40;
  const board = describeBenchmark(smallLeaderboard({ models: MODELS }), DEFAULT_SETTINGS);
  const all = rowsOf(MODELS);
  const own = drawnEstimates(createRandom("evidence"), { models: all, draws: 2 });
  /** The same models with errors `scale` times as large. */
  const scaled = (scale: number, estimates = own): HeldOutEstimate[] =>
    estimates.map((estimate) => ({
      ...estimate,
      base: Object.fromEntries(
        Object.entries(estimate.base).map(([id, score]) => [id, estimate.truth + scale * (score - estimate.truth)]),
      ) as typeof estimate.base,
    }));
  const learned = (together: HeldOutEstimate[]): FormBlend => {
    const one = { ...board, scenarios: board.scenarios.slice(0, 1) };
    const byForm = new Map([
      ["8", { separate: { ...none, interpolation: own }, pooled: { ...none, interpolation: together } }],
    ]);
    const plans = [evenForm(8, one.scenarios)];
    return learnBlends(one, all, methodOf("learned"), plans, new Map([["a", byForm]]))
      .get("a")!
      .get("8")!;
  };

  test("serve where they err less on held-out models", () => {
    const blend = learned(scaled(0.8));
    expect(blend.pooled).not.toBeNull();
    expect(servedBlend(blend)).toBe(blend.pooled);
  });

  test("don't where they err more", () => {
    const blend = learned(scaled(1.2));
    expect(blend.pooled).toBeNull();
    expect(servedBlend(blend)).toBe(blend.separate);
  });

  test("don't where they are there for fewer than five models", () => {
    const pooled = (models: number) =>
      learned(
        scaled(
          0.1,
          own.filter(({ model }) => model < models),
        ),
      ).pooled;
    expect(pooled(4)).toBeNull();
    expect(pooled(5)).not.toBeNull();
  });

  test("leave a scenario's own blends be", () => {
    expect(learned([]).separate.served.rmse).toBeGreaterThan(0);
  });
});
