import { estimateFromAnchors, loadBundle } from "anchoreval";
import { BASE_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { bundleFiles, fit } from "../../../offline-trainer/src/fit/fit.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { learn } from "../../../offline-trainer/src/fit/learn.ts";
import { describeBenchmark, onlyModels, scoresOn } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { customised } from "../../../offline-trainer/src/methods/index.ts";
import { recommended } from "../../../offline-trainer/src/methods/method.ts";
import { memorySource } from "../../support/memory-source.ts";
import { rowsOf } from "./held-out-estimates.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";

const method = await customised(recommended, { dims: 1, folds: 3, draws: 2 });

describe("a part of a scenario", async () => {
  const matrix = smallLeaderboard({ models: 24, items: [60, 40] });
  const benchmark = describeBenchmark(matrix, method.settings);
  const plans = [evenForm(12, benchmark.scenarios)];
  const learned = await learn(onlyModels(benchmark, rowsOf(20)), method, plans, createRandom("fit"), {
    backend: typescriptBackend,
  });
  const [form] = await learned.draw(0);
  const answers = new Map(
    benchmark.scenarios.map((scenario) => [
      scenario.id,
      scoresOn(scenario, 22, form!.scenarios.get(scenario.id)!.anchors.items),
    ]),
  );
  const even = (items: Iterable<number>, count: number): Float64Array => {
    const members = new Set(items);
    return Float64Array.from({ length: count }, (_, i) => (members.has(i) ? 1 / members.size : 0));
  };

  test("that is all of it gives the estimates of the whole", () => {
    const whole = form!.scoring.estimate(answers);
    const parts = form!.estimateParts(answers, new Map([["a", even(rowsOf(60), 60)]]));
    expect(parts.pooled).toBe(whole.pooled);
    for (const [id, pooling] of [
      ["a", "separate"],
      ["a", "pooled"],
      ["b", "pooled"],
    ] as const) {
      const [one, other] = [parts.scenario(id, pooling)!, whole.scenario(id, pooling)!];
      for (const estimator of BASE_ESTIMATORS)
        // Answer factors are of this form's anchors alone, in float32.
        expect(Math.abs(one.base[estimator] - other.base[estimator]), estimator).toBeLessThan(1e-5);
      expect(one.sampling!.variance).toBeCloseTo(other.sampling!.variance, 9);
    }
  });

  test("that the anchors hold whole has its score exactly, however the other anchors lie", () => {
    const { items } = form!.scenarios.get("a")!.anchors;
    const answered = Array.from(items.subarray(0, 5));
    const given = answers.get("a")!.map((score, j) => (j < 5 ? score : NaN));
    const truth = given.subarray(0, 5).reduce((sum, score) => sum + score / 5, 0);
    const parts = form!.estimateParts(new Map([...answers, ["a", given]]), new Map([["a", even(answered, 60)]]));
    expect(parts.pooled).toBe(true);
    for (const estimator of BASE_ESTIMATORS)
      expect(parts.scenario("a", "pooled")!.base[estimator], estimator).toBeCloseTo(truth, 9);
  });

  test("of which no anchor was answered has no estimate", () => {
    const given = answers.get("a")!.map(() => NaN);
    const parts = form!.estimateParts(new Map([...answers, ["a", given]]), new Map([["a", even([1, 2], 60)]]));
    expect(parts.scenario("a", "separate")).toBeNull();
  });
});

describe("sources with missing answers", () => {
  const whole = smallLeaderboard({ models: 48, items: [60, 40] });
  const fitted = async (missing: number) => {
    const random = createRandom("missing");
    const { content } = await fit(
      withScores(whole, (_, __, old) => (random.next() < missing ? NaN : old)),
      {
        method,
        sizes: [10],
        seed: 1,
        benchmark: "demo",
        version: "1.0.0",
        created: "2026-01-01T00:00:00Z",
        backend: typescriptBackend,
      },
    );
    const bundle = await loadBundle(memorySource(bundleFiles({ content })));
    const answers = Object.fromEntries(
      [...bundle.scenarios].flatMap(([, { forms }]) => forms.get("10")!.itemIds.map((id, j) => [id, j % 2])),
    );
    return { form: content.manifest.forms[0]!, estimate: estimateFromAnchors(bundle, answers) };
  };
  const warned = ({ warnings }: { warnings: readonly { code: string }[] }): number =>
    warnings.filter(({ code }) => code === "few_source_models").length;

  test("none: intervals are narrowed, and nobody is told what models answered", async () => {
    const { form, estimate } = await fitted(0);
    for (const { measured, tightening } of Object.values(form.scenarios)) {
      expect(measured.interpolation).toMatchObject({ models: 48 });
      expect(measured.interpolation).not.toHaveProperty("answered");
      expect(tightening.inside).not.toBe(1);
    }
    expect(warned(estimate)).toBe(0);
  });

  test("half: errors are measured on what models answered, intervals aren't narrowed by it", async () => {
    const { form, estimate } = await fitted(0.5);
    for (const { measured, tightening, pattern } of Object.values(form.scenarios)) {
      expect(measured.interpolation!.models).toBeGreaterThan(45);
      expect(measured.interpolation!.answered).toBeGreaterThan(0.4);
      expect(measured.interpolation!.answered).toBeLessThan(0.6);
      expect(tightening).toEqual({ inside: 1, outside: 1 });
      expect(pattern).toBeNull();
    }
    expect(form.overall!.measured.interpolation!.answered).toBeLessThan(0.6);
    expect(form.pairs).toBeUndefined();
    expect(warned(estimate)).toBe(0);
  });

  test("nine tenths: nothing is measured, and every estimate says so", async () => {
    const { form, estimate } = await fitted(0.9);
    for (const { measured } of Object.values(form.scenarios)) expect(measured.interpolation).toBeNull();
    expect(warned(estimate)).toBe(2);
    expect(estimate.warnings.find(({ code }) => code === "few_source_models")!.message).toContain(
      "too few source models to measure the error",
    );
  });
});
