import { type Interval, type Manifest, type ScenarioResult } from "anchoreval";
import type { FormManifest } from "anchoreval/bundle";
import { describe, expect, test } from "vitest";
import { overallScore } from "../../../sdk/estimate/overall-score.ts";
import { sampleContent } from "../../support/sample-bundle.ts";

const content = sampleContent();
const manifestOf = (weights: readonly [number, number]): Manifest =>
  ({
    ...content.manifest,
    scenarios: content.manifest.scenarios.map((scenario, s) => ({ ...scenario, weight: weights[s]! })),
  }) as unknown as Manifest;
const formOf = (interval: FormManifest["interval"]): FormManifest => ({
  ...content.manifest.forms[0]!,
  digest: "",
  interval,
});

function result(score: number | null, interval: readonly [number, number] | null, exact = false): ScenarioResult {
  return {
    score,
    interval: interval && { low: interval[0], high: interval[1], level: 0.95, method: "design-based" },
    reason: null,
    exact,
    answered: 8,
    of: 8,
    answeredShare: 1,
    range: "inside",
    percentile: 0.5,
    details: null,
  };
}
const two = (alpha: ScenarioResult, beta: ScenarioResult): Record<string, ScenarioResult> => ({
  alpha,
  "beta/γ": beta,
});

describe("the score", () => {
  const scenarios = two(result(0.2, [0.1, 0.4]), result(0.8, [0.7, 0.85]));

  test("is the weighted mean of the scenarios, whatever the weights' scale", () => {
    expect(overallScore(manifestOf([1, 1]), formOf("design"), scenarios, 0.95).score).toBeCloseTo(0.5, 15);
    expect(overallScore(manifestOf([1, 3]), formOf("design"), scenarios, 0.95).score).toBeCloseTo(0.65, 15);
    expect(overallScore(manifestOf([100, 300]), formOf("design"), scenarios, 0.95).score).toBeCloseTo(0.65, 15);
    expect(overallScore(manifestOf([0, 2]), formOf("design"), scenarios, 0.95).score).toBe(0.8);
  });

  test("never passes 1, though the shares' sum rounds past it", () => {
    const weights = [0.98, 0.37, 0.02, 1.01, 0.8, 0.05];
    const shares = weights.map((weight) => weight / weights.reduce((sum, value) => sum + value, 0));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeGreaterThan(1);
    const manifest = {
      ...content.manifest,
      scenarios: weights.map((weight, s) => ({ ...content.manifest.scenarios[0]!, id: String(s), weight })),
    } as unknown as Manifest;
    const ones = Object.fromEntries(weights.map((_, s) => [s, result(1, [0.9, 1])]));
    expect(overallScore(manifest, formOf("design"), ones, 0.95).score).toBe(1);
  });

  test.each([
    ["has none", two(result(0.2, null), result(null, null)), "no estimate for beta/γ"],
    ["isn't there", { "beta/γ": result(0.5, null) }, "no estimate for alpha"],
  ])("is null where a scenario %s", (_, some, reason) => {
    expect(overallScore(manifestOf([1, 1]), formOf("design"), some, 0.95)).toEqual({
      score: null,
      interval: null,
      reason,
    });
  });
});

describe("a design-based interval", () => {
  test("adds the sides in quadrature, each side by itself", () => {
    const scenarios = two(result(0.2, [0.1, 0.4]), result(0.8, [0.7, 0.85]));
    const { interval } = overallScore(manifestOf([1, 1]), formOf("design"), scenarios, 0.95);
    expect(interval).toMatchObject({ level: 0.95, method: "design-based" });
    expect(interval!.low).toBeCloseTo(0.5 - Math.hypot(0.05, 0.05), 15);
    expect(interval!.high).toBeCloseTo(0.5 + Math.hypot(0.1, 0.025), 15);
  });

  test("of a scenario that is exact adds nothing", () => {
    const scenarios = two(result(0.2, [0.2, 0.2], true), result(0.8, [0.7, 0.9]));
    const { interval } = overallScore(manifestOf([1, 1]), formOf("design"), scenarios, 0.95);
    expect(interval!.low).toBeCloseTo(0.45, 15);
    expect(interval!.high).toBeCloseTo(0.55, 15);
  });

  test("is exact where every scenario is", () => {
    const scenarios = two(result(0.2, [0.2, 0.2], true), result(0.8, [0.8, 0.8], true));
    expect(overallScore(manifestOf([1, 1]), formOf("design"), scenarios, 0.9).interval).toEqual<Interval>({
      low: 0.5,
      high: 0.5,
      level: 0.9,
      method: "exact",
    });
  });

  test("is null where a scenario has none, and the reason names it", () => {
    const scenarios = two(result(0.2, null), result(0.8, [0.7, 0.9]));
    expect(overallScore(manifestOf([1, 1]), formOf("design"), scenarios, 0.95)).toEqual({
      score: 0.5,
      interval: null,
      reason: "no interval for alpha",
    });
  });
});

describe("a cross-validated interval", () => {
  const scenarios = two(result(0.01, [0, 0.1]), result(0.05, [0, 0.2]));

  test("is the overall error that was measured, inside [0,1]", () => {
    const { interval } = overallScore(manifestOf([1, 1]), formOf("cross-validated"), scenarios, 0.95);
    expect(interval).toMatchObject({ low: 0, level: 0.95, method: "cross-validated" });
    expect(interval!.high).toBeCloseTo(0.03 + 0.075, 15);
  });

  test.each([
    ["a level that wasn't measured", formOf("cross-validated"), 0.93],
    ["too few models for the level", formOf("cross-validated"), 0.99],
    ["an overall error that wasn't measured", { ...formOf("cross-validated"), overall: null }, 0.95],
  ])("is null at %s", (_, form, level) => {
    const overall = overallScore(manifestOf([1, 1]), form, scenarios, level);
    expect(overall).toMatchObject({
      interval: null,
      reason: expect.stringContaining("too few source models") as string,
    });
    expect(overall.score).toBeCloseTo(0.03, 15);
  });
});
