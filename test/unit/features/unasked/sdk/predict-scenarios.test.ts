/* eslint-disable @typescript-eslint/no-unsafe-member-access -- manifests are changed as loose JSON */
import { estimateFromAnchors, loadBundle, type Bundle, type Estimate } from "anchoreval";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import {
  type KnownScore,
  logitScore,
  predictLogits,
  scoreLogit,
} from "anchoreval/internal/features/unasked/sdk/predict-scenarios";
import { placeWords } from "anchoreval/internal/words/result-words";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { SAMPLE_UNASKED, sampleBundle, type SampleBundleOptions } from "../../../../support/sample-bundle.ts";
import { type Loose, withManifest } from "../../../../support/tamper.ts";

const slope = (score: number): number => 1.02 / ((score + 0.01) * (1.01 - score));

test("logits of scores are finite in [0,1], and go back", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (score) => {
      expect(Number.isFinite(scoreLogit(score))).toBe(true);
      expect(logitScore(scoreLogit(score))).toBeCloseTo(score, 12);
    }),
  );
  expect([logitScore(-50), logitScore(0), logitScore(50)]).toEqual([0, 0.5, 1]);
});

describe("predicted logits", () => {
  const model = {
    models: 60,
    mean: [0.2, -0.4, 1],
    covariance: [1, 0.6, 0.3, 0.6, 1.5, 0.5, 0.3, 0.5, 0.8],
  };

  test("of one scenario from another are a regression on it", () => {
    const known = { score: 0.8, variance: 0.002 };
    const { mean, covariance } = predictLogits(model, [null, known, null]);
    const spread = 1.5 + slope(0.8) ** 2 * 0.002;
    const gap = scoreLogit(0.8) + 0.4;
    expect(mean[0]).toBeCloseTo(0.2 + (0.6 / spread) * gap, 12);
    expect(mean[2]).toBeCloseTo(1 + (0.5 / spread) * gap, 12);
    expect(covariance[0]).toBeCloseTo(1 - 0.6 ** 2 / spread, 12);
    expect(covariance[2]).toBeCloseTo(0.3 - (0.6 * 0.5) / spread, 12);
  });

  test("of one scenario from two solve the normal equations", () => {
    const known: KnownScore[] = [
      { score: 0.3, variance: 0.001 },
      { score: 0.7, variance: 0.003 },
    ];
    const { mean, covariance } = predictLogits(model, [...known, null]);
    const [v1, v2] = known.map(({ score, variance }) => slope(score) ** 2 * variance) as [number, number];
    const [a, b, d] = [1 + v1, 0.6, 1.5 + v2];
    const [g1, g2] = [(0.3 * d - 0.5 * b) / (a * d - b * b), (0.5 * a - 0.3 * b) / (a * d - b * b)];
    expect(mean[2]).toBeCloseTo(1 + g1 * (scoreLogit(0.3) - 0.2) + g2 * (scoreLogit(0.7) + 0.4), 12);
    expect(covariance[8]).toBeCloseTo(0.8 - g1 * 0.3 - g2 * 0.5, 12);
  });

  test("are the scores themselves where these are exact, and the sources' where nothing is known", () => {
    const { mean, covariance } = predictLogits(model, [{ score: 0.9, variance: 0 }, null, null]);
    expect(mean[0]).toBeCloseTo(scoreLogit(0.9), 12);
    expect(covariance[0]).toBeCloseTo(0, 12);
    expect(predictLogits(model, [null, null, null])).toMatchObject({ mean: model.mean, covariance: model.covariance });
  });

  test("don't depend on the order of the scenarios, and less is open the more is known", () => {
    const score = fc.record({
      score: fc.double({ min: 0, max: 1, noNaN: true }),
      variance: fc.double({ min: 0, max: 0.01, noNaN: true }),
    });
    fc.assert(
      fc.property(score, score, (one, other) => {
        const order = [2, 0, 1];
        const known = [one, null, other];
        const turned = {
          models: 60,
          mean: order.map((s) => model.mean[s]!),
          covariance: order.flatMap((s) => order.map((t) => model.covariance[3 * s + t]!)),
        };
        const straight = predictLogits(model, known);
        const moved = predictLogits(
          turned,
          order.map((s) => known[s]!),
        );
        expect(moved.mean[2]).toBeCloseTo(straight.mean[1]!, 9);
        expect(moved.covariance[8]).toBeCloseTo(straight.covariance[4]!, 9);
        expect(moved.outside).toBe(straight.outside);
        const less = predictLogits(model, [one, null, null]);
        expect(straight.covariance[4]!).toBeLessThanOrEqual(less.covariance[4]! + 1e-12);
        expect(straight.covariance[4]!).toBeGreaterThan(0);
      }),
    );
  });

  test("are outside where the scores as a whole lie further out than one model in all, on either side", () => {
    const far = studentTQuantile(1 - 1 / 61, 59) * Math.sqrt(1 + 1.5 + 1.2);
    const at = (distance: number): boolean =>
      predictLogits(model, [
        { score: logitScore(0.2 + distance / 2), variance: 0 },
        { score: logitScore(-0.4 + distance / 2), variance: 0 },
        null,
      ]).outside;
    expect([at(0.99 * far), at(1.01 * far), at(-0.99 * far), at(-1.01 * far)]).toEqual([false, true, false, true]);
  });
});

const load = (options: SampleBundleOptions = {}, edit: (manifest: Loose) => void = () => undefined): Promise<Bundle> =>
  loadBundle(memorySource(withManifest(sampleBundle({ unasked: true, ...options }), edit)));
const all = sampleAnswers("20");
const alpha = Object.fromEntries(Object.entries(all).filter(([id]) => id.startsWith("alpha")));
const bundle = await load();
const plain = await load({ unasked: false });
const asked = (own: Bundle, answers: Record<string, number> = alpha, level = 0.95): Estimate =>
  estimateFromAnchors(own, answers, { form: "20", level });

describe("a scenario that wasn't asked", () => {
  const estimate = asked(bundle);
  const [measured, predicted] = [estimate.scenarios.alpha!, estimate.scenarios["beta/γ"]!];
  const before = asked(plain);
  const sampling = (measured.interval!.high - measured.interval!.low) / 2;

  test("is predicted from the others, and marked", () => {
    expect(predicted).toMatchObject({
      predicted: true,
      reason: null,
      answered: 0,
      exact: false,
      range: null,
      details: null,
    });
    expect(predicted.interval!.method).toBe("predicted");
    const [low, middle, high] = [predicted.interval!.low, predicted.score!, predicted.interval!.high].map(scoreLogit);
    expect(middle! - low!).toBeCloseTo(high! - middle!, 9);
    expect(placeWords(predicted)).toBe("predicted, not asked");
    expect(estimate.warnings).toContainEqual({
      code: "predicted_scenario",
      scenario: "beta/γ",
      message:
        "beta/γ: not asked; predicted from the other scenarios' scores, with a typical error of 7.5 points on models like the sources.",
    });
  });

  test("leaves the measured scores as they are, unmarked", () => {
    expect(measured).toEqual(before.scenarios.alpha);
    expect(measured).not.toHaveProperty("predicted");
  });

  test("has an interval as wide as the bundle's factor says", () => {
    const spread = SAMPLE_UNASKED.covariance[0]!;
    const open = (variance: number): number => 1 - 0.5 ** 2 / (spread + slope(measured.score!) ** 2 * variance);
    const half = scoreLogit(predicted.interval!.high) - scoreLogit(predicted.score!);
    const bounds = [0, sampling ** 2].map((variance) => 1.5 * studentTQuantile(0.975, 49) * Math.sqrt(open(variance)));
    expect(half).toBeGreaterThan(bounds[0]!);
    expect(half).toBeLessThan(bounds[1]!);
    const narrow = asked(bundle, alpha, 0.5).scenarios["beta/γ"]!;
    expect(narrow.score).toBeCloseTo(predicted.score!, 12);
    const ratio = studentTQuantile(0.75, 49) / studentTQuantile(0.975, 49);
    expect(scoreLogit(narrow.interval!.high) - scoreLogit(narrow.score!)).toBeCloseTo(ratio * half, 9);
  });

  test("counts in the overall score, which is marked, and whose interval knows it", () => {
    expect(before.score).toBeNull();
    expect(estimate).toMatchObject({ predicted: true, reason: null });
    expect(estimate.score).toBeCloseTo((measured.score! + predicted.score!) / 2, 12);
    expect(estimate.interval!.method).toBe("predicted");
    const half = (estimate.interval!.high - estimate.interval!.low) / 2;
    expect(half).toBeGreaterThan((predicted.interval!.high - predicted.interval!.low) / 4.5);
  });

  test.each([
    [
      "scores that are far from all sources'",
      (m: Loose) => (m.unasked.mean = [6, 6]),
      "no prediction was measured for a model so far from the sources",
    ],
    ["a form without measured predictions", (m: Loose) => delete m.unasked.forms["20"], "no prediction was measured"],
  ])("isn't predicted from %s", async (_, edit, reason) => {
    const found = asked(await load({}, edit));
    expect(found.scenarios["beta/γ"]).toMatchObject({ score: null, interval: null });
    expect(found.scenarios["beta/γ"]!.reason).toContain(reason);
    expect(found).toMatchObject({ score: null, interval: null, reason: "no estimate for beta/γ" });
    expect(found).not.toHaveProperty("predicted");
  });

  test("isn't predicted from a score without an interval", () => {
    const few = Object.fromEntries(Object.entries(alpha).slice(0, 5));
    expect(asked(bundle, few)).toEqual({ ...asked(plain, few), digest: bundle.digest });
  });
});

test("where all scenarios are asked, or the bundle measured nothing, estimates are what they were", () => {
  expect(asked(bundle, all)).toEqual({ ...asked(plain, all), digest: bundle.digest });
  expect(asked(plain).scenarios["beta/γ"]).toMatchObject({
    score: null,
    reason: "no anchor of this scenario was answered",
  });
});

test("errors measured on held-out models stand for the draw's where anchors are purposive", async () => {
  const answers = Object.fromEntries(
    Object.entries(sampleAnswers("20", { purposive: true })).filter(([id]) => id.startsWith("alpha")),
  );
  const own = asked(await load({ purposive: true }), answers);
  expect(own.scenarios.alpha!.interval!.method).toBe("cross-validated");
  const { score } = own.scenarios.alpha!;
  const spread = 0.75 + slope(score!) ** 2 * 0.065 ** 2; // the rmse of the sample's score
  const logit = -0.125 + (0.5 / spread) * (scoreLogit(score!) - 0.25);
  expect(own.scenarios["beta/γ"]!.score).toBeCloseTo(logitScore(logit), 9);
});

test("a weight of nothing predicted leaves the overall interval to the scores that were asked", async () => {
  const own = asked(await load({}, (m: Loose) => (m.scenarios[1].weight = 0)));
  const { score, interval } = own.scenarios.alpha!;
  expect(own.score).toBeCloseTo(score!, 12);
  const [half, expected] = [own.interval!, interval!].map(({ low, high }) => (high - low) / 2) as [number, number];
  expect(half / expected).toBeGreaterThan(0.85);
  expect(half / expected).toBeLessThan(1.15);
});
