import type { Interval, Manifest } from "anchoreval";
import type { FormManifest } from "anchoreval/internal/core/bundle/manifest";
import { designInterval, weightedScore } from "anchoreval/internal/core/inference/score-interval";
import { describe, expect, test } from "vitest";
import { NO_SAMPLING } from "../../../sdk/core/inference/sampling-variance.ts";
import { overallScore, type ScoredScenario } from "../../../sdk/estimate/overall-score.ts";
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

/** A scenario whose score was known to a standard error, from 8 answers to drawn anchors. */
function scored(score: number | null, standardError: number | null): ScoredScenario {
  const exact = standardError === 0;
  return {
    result: {
      score,
      interval: standardError === null ? null : { low: score!, high: score!, level: 0.95, method: "design-based" },
      reason: null,
      exact,
      answered: 8,
      of: 8,
      answeredShare: 1,
      range: "inside",
      percentile: 0.5,
      details: null,
    },
    tightening: { inside: 1, outside: 1 },
    gated: null,
    bounds: exact ? { low: score!, high: score! } : { low: 0.001, high: 0.999 },
    sampling:
      standardError === null
        ? null
        : exact
          ? NO_SAMPLING
          : { variance: standardError ** 2, degrees: 7, answers: 8, right: 8 * score!, unit: 0.1, bias: 0 },
  };
}
const two = (alpha: ScoredScenario, beta: ScoredScenario): Map<string, ScoredScenario> =>
  new Map([
    ["alpha", alpha],
    ["beta/γ", beta],
  ]);

test("there is none where a scenario rests on less than half of its anchors' weight", () => {
  const limited = scored(0.8, 0.04);
  const few = { ...limited, result: { ...limited.result, answered: 2, of: 8, answeredShare: 0.25 } };
  expect(overallScore(manifestOf([1, 1]), formOf("design"), two(scored(0.2, 0.08), few), 0.95)).toEqual({
    score: null,
    interval: null,
    reason: "beta/γ rests on 2 of 8 anchors",
  });
  const half = { ...limited, result: { ...limited.result, answered: 4, of: 8, answeredShare: 0.5 } };
  expect(overallScore(manifestOf([1, 1]), formOf("design"), two(scored(0.2, 0.08), half), 0.95).score).not.toBeNull();
});

describe("the score", () => {
  const scenarios = two(scored(0.2, 0.08), scored(0.8, 0.04));

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
    const ones = new Map(weights.map((_, s) => [String(s), scored(1, 0.02)]));
    expect(overallScore(manifest, formOf("design"), ones, 0.95).score).toBe(1);
  });

  test.each([
    ["has none", two(scored(0.2, null), scored(null, null)), "no estimate for beta/γ"],
    ["isn't there", new Map([["beta/γ", scored(0.5, null)]]), "no estimate for alpha"],
  ])("is null where a scenario %s", (_, some, reason) => {
    expect(overallScore(manifestOf([1, 1]), formOf("design"), some, 0.95)).toEqual({
      score: null,
      interval: null,
      reason,
    });
  });
});

describe("a design-based interval", () => {
  test("is that of the weighted scores, by the manifest's shares", () => {
    const [alpha, beta] = [scored(0.2, 0.08), scored(0.8, 0.04)];
    const { interval } = overallScore(manifestOf([1, 3]), formOf("design"), two(alpha, beta), 0.9);
    const sampled = weightedScore([
      { share: 0.25, score: 0.2, bounds: alpha.bounds, sampling: alpha.sampling! },
      { share: 0.75, score: 0.8, bounds: beta.bounds, sampling: beta.sampling! },
    ]);
    expect(interval).toEqual({ ...designInterval(sampled, 0.9), level: 0.9, method: "design-based" });
    expect(interval!.high - interval!.low).toBeLessThan(0.2);
  });

  test("of a scenario that is exact adds nothing", () => {
    const half = (exact: number): { low: number; high: number } => {
      const { interval } = overallScore(
        manifestOf([1, 1]),
        formOf("design"),
        two(scored(0.5, exact), scored(0.5, 0.04)),
        0.95,
      );
      return interval!;
    };
    expect(half(0).high - half(0).low).toBeLessThan(0.8 * (half(0.04).high - half(0.04).low));
  });

  test("is exact where every scenario is", () => {
    const scenarios = two(scored(0.2, 0), scored(0.8, 0));
    expect(overallScore(manifestOf([1, 1]), formOf("design"), scenarios, 0.9).interval).toEqual<Interval>({
      low: 0.5,
      high: 0.5,
      level: 0.9,
      method: "exact",
    });
  });

  test("is null where a scenario has none, and the reason names it", () => {
    const scenarios = two(scored(0.2, null), scored(0.8, 0.05));
    expect(overallScore(manifestOf([1, 1]), formOf("design"), scenarios, 0.95)).toEqual({
      score: 0.5,
      interval: null,
      reason: "no interval for alpha",
    });
  });
});

describe("a cross-validated interval", () => {
  const scenarios = two(scored(0.01, 0.02), scored(0.05, 0.04));

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
