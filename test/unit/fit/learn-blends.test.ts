import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { bankTasks } from "../../../offline-trainer/src/fit/bank-tasks.ts";
import { DEFAULT_CONFIGURATION } from "../../../offline-trainer/src/fit/configuration.ts";
import type { CrossValidation } from "../../../offline-trainer/src/fit/folds.ts";
import type { HeldOutEstimate, HeldOutTable } from "../../../offline-trainer/src/fit/held-out.ts";
import { blendingWeight, referenceLambda, stackWeights } from "../../../offline-trainer/src/fit/blend-figures.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { insideBlend } from "../../../offline-trainer/src/fit/inside-blend.ts";
import { learnBlends } from "../../../offline-trainer/src/fit/blends.ts";
import { scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { drawnEstimates, rowsOf } from "./held-out-estimates.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";
import { stackOf } from "../../support/stack-of.ts";

const random = createRandom("learn blends");
const sizes = [4, 12];
const rows = rowsOf(24);
/** Two scenarios on one ability; models 20 to 23 have no answer in the second, models 24 to 29 are no sources. */
const matrix = withScores(smallLeaderboard({ models: 30, items: [40, 24], missing: 0.1 }), (m, i, score) =>
  m >= 20 && m < 24 && i >= 40 ? NaN : score,
);
const task = bankTasks(matrix, { ...DEFAULT_CONFIGURATION, joint: true })[0]!;
const forms = sizes.map((size) => evenForm(size, task.scenarios));

const table = (models: readonly number[], fold?: number): HeldOutTable =>
  task.scenarios.map(
    (_, s) =>
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
  );
const validation: CrossValidation = { interpolation: table(rows), extrapolation: table(rowsOf(7, 17), 5) };

describe("λ, learned", () => {
  const blends = learnBlends(task, rows, forms, validation, "learned");

  test("pools random and weak-to-strong folds, of this scenario and size alone", () => {
    const seen = new Set<number>();
    task.scenarios.forEach((_, s) => {
      expect([...blends[s]!.keys()]).toEqual(sizes.map(String));
      for (const n of sizes) {
        const own = validation.interpolation[s]!.get(String(n))!;
        const strong = validation.extrapolation[s]!.get(String(n))!;
        expect(blends[s]!.get(String(n))!.served.lambda).toBe(blendingWeight([...own, ...strong]));
        expect(blends[s]!.get(String(n))!.served.lambda).not.toBe(blendingWeight(own));
        seen.add(blends[s]!.get(String(n))!.served.lambda);
      }
    });
    expect(seen.size).toBe(4);
  });

  test("is a half where nothing could be held out", () => {
    const none = task.scenarios.map(() => new Map(sizes.map((n): [string, HeldOutEstimate[]] => [String(n), []])));
    const learned = learnBlends(task, rows, forms, { interpolation: none, extrapolation: none }, "learned");
    expect(learned.map((own) => [...own.values()].map(({ served }) => served.lambda))).toEqual([
      [0.5, 0.5],
      [0.5, 0.5],
    ]);
  });
});

describe("λ by the reference's rule", () => {
  /** Mean over models of the population variance of their scores; models without any score have none. */
  function variance(begin: number, count: number): number {
    const own = rows.flatMap((row) => {
      const scores = Array.from({ length: count }, (_, i) => scoreAt(task.matrix, row, begin + i)).filter(
        (score) => !Number.isNaN(score),
      );
      if (scores.length === 0) return [];
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
      return [scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length];
    });
    return own.reduce((sum, value) => sum + value, 0) / own.length;
  }

  test("the bias is p-irt's mean absolute error at the largest size in random folds, the variance the answers'", () => {
    const blends = learnBlends(task, rows, forms, validation, "reference");
    task.scenarios.forEach(({ begin, count }, s) => {
      const largest = validation.interpolation[s]!.get("12")!;
      const bias = largest.reduce((sum, { base, truth }) => sum + Math.abs(base["p-irt"] - truth), 0) / largest.length;
      for (const n of sizes)
        expect(blends[s]!.get(String(n))!.served.lambda).toBeCloseTo(
          referenceLambda(bias, variance(begin, count), n),
          12,
        );
    });
  });

  test("looks at its own rows only", () => {
    const served = (own: typeof task): unknown =>
      learnBlends(own, rows, forms, validation, "reference").map((bySize) =>
        [...bySize].map(([n, blend]) => [n, blend.served]),
      );
    const before = served(task);
    const other = withScores(matrix, (m, _, score) => (m >= 24 ? 1 - score : score));
    const otherTask = bankTasks(other, { ...DEFAULT_CONFIGURATION, joint: true })[0]!;
    expect(served(otherTask)).toEqual(before);
    const changed = withScores(matrix, (m, _, score) => (m === 0 ? 1 : score));
    const changedTask = bankTasks(changed, { ...DEFAULT_CONFIGURATION, joint: true })[0]!;
    expect(served(changedTask)).not.toEqual(before);
  });
});

describe("the stack and the gate", () => {
  const blends = learnBlends(task, rows, forms, validation, "learned");

  test("learn from models like the others alone, of this scenario and size", () => {
    const without = learnBlends(task, rows, forms, { ...validation, extrapolation: table([], 5) }, "learned");
    task.scenarios.forEach((_, s) => {
      for (const n of sizes) {
        const { stack, rmse } = blends[s]!.get(String(n))!.served;
        const own = validation.interpolation[s]!.get(String(n))!;
        expect(stack).toEqual(stackWeights(own));
        const squares = own.map(({ base, truth }) => (0.5 * base["p-irt-dr"] + 0.5 * base["p-irt"] - truth) ** 2);
        expect(rmse).toBeCloseTo(Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / squares.length), 14);
        expect(without[s]!.get(String(n))!.served).toMatchObject({ stack, rmse });
      }
    });
  });

  test("where nothing could be held out: the Gaussian, and the error of a fair coin's mean", () => {
    const families = Int32Array.of();
    const { lambda, stack, rmse, tightening } = insideBlend([], { n: 25, lambda: 0.3, families });
    expect({ lambda, tightening }).toEqual({ lambda: 0.3, tightening: { inside: 1, outside: 1 } });
    expect(stack).toEqual(stackOf({ gaussian: 1 }));
    expect(rmse).toBe(0.1);
  });
});
