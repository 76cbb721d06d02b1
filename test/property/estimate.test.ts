import { estimateFromAnchors, loadBundle, type Estimate } from "anchoreval";
import { answeredSample, knownBounds } from "anchoreval/internal/core/estimators/answered-sample";
import { samplingVariance } from "anchoreval/internal/core/inference/sampling-variance";
import { designInterval, wilsonInterval } from "anchoreval/internal/core/inference/score-interval";
import { estimateScenario } from "anchoreval/internal/core/scoring/scenario-estimate";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answersOf, arbScene, arbScore } from "../support/arbitraries.ts";
import { memorySource } from "../support/memory-source.ts";
import { sampleBundle, sampleContent, type SampleBundleOptions } from "../support/sample-bundle.ts";

describe("partial answers", () => {
  test("their masses sum to 1, none is lost and none is made", () => {
    fc.assert(
      fc.property(arbScene(), (scene) => {
        const { anchors } = scene.model;
        const sample = answeredSample(anchors, answersOf(scene))!;
        expect(Math.abs(sample.mass.reduce((sum, value) => sum + value, 0) - 1)).toBeLessThan(1e-13);
        expect(sample.items).toHaveLength(scene.answered.filter(Boolean).length);
        // An answered anchor stands for at least itself.
        const total = anchors.mass.reduce((sum, value) => sum + value, 0);
        let at = 0;
        scene.answered.forEach((answered, j) => {
          if (answered) expect(sample.mass[at++]).toBeGreaterThanOrEqual((anchors.mass[j]! / total) * (1 - 1e-12));
        });
        expect(sample.share).toBeGreaterThan(0);
        expect(sample.share).toBeLessThanOrEqual(1 + 1e-15);
        sample.inclusion?.forEach((value) => expect(value).toBeLessThanOrEqual(1));
      }),
    );
  });

  test("prove bounds that hold the full score, and that only close in with more answers", () => {
    fc.assert(
      fc.property(arbScene(), (scene) => {
        const { weights, anchors } = scene.model;
        const truth = scene.truth.reduce((sum, score, i) => sum + score * weights[i]!, 0);
        const some = knownBounds(weights, answeredSample(anchors, answersOf(scene))!);
        const all = knownBounds(
          weights,
          answeredSample(anchors, answersOf({ ...scene, answered: scene.answered.map(() => true) }))!,
        );
        const rounding = 1e-14;
        expect(some.low).toBeLessThanOrEqual(truth + rounding);
        expect(some.high).toBeGreaterThanOrEqual(truth - rounding);
        expect(all.low).toBeGreaterThanOrEqual(some.low - rounding);
        expect(all.high).toBeLessThanOrEqual(some.high + rounding);
      }),
    );
  });
});

describe("a design-based interval", () => {
  const arbLevel = fc.double({ min: 0.05, max: 0.999, noNaN: true });

  test("holds the score, lies in [0,1], and widens with the level", () => {
    fc.assert(
      fc.property(arbScene(), arbLevel, arbLevel, (scene, one, other) => {
        const theirs = {
          theta: scene.theta,
          covariance: new Float64Array(scene.theta.length ** 2),
          standardError: new Float64Array(scene.theta.length),
          status: "converged",
          iterations: 0,
          method: "map",
        } as const;
        const { sample, residuals, bounds, base } = estimateScenario(scene.model, answersOf(scene), theirs)!;
        const score = base["p-irt-dr"];
        const sampling = samplingVariance(score, sample, residuals);
        fc.pre(sampling !== null);
        const narrow = designInterval({ score, bounds, sampling }, Math.min(one, other));
        const wide = designInterval({ score, bounds, sampling }, Math.max(one, other));
        const rounding = 1e-12;
        for (const { low, high } of [narrow, wide]) {
          expect(low).toBeGreaterThanOrEqual(0);
          expect(high).toBeLessThanOrEqual(1);
          expect(low).toBeLessThanOrEqual(score + rounding);
          expect(high).toBeGreaterThanOrEqual(score - rounding);
        }
        expect(wide.low).toBeLessThanOrEqual(narrow.low + rounding);
        expect(wide.high).toBeGreaterThanOrEqual(narrow.high - rounding);
      }),
    );
  });

  test("Wilson's is mirrored by swapping right and wrong, and narrows with n", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0.1, max: 1e4, noNaN: true }),
        fc.double({ min: 0.01, max: 6, noNaN: true }),
        (p, n, z) => {
          const one = wilsonInterval(p, n, z);
          const mirrored = wilsonInterval(1 - p, n, z);
          expect(Math.abs(one.low - (1 - mirrored.high))).toBeLessThan(1e-9);
          const more = wilsonInterval(p, 2 * n, z);
          expect(more.high - more.low).toBeLessThanOrEqual(one.high - one.low + 1e-12);
        },
      ),
    );
  });
});

describe("what users get", async () => {
  const options: SampleBundleOptions = { items: [12, 15], sizes: [6, 12] };
  const bundle = await loadBundle(memorySource(sampleBundle(options)));
  const ids = sampleContent(options).scenarios.flatMap(({ anchors }) => anchors.map(({ item_id }) => item_id));

  /** Answers to form 12, each anchor with the chance of none. */
  const arbAnswers = fc
    .array(fc.option(arbScore, { freq: 8 }), { minLength: 24, maxLength: 24 })
    .filter((scores) => scores.some((score) => score !== null))
    .map((scores) => ids.map((id, i): [string, number | null] => [id, scores[i]!]));
  const estimateOf = (entries: readonly [string, number | null][], level = 0.95): Estimate =>
    estimateFromAnchors(bundle, Object.fromEntries(entries), { form: "12", level });

  test("does not depend on the order of the keys, bit for bit", () => {
    fc.assert(
      fc.property(arbAnswers, fc.array(fc.nat(), { minLength: 24, maxLength: 24 }), (entries, keys) => {
        const order = entries.map((_, i) => i).sort((i, j) => keys[i]! - keys[j]!);
        expect(estimateOf(order.map((i) => entries[i]!))).toEqual(estimateOf(entries));
      }),
      { numRuns: 60 },
    );
  });

  test("null and absent are the same", () => {
    fc.assert(
      fc.property(arbAnswers, (entries) => {
        expect(estimateOf(entries.filter(([, score]) => score !== null))).toEqual(estimateOf(entries));
      }),
      { numRuns: 60 },
    );
  });

  test("has scores and intervals in [0,1], the score inside, wider at a higher level", () => {
    fc.assert(
      fc.property(arbAnswers, (entries) => {
        const usual = estimateOf(entries);
        const wide = estimateOf(entries, 0.99);
        const narrow = estimateOf(entries, 0.5);
        const parts = [usual, ...Object.values(usual.scenarios)];
        parts.forEach((part, k) => {
          if (part.score === null || part.interval === null) expect(part.reason).not.toBeNull();
          if (part.score === null) return;
          expect(part.score).toBeGreaterThanOrEqual(0);
          expect(part.score).toBeLessThanOrEqual(1);
          if (part.interval === null) return;
          expect(part.interval.low).toBeLessThanOrEqual(part.score);
          expect(part.interval.high).toBeGreaterThanOrEqual(part.score);
          expect(part.interval.low).toBeGreaterThanOrEqual(0);
          expect(part.interval.high).toBeLessThanOrEqual(1);
          const w = [wide, ...Object.values(wide.scenarios)][k]!.interval!;
          const n = [narrow, ...Object.values(narrow.scenarios)][k]!.interval!;
          expect(w.high - w.low).toBeGreaterThanOrEqual(part.interval.high - part.interval.low - 1e-12);
          expect(n.high - n.low).toBeLessThanOrEqual(part.interval.high - part.interval.low + 1e-12);
        });
      }),
      { numRuns: 60 },
    );
  });

  test("has no value that JSON would lose", () => {
    fc.assert(
      fc.property(arbAnswers, (entries) => {
        const estimate = estimateOf(entries);
        expect(JSON.parse(JSON.stringify(estimate))).toEqual(estimate);
      }),
      { numRuns: 60 },
    );
  });
});
