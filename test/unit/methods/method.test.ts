import { describe, expect, test } from "vitest";
import { dimsFor } from "../../../offline-trainer/src/calibrate/bank.ts";
import { ANCHOR_METHOD_NAMES, customised } from "../../../offline-trainer/src/methods/index.ts";
import {
  headlineEstimator,
  intervalKind,
  methodDigest,
  recommended,
} from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS, type FitSettings } from "../../../offline-trainer/src/methods/settings.ts";

describe("methodDigest", async () => {
  const changes: { [Field in Exclude<keyof FitSettings, "weighting">]: FitSettings[Field][] } = {
    selection: ANCHOR_METHOD_NAMES.filter((selection): boolean => selection !== DEFAULT_SETTINGS.selection),
    estimator: ["anchor-mean", "stack", "score-map"],
    scoreMap: ["mean", "additive"],
    irtModel: ["1pl", "3pl", "4pl"],
    estimation: ["marginal"],
    shrinkage: [0.25, 1],
    dims: ["auto", 1, 5],
    search: [1, 24],
    priorScale: [1, 2.5],
    lambda: ["reference"],
    linked: [false],
    folds: [3, 10],
    draws: [1, 5],
  };
  const changed = await Promise.all(
    Object.entries(changes).flatMap(([field, values]) =>
      values.map((value) => customised(recommended, { [field]: value })),
    ),
  );

  test("is another for every value of every field", () => {
    // Whatever is added to the settings must be put to this test.
    expect([...Object.keys(changes), "weighting"].sort()).toEqual(Object.keys(DEFAULT_SETTINGS).sort());
    const digests = [recommended, ...changed].map(methodDigest);
    expect(new Set(digests).size).toBe(digests.length);
  });

  test("does not depend on the order of the fields, nor on what else is there", () => {
    for (const method of [recommended, ...changed]) {
      const entries = Object.entries(method.settings).reverse();
      const turned = Object.fromEntries([["seed", 3], ...entries]) as unknown as FitSettings;
      expect(Object.keys(turned)).not.toEqual(Object.keys(method.settings));
      expect(methodDigest({ ...method, settings: turned })).toBe(methodDigest(method));
    }
  });

  test("leaves out the weighting: that is what is estimated, not how", () => {
    const digest = methodDigest(recommended);
    expect(methodDigest({ ...recommended, settings: { ...DEFAULT_SETTINGS, weighting: "items" } })).toBe(digest);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });
});

async function chosen(settings: Partial<FitSettings>): Promise<[string, string]> {
  const method = await customised(recommended, settings);
  return [headlineEstimator(method), intervalKind(method)];
}

test("a draw has the gated blend and intervals from it, what is chosen on purpose the λ-blend or the stack", async () => {
  const found: [string, [string, string]][] = [];
  for (const selection of ANCHOR_METHOD_NAMES) found.push([selection, await chosen({ selection })]);
  expect(Object.fromEntries(found)).toEqual({
    stratified: ["gate", "design"],
    random: ["gate", "design"],
    screened: ["gate", "design"],
    "greedy-variance": ["stack", "cross-validated"],
    essence: ["stack", "cross-validated"],
    "fisher-information": ["score-map", "cross-validated"],
    sublime: ["stack", "cross-validated"],
    "irt-kmeans": ["gp-irt", "cross-validated"],
    "correctness-kmeans": ["gp-irt", "cross-validated"],
  });
  expect(await chosen({ selection: "irt-kmeans", estimator: "gate" })).toEqual(["gate", "cross-validated"]);
  expect(await chosen({ selection: "random", estimator: "p-irt-dr" })).toEqual(["p-irt-dr", "design"]);
  // The draw tells the error of what the answers' residuals correct, and of nothing else.
  expect(await chosen({ selection: "random", estimator: "anchor-mean" })).toEqual(["anchor-mean", "cross-validated"]);
  expect(await chosen({ selection: "screened", estimator: "stack" })).toEqual(["stack", "cross-validated"]);
});

test("at least five models a dimension, and one dimension at least", () => {
  expect([3, 4, 5, 9, 10, 39, 40, 400].map((models) => dimsFor(8, models))).toEqual([1, 1, 1, 1, 2, 7, 8, 8]);
  expect(dimsFor(2, 400)).toBe(2);
});
