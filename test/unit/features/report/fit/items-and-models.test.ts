import { estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { describe, expect, test } from "vitest";
import { heldOutModels, isCovered } from "../../../../../features/report/fit/items-and-models.ts";
import { reportData } from "../../../../../features/report/fit/report-data.ts";
import { sampleFit } from "./sample-fit.ts";

describe.each(["stratified", "irt-kmeans"] as const)("held-out models of a %s form", async (selection) => {
  const { scenarios, defaultForm } = reportData(
    await sampleFit({ models: 40, scenarios: { one: 60 }, sizes: [20], settings: { selection } }),
  );
  const { like, stronger } = heldOutModels(scenarios[0]!, defaultForm);

  test("each stands once, by its true score", () => {
    expect(like).toHaveLength(40);
    expect(new Set(like.map(({ model }) => model)).size).toBe(40);
    expect(like.map(({ truth }) => truth)).toEqual(like.map(({ truth }) => truth).sort((x, y) => x - y));
    expect(stronger).toHaveLength(defaultForm.scenarios["one"]!.measured.extrapolation!.models);
  });

  test("every model has an interval around its score, and the most part hold the truth", () => {
    for (const { interval, score } of [...like, ...stronger]) {
      expect(interval!.low).toBeLessThanOrEqual(score + 1e-12);
      expect(interval!.high).toBeGreaterThanOrEqual(score - 1e-12);
    }
    expect(like.filter((model) => isCovered(model)).length).toBeGreaterThan(32);
  });

  test("their mean error is near the one that the manifest states", () => {
    const mae = like.reduce((sum, { score, truth }) => sum + Math.abs(score - truth), 0) / like.length;
    const stated = estimatorFigure(
      defaultForm.scenarios["one"]!.measured.interpolation!.estimators,
      defaultForm.estimator,
    ).mae;
    expect(Math.abs(mae - stated)).toBeLessThan(0.5 * stated);
  });
});

describe.each(["stratified", "irt-kmeans"] as const)("one %s form a fold", async (selection) => {
  const { scenarios, defaultForm } = reportData(
    await sampleFit({ models: 70, scenarios: { one: 60 }, sizes: [20], settings: { selection, draws: 1 } }),
  );
  const { like, stronger } = heldOutModels(scenarios[0]!, defaultForm);
  const { measured } = defaultForm.scenarios["one"]!;

  // The strongest models are held out twice, in their fifths and together: their intervals know of neither.
  test.each([
    ["interpolation", like],
    ["extrapolation", stronger],
  ] as const)("%s: what is drawn is what the manifest states", (split, models) => {
    const { coverage95, halfWidth95 } = measured[split]!;
    const half = models.reduce((sum, { interval }) => sum + (interval!.high - interval!.low) / 2, 0) / models.length;
    expect(models.filter((model) => isCovered(model)).length / models.length).toBeCloseTo(coverage95!, 5);
    expect(half).toBeCloseTo(halfWidth95!, 5.5);
  });
});
