import { DEFAULT_SETTINGS, recommended } from "anchoreval-trainer";
import { describe, expect, test } from "vitest";
import { fit } from "../../../offline-trainer/src/fit/fit.ts";
import { fitWork } from "../../../offline-trainer/src/fit/folds.ts";
import type { Method } from "../../../offline-trainer/src/methods/method.ts";
import type { FitSettings } from "../../../offline-trainer/src/methods/settings.ts";
import { countedBackend } from "../../support/counted-backend.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

const methodOf = (settings: Partial<FitSettings>): Method => ({
  ...recommended,
  settings: { ...DEFAULT_SETTINGS, draws: 1, ...settings },
});

describe("a fit's work is what its backend calibrates", () => {
  test.each<[number, Partial<FitSettings>, number, number]>([
    [30, { dims: 8 }, 6, 7],
    [60, { dims: "auto" }, 5, 35],
    [30, { dims: [1, 2] }, 2, 21],
    [40, { dims: 1, linked: false }, 1, 7],
    [30, { dims: 2, folds: 3 }, 2, 5],
    [7, { dims: 1 }, 1, 1],
    [10, { dims: 1, estimation: "marginal" }, 1, 0],
  ])("%i models, %o", async (models, settings, dims, calibrations) => {
    const matrix = smallLeaderboard({ models, items: [20, 12] });
    const method = methodOf(settings);
    expect(fitWork(matrix, method)).toMatchObject({ models, items: 32, scenarios: 2, dims, calibrations });
    const backend = countedBackend();
    const created = "2026-01-01T00:00:00Z";
    await fit(matrix, { benchmark: "b", version: "1.0.0", created, sizes: [5], seed: 1, method, backend });
    expect(backend.opened).toBe(2 * calibrations);
  });
});
