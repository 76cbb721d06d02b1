import { estimateFromAnchors, loadBundle } from "anchoreval";
import type { AbilityEstimate } from "anchoreval/internal/core/ability/map";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import { type AnchorFactors, type EstimatorId, estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { estimateScenario, type ScenarioModel } from "anchoreval/internal/core/scoring/scenario-estimate";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answersOf, arbScene, type Scene } from "../support/arbitraries.ts";
import { itemFactors, plainFactors } from "../support/factors.ts";
import { memorySource } from "../support/memory-source.ts";
import { sampleAnswers } from "../support/sample-answers.ts";
import { SAMPLE_MAPS, sampleBundle, type SampleBundleOptions } from "../support/sample-bundle.ts";
import { withManifest, type Loose } from "../support/tamper.ts";
import { MIXED_STACK } from "../support/stack-of.ts";

/** A contract that an estimator doesn't keep, and why it needn't. */
export interface Skip {
  readonly test: string;
  readonly reason: string;
}

const abilityAt = (theta: Float64Array): AbilityEstimate => ({
  theta,
  covariance: new Float64Array(theta.length ** 2),
  standardError: new Float64Array(theta.length),
  status: "converged",
  iterations: 0,
});

/** Factors whose items all have the same mean. */
const evenFactors = (factors: AnchorFactors, mean: number): AnchorFactors => ({
  ...factors,
  mean: new Float64Array(factors.mean.length).fill(mean),
  total: { ...factors.total, mean },
});

/** What every estimator must keep. Called once per id. */
export function describeEstimator(id: EstimatorId, skips: readonly Skip[] = []): void {
  const names: string[] = [];
  const contract = (name: string, run: () => void | Promise<void>): void => {
    names.push(name);
    const skip = skips.find((candidate) => candidate.test === name);
    if (skip) test.skip(`${name} (${skip.reason})`, run);
    else test(name, run);
  };
  const estimatesOf = (scene: Scene): { score: number; bounds: { low: number; high: number } } => {
    const estimate = estimateScenario(scene.model, answersOf(scene), abilityAt(scene.theta))!;
    return {
      score: estimatorFigure(
        blendEstimates(estimate, scene.blend, { worst: 0.2, best: 0.7, overall: null }).estimators,
        id,
      ),
      bounds: estimate.bounds,
    };
  };
  const estimateOf = (scene: Scene): number => estimatesOf(scene).score;

  describe(`${id} conforms`, () => {
    contract("is the full score where every item was answered", () => {
      fc.assert(
        fc.property(arbScene({ whole: true }), (scene) => {
          const truth = scene.truth.reduce((sum, score, i) => sum + score * scene.model.weights[i]!, 0);
          // The same sum in another order.
          expect(Math.abs(estimateOf(scene) - truth)).toBeLessThan(1e-14);
        }),
      );
    });

    contract("then has an interval of no width, in the estimate that users get", async () => {
      const options: SampleBundleOptions = { items: [12, 12], sizes: [6, 12], maps: true };
      const files = withManifest(sampleBundle(options), (manifest: Loose) => {
        for (const form of (manifest as { forms: { estimator: string }[] }).forms) form.estimator = id;
      });
      const bundle = await loadBundle(memorySource(files));
      const answers = sampleAnswers("12", options);
      for (const { score, interval, exact } of Object.values(estimateFromAnchors(bundle, answers).scenarios)) {
        expect(exact).toBe(true);
        expect(interval).toMatchObject({ low: score, high: score, method: "exact" });
      }
    });

    contract("lies between the scores that the answers prove", () => {
      fc.assert(
        fc.property(arbScene(), (scene) => {
          const { bounds, score } = estimatesOf(scene);
          expect(score).toBeGreaterThanOrEqual(bounds.low);
          expect(score).toBeLessThanOrEqual(bounds.high);
        }),
      );
    });

    contract("does not depend on the order of the anchors", () => {
      fc.assert(
        // Complete answers: the mass of a missing one goes to its neighbours, and who they are is a matter of order.
        fc.property(
          arbScene({ complete: true }),
          fc.array(fc.nat(), { minLength: 24, maxLength: 24 }),
          (scene, keys) => {
            const { anchors } = scene.model;
            const order = Array.from(anchors.items, (_, j) => j).sort((i, j) => keys[i]! - keys[j]!);
            const permuted: Scene = {
              ...scene,
              model: {
                ...scene.model,
                anchors: {
                  items: anchors.items.map((_, j) => anchors.items[order[j]!]!),
                  mass: anchors.mass.map((_, j) => anchors.mass[order[j]!]!),
                  inclusion: anchors.inclusion?.map((_, j) => anchors.inclusion![order[j]!]!) ?? null,
                },
                factors: anchorFactors(scene.model.factors, Uint32Array.from(order)),
                answerFactors: anchorFactors(scene.model.answerFactors, Uint32Array.from(order)),
              },
            };
            expect(Math.abs(estimateOf(permuted) - estimateOf(scene))).toBeLessThan(1e-13);
          },
        ),
      );
    });

    contract("does not depend on the scale of the masses", () => {
      fc.assert(
        fc.property(arbScene(), fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (scene, scale) => {
          const { anchors } = scene.model;
          const scaled = { ...anchors, mass: anchors.mass.map((value) => value * scale) };
          const other = { ...scene, model: { ...scene.model, anchors: scaled } };
          expect(Math.abs(estimateOf(other) - estimateOf(scene))).toBeLessThan(1e-13);
        }),
      );
    });

    contract("never falls when an answer gets better and the ability stays", () => {
      fc.assert(
        fc.property(arbScene(), fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (scene, which, gain) => {
          const item = scene.model.anchors.items[which % scene.answered.length]!;
          const score = scene.truth[item]!;
          const better = { ...scene, truth: scene.truth.with(item, score + gain * (1 - score)) };
          expect(estimateOf(better)).toBeGreaterThanOrEqual(estimateOf(scene) - 1e-14);
        }),
      );
    });

    contract("reproduces a constant: the same score on every item, and predicted", () => {
      fc.assert(
        fc.property(arbScene(), fc.double({ min: 0.01, max: 0.99, noNaN: true }), (scene, constant) => {
          const { bank } = scene.model;
          const flat = itemBank(
            new Float64Array(bank.count * bank.dims),
            new Float64Array(bank.count).fill(Math.log1p(-constant) - Math.log(constant)),
          );
          const same: Scene = {
            ...scene,
            model: {
              ...scene.model,
              bank: flat,
              scoreMap: null,
              factors: evenFactors(scene.model.factors, constant),
              answerFactors: evenFactors(scene.model.answerFactors, constant),
            },
            truth: new Float64Array(bank.count).fill(constant),
          };
          expect(Math.abs(estimateOf(same) - constant)).toBeLessThan(1e-13);
        }),
      );
    });

    contract("rests on the answers alone, not on the ability", () => {
      fc.assert(
        fc.property(arbScene(), (scene) => {
          const elsewhere = { ...scene, theta: scene.theta.map((value) => value + 1) };
          expect(estimateOf(elsewhere)).toBe(estimateOf(scene));
        }),
      );
    });

    contract("is right on average over the draw, however wrong the response model is", () => {
      // All 20 samples of 3 out of 6 items, whose true scores the model's predictions run against; none of the
      // estimates has to be brought into its bounds, which would bend the average.
      const truth = Float64Array.of(0.8, 0.9, 0.2, 0.7, 0.3, 0.5);
      const weights = new Float64Array(6).fill(1 / 6);
      const model: Omit<ScenarioModel, "anchors" | "factors" | "answerFactors"> = {
        maps: SAMPLE_MAPS("one"),
        bank: itemBank(Float64Array.of(1, 1, 1, 1, 1, 1), Float64Array.of(0.3, 0.4, -0.2, 0.3, -0.3, 0)),
        weights,
        scoreMap: null,
      };
      const estimates: number[] = [];
      for (let i = 0; i < 6; i++)
        for (let j = i + 1; j < 6; j++)
          for (let k = j + 1; k < 6; k++) {
            const anchors = {
              items: Uint32Array.of(i, j, k),
              mass: Float64Array.of(1, 1, 1),
              inclusion: Float64Array.of(0.5, 0.5, 0.5),
            };
            estimates.push(
              estimateOf({
                model: {
                  ...model,
                  anchors,
                  factors: plainFactors(weights, anchors.items),
                  answerFactors: anchorFactors(
                    itemFactors(
                      weights,
                      [0.5, 0.3, 0.6, 0.4, 0.7, 0.5],
                      [0.1, 0, -0.1, 0.2, 0.1, 0.3],
                      [1, 1, 1, 1, 1, 1],
                    ),
                    anchors.items,
                  ),
                },
                blend: {
                  lambda: 0.4,
                  stack: MIXED_STACK,
                  rmse: 0.1,
                  overallRmse: null,
                  tightening: { inside: 1, outside: 1 },
                },
                theta: Float64Array.of(0),
                truth,
                answered: [true, true, true],
              }),
            );
          }
      const mean = estimates.reduce((sum, value) => sum + value, 0) / 20;
      expect(mean).toBeCloseTo(3.4 / 6, 12);
      expect(new Set(estimates).size).toBeGreaterThan(5);
    });

    test("states a reason for every contract that it doesn't keep, and only for those that there are", () => {
      expect(skips.filter(({ test: name }) => !names.includes(name))).toEqual([]);
      for (const { reason } of skips) expect(reason.length).toBeGreaterThan(10);
    });
  });
}
