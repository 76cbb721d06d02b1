import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { interruptible } from "../../../offline-trainer/src/backends/interruptible.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import type { CalibratedScenario } from "../../../offline-trainer/src/calibrate/bank.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { fit } from "../../../offline-trainer/src/fit/fit.ts";
import { matrixScenarios } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { recommended } from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { rejection } from "../../support/refusal.ts";
import { smallBank } from "../fit/small-bank.ts";
import { smallLeaderboard } from "../fit/small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 24, items: [30, 16] });

/** Plain TypeScript that counts its evaluations. */
function counted(): { backend: CalibrationBackend; evaluations: () => number; open: () => number } {
  let [evaluations, open] = [0, 0];
  const backend: CalibrationBackend = {
    ...typescriptBackend,
    open: async (responses, dims) => {
      const objective = await typescriptBackend.open(responses, dims);
      open++;
      return {
        evaluate: (at, gradient) => {
          evaluations++;
          return objective.evaluate(at, gradient);
        },
        dispose: () => {
          open--;
          return objective.dispose();
        },
      };
    },
  };
  return { backend, evaluations: () => evaluations, open: () => open };
}

describe("a fit in plain TypeScript", () => {
  const options = {
    ...{ benchmark: "demo", version: "1.0.0", created: "2026-01-01T00:00:00Z", seed: 1, sizes: [4] },
    method: { ...recommended, settings: { ...DEFAULT_SETTINGS, dims: 1, folds: 2, draws: 1 } },
  };

  test("hears an interrupt at the next evaluation, and closes what it opened", async () => {
    const whole = counted();
    await fit(matrix, { ...options, backend: whole.backend });
    const { backend, evaluations, open } = counted();
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    const { code } = await rejection(fit(matrix, { ...options, backend, signal: controller.signal }));
    expect({ code, open: open() }).toEqual({ code: "aborted", open: 0 });
    expect(evaluations()).toBeLessThan(3);
    expect(whole.evaluations()).toBeGreaterThan(100);
  });

  test("is the same to the last bit, with an ear for interrupts or without", async () => {
    const task = matrixScenarios(matrix, DEFAULT_SETTINGS)[0]!;
    const train = (backend: CalibrationBackend): Promise<CalibratedScenario> =>
      smallBank(task, 24, { dims: 2, backend, random: createRandom(3) });
    expect(await train(interruptible(typescriptBackend))).toEqual(await train(typescriptBackend));
    const { name, precision } = interruptible(typescriptBackend);
    expect({ name, precision }).toEqual({ name: "typescript", precision: "float64" });
  });
});
