import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { bankTasks } from "../../../offline-trainer/src/fit/bank-tasks.ts";
import { DEFAULT_CONFIGURATION } from "../../../offline-trainer/src/fit/configuration.ts";
import type { BankValidation } from "../../../offline-trainer/src/fit/cross-validate.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { learnEvidence, servedEvidence } from "../../../offline-trainer/src/fit/learn-evidence.ts";
import { drawnEstimates, rowsOf } from "./held-out-estimates.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

const MODELS = 40;
const matrix = smallLeaderboard({ models: MODELS });
const [task] = bankTasks(matrix, DEFAULT_CONFIGURATION);
const rows = rowsOf(MODELS);
const own = drawnEstimates(createRandom("evidence"), { models: rows, draws: 2 });
/** The same models with errors `scale` times as large. */
const scaled = (scale: number, estimates = own): HeldOutEstimate[] =>
  estimates.map((estimate) => ({
    ...estimate,
    base: Object.fromEntries(
      Object.entries(estimate.base).map(([id, score]) => [id, estimate.truth + scale * (score - estimate.truth)]),
    ) as typeof estimate.base,
  }));
const tableOf = (estimates: HeldOutEstimate[]) => [new Map([["8", estimates]])];
const validation = (together: HeldOutEstimate[]): BankValidation => ({
  alone: { interpolation: tableOf(own), extrapolation: tableOf([]) },
  together: { interpolation: tableOf(together), extrapolation: tableOf([]) },
});
const learn = (together: HeldOutEstimate[]) =>
  learnEvidence(task!, rows, [evenForm(8, task!.scenarios)], validation(together), {
    lambda: "learned",
    estimator: "gate",
  });

describe("the answers to all scenarios serve", () => {
  test("where they err less on held-out models", () => {
    const evidence = learn(scaled(0.8));
    expect(evidence.together.blends[0]!.has("8")).toBe(true);
    expect(servedEvidence(evidence, 0, "8")).toBe(evidence.together);
  });

  test("not where they err more", () => {
    const evidence = learn(scaled(1.2));
    expect(evidence.together.blends[0]!.has("8")).toBe(false);
    expect(servedEvidence(evidence, 0, "8")).toBe(evidence.alone);
  });

  test("not where they are there for fewer than twenty models", () => {
    const of = (models: number) =>
      learn(
        scaled(
          0.8,
          own.filter(({ model }) => model < models),
        ),
      ).together.blends[0]!.has("8");
    expect(of(19)).toBe(false);
    expect(of(20)).toBe(true);
  });
});

test("a scenario's own answers always have blends", () => {
  expect(learn([]).alone.blends[0]!.has("8")).toBe(true);
});
