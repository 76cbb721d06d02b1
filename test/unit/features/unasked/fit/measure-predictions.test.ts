import { partOf } from "anchoreval/internal/core/bundle/part";
import { type UnaskedManifest, unaskedPart } from "anchoreval/internal/features/unasked/core";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { fit } from "../../../../../offline-trainer/src/fit/fit.ts";
import { scoreModel } from "../../../../../features/unasked/fit/measure-predictions.ts";
import type { ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { customised } from "../../../../../offline-trainer/src/methods/index.ts";
import { recommended } from "../../../../../offline-trainer/src/methods/method.ts";
import { smallLeaderboard, withScores } from "../../../fit/small-leaderboard.ts";

/** Logits of 40 models that share a part, and the models. */
function drawnLogits(): [Float64Array[], number[]] {
  const random = createRandom("logits");
  const models = Array.from({ length: 40 }, (_, m) => m);
  const shared = models.map(() => random.normal());
  return [[0.3, 1, 2].map((own) => Float64Array.from(models, (m) => shared[m]! + own * random.normal())), models];
}

/** Sample means, variances and correlations. */
function sample(logits: readonly Float64Array[], models: readonly number[]) {
  const mean = logits.map((own) => models.reduce((sum, m) => sum + own[m]!, 0) / models.length);
  const covariance = (s: number, t: number): number =>
    models.reduce((sum, m) => sum + (logits[s]![m]! - mean[s]!) * (logits[t]![m]! - mean[t]!), 0) / (models.length - 1);
  const correlation = (s: number, t: number): number =>
    covariance(s, t) / Math.sqrt(covariance(s, s) * covariance(t, t));
  return { mean, covariance, correlation };
}

describe("how scenarios go together", () => {
  const [logits, models] = drawnLogits();
  const { mean, covariance, correlation } = sample(logits, models);
  const found = scoreModel(logits, models)!;

  test("has the sample's means and variances", () => {
    expect(found.models).toBe(40);
    found.mean.forEach((own, s) => expect(own).toBeCloseTo(mean[s]!, 12));
    [0, 4, 8].forEach((at, s) => expect(found.covariance[at]).toBeCloseTo(covariance(s, s), 12));
  });

  test("draws each correlation a fifth of the way to their mean, with 40 models", () => {
    const own = (s: number, t: number): number =>
      found.covariance[3 * s + t]! / Math.sqrt(found.covariance[4 * s]! * found.covariance[4 * t]!);
    const common = (correlation(0, 1) + correlation(0, 2) + correlation(1, 2)) / 3;
    expect(Math.abs(correlation(0, 1) - common)).toBeGreaterThan(0.1);
    for (const [s, t] of [
      [0, 1],
      [2, 0],
      [1, 2],
    ] as const)
      expect(own(s, t)).toBeCloseTo(0.8 * correlation(s, t) + 0.2 * common, 12);
  });

  test("looks at no other models", () => {
    const some = models.slice(0, 20);
    const changed = logits.map((own) => own.map((value, m) => (m < 20 ? value : NaN)));
    expect(scoreModel(changed, some)).toEqual(scoreModel(logits, some));
  });

  test("isn't told by two models, nor where a scenario's scores don't vary", () => {
    expect(scoreModel(logits, [0, 1])).toBeNull();
    expect(scoreModel([logits[0]!, new Float64Array(40).fill(0.5)], models)).toBeNull();
  });
});

async function unaskedOf(matrix: ResponseMatrix, settings: object = {}, size = 8): Promise<UnaskedManifest | null> {
  const { content } = await fit(matrix, {
    method: await customised(recommended, { dims: 1, folds: 3, draws: 1, ...settings }),
    sizes: [size],
    seed: 1,
    benchmark: "demo",
    version: "1.0.0",
    created: "2026-01-01T00:00:00Z",
    backend: typescriptBackend,
  });
  return partOf(content.manifest, unaskedPart);
}

describe("predictions of unasked scenarios", () => {
  const matrix = smallLeaderboard({ models: 60, items: [60, 40, 50] });

  test("are measured on held-out models, scenario by scenario", async () => {
    const found = (await unaskedOf(matrix))!;
    expect(found).toMatchObject({ models: 60 });
    expect(found.mean).toHaveLength(3);
    expect(found.covariance).toHaveLength(9);
    expect(Object.keys(found.forms)).toEqual(["8"]);
    expect(Object.keys(found.forms["8"]!)).toEqual(["a", "b", "c"]);
    for (const { factor, mae, coverage95 } of Object.values(found.forms["8"]!)) {
      // One ability for all scenarios: the Gaussian is about right, and errs by much less than scores spread (.2).
      expect(factor).toBeGreaterThan(0.6);
      expect(factor).toBeLessThan(1.6);
      expect(mae).toBeGreaterThan(0.01);
      expect(mae).toBeLessThan(0.12);
      expect(coverage95).toBeGreaterThanOrEqual(0.88);
    }
  });

  test("err as much as scores spread where scenarios have nothing to do with each other", async () => {
    // The second scenario's answers are those of another model.
    const turned = withScores(matrix, (m, item, score) =>
      matrix.items[item]!.scenario === "b" ? matrix.scores[((m * 7 + 3) % 60) * matrix.items.length + item]! : score,
    );
    // Of 8 anchors it is 1.6 to 1.9 times, by the seed; of 24 more than 2.1 by each of five.
    const [own, apart] = [(await unaskedOf(matrix, {}, 24))!, (await unaskedOf(turned, {}, 24))!];
    expect(apart.forms["24"]!.b!.mae).toBeGreaterThan(1.8 * own.forms["24"]!.b!.mae);
  });

  test.each([
    ["too few models", smallLeaderboard({ models: 30, items: [60, 40] }), {}],
    ["scenarios that are estimated apart", matrix, { linked: false }],
    ["one scenario", smallLeaderboard({ models: 45, items: [60] }), {}],
  ])("aren't promised of %s", async (_, own, settings) => {
    expect(await unaskedOf(own, settings)).toBeNull();
  });
});
