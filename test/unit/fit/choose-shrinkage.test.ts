import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { scenarioGroups } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { resolveShrinkage, SHRINKAGE_CANDIDATES, validationError } from "../../../offline-trainer/src/calibrate/choose-model.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { fitBank } from "../../../offline-trainer/src/calibrate/bank.ts";
import type { Split } from "../../../offline-trainer/src/splits/types.ts";
import { extrapolationSplit } from "../../../offline-trainer/src/splits/extrapolation.ts";
import { folds } from "../../../offline-trainer/src/splits/interpolation.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 40, items: [60], dims: 2, seed: 5 });
const task = scenarioGroups(matrix, DEFAULT_SETTINGS)[0]!;
const all = matrix.subjects.map((_, m) => m);
const shared = {
  replicates: all,
  dims: 2,
  irtModel: "2pl" as const,
  estimation: "penalised" as const,
  link: "binarize" as const,
  backend: typescriptBackend,
  random: createRandom(2),
};
const resolved = (rows: readonly number[], shrinkage: number | "auto"): Promise<number> =>
  resolveShrinkage(task, rows, shrinkage, shared);

describe("auto", () => {
  test("is the candidate of least error among like and stronger models, by brute force", async () => {
    const input = { groups: all, eligible: all.map(() => true) };
    const scores = all.map((m) =>
      Array.from(matrix.scores.subarray(m * 60, (m + 1) * 60)).reduce((sum, y) => sum + y / 60, 0),
    );
    const random = shared.random.fork("shrinkage");
    const like = folds(input, 5, random.fork("folds"));
    const strong = extrapolationSplit({ ...input, scores, names: matrix.subjects });
    const error = async ({ sources, targets }: Split, shrinkage: number): Promise<number> => {
      const trained = await fitBank(task, sources, {
        ...shared,
        shrinkage,
        random: random.fork(`share ${shrinkage}`),
      });
      return validationError(task, targets, trained);
    };
    const errors: number[] = [];
    for (const share of SHRINKAGE_CANDIDATES)
      errors.push(
        ((await error(like[0]!, share)) + (await error(like[1]!, share))) * 0.5 * (await error(strong, share)),
      );
    const best = SHRINKAGE_CANDIDATES[errors.indexOf(Math.min(...errors))]!;
    expect(new Set(errors).size).toBe(errors.length);
    expect(await resolved(all, "auto")).toBe(best);
  });

  test("keeps the default for few models", async () => {
    expect(await resolved(all.slice(0, 19), "auto")).toBe(0.5);
  });
});

test("a number is taken as asked", async () => {
  expect(await resolved(all, 0.3)).toBe(0.3);
});
