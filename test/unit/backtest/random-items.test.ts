import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { backtestCell } from "../../../offline-trainer/src/backtest/cell.ts";
import { bankTasks } from "../../../offline-trainer/src/fit/bank-tasks.ts";
import { DEFAULT_CONFIGURATION } from "../../../offline-trainer/src/fit/configuration.ts";
import { randomErrors } from "../../../offline-trainer/src/fit/random-baseline.ts";
import { responseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { smallLeaderboard } from "../fit/small-leaderboard.ts";

/** Standard errors allowed: seeds are fixed, so that what passes once passes always. */
const DEVIATIONS = 4;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1);

test("the error of random items is the mean over all sets of n, weights and gaps as they are", () => {
  const random = createRandom("all sets");
  const [models, items, n] = [4, 9, 4];
  const weights = Float64Array.from({ length: items }, (_, i) => (i + 1) / 45);
  const matrix = responseMatrix(
    Array.from({ length: models }, (_, m) => `m${m}`),
    Array.from({ length: items }, (_, i) => ({ item_id: `${i}`, scenario: "a" })),
    // The last model has answered three items: some sets hold none of them.
    Float64Array.from({ length: models * items }, (_, k) =>
      k >= 30 && k < 36 ? NaN : Math.round(4 * random.next()) / 4,
    ),
  );
  const slice = { id: "a", begin: 0, count: items, subscenarios: [{ id: null, items }], weights };
  const targets = [3, 0, 1];
  const truths = [0.9, 0.2, 0.55];
  const streams = 100;
  const sums = targets.map(() => 0);
  for (let k = 0; k < streams; k++)
    randomErrors(matrix, slice, targets, truths, n, random.fork(`stream ${k}`)).forEach((error, t) => {
      sums[t]! += error / streams;
    });
  const sets = Array.from({ length: 2 ** items }, (_, bits) =>
    Array.from({ length: items }, (_, i) => i).filter((i) => (bits >> i) % 2 === 1),
  ).filter((set) => set.length === n);
  targets.forEach((model, t) => {
    const errors = sets.map((set) => {
      const known = set.filter((i) => !Number.isNaN(scoreAt(matrix, model, i)));
      const mass = known.reduce((sum, i) => sum + weights[i]!, 0);
      const score = known.reduce((sum, i) => sum + weights[i]! * scoreAt(matrix, model, i), 0) / mass;
      return Math.abs((known.length > 0 ? score : 0.5) - truths[t]!);
    });
    const standardError = Math.sqrt(variance(errors) / (200 * streams));
    expect(standardError).toBeLessThan(0.002);
    expect(Math.abs(sums[t]! - mean(errors))).toBeLessThan(DEVIATIONS * standardError);
  });
});

describe("anchors drawn at random, their mean", () => {
  const configuration = { ...DEFAULT_CONFIGURATION, selection: "random", dims: 1 } as const;
  const matrix = smallLeaderboard({ models: 20, items: [60] });
  const rows = matrix.subjects.map((_, m) => m);
  // Too few sources to cross-validate, which takes the time: random anchors and their mean learn nothing from them.
  const split = { sources: rows.slice(0, 6), targets: rows.slice(6) };

  test("err as random items do: ratio 1, few of the items or half of them", async () => {
    const tasks = bankTasks(matrix, configuration);
    const input = { tasks, groups: rows, split, splits: [split], sizes: [6, 30], configuration };
    const seeds = await Promise.all(
      Array.from({ length: 20 }, (_, seed) => backtestCell({ ...input, seed }, typescriptBackend)),
    );
    for (const size of [0, 1]) {
      const cells = seeds.map((results) => results[size]!.estimates);
      // Models of one form share its luck: forms are what is independent here.
      const forms = cells.flatMap((estimates) =>
        [...new Set(estimates.map(({ draw }) => draw))].map((draw) =>
          mean(
            estimates
              .filter((own) => own.draw === draw)
              .map((own) => Math.abs(own.estimators["anchor-mean"] - own.truth)),
          ),
        ),
      );
      const baseline = mean(cells.flat().map(({ randomError }) => randomError));
      const draws = 200 * cells.length;
      const standardError = Math.sqrt(variance(forms) * (1 / forms.length + 1 / draws)) / baseline;
      expect(forms).toHaveLength(200);
      expect(standardError).toBeLessThan(0.035);
      expect(Math.abs(mean(forms) / baseline - 1)).toBeLessThan(DEVIATIONS * standardError);
    }
  });
});
