/* eslint-disable @typescript-eslint/no-unsafe-member-access -- manifests are broken on purpose, as loose JSON */
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { SAMPLE_MAPS, sampleBundle } from "../../support/sample-bundle.ts";
import { withManifest, withTensor, withTensors, type BundleFiles, type Loose } from "../../support/tamper.ts";

const files: BundleFiles = sampleBundle({ maps: true });
const load = (from: BundleFiles): ReturnType<typeof loadBundle> => loadBundle(memorySource(from));
const NAME = "scenario.0.form.8.map.alone";

describe("score maps in a bundle", () => {
  test("are read as they were written", async () => {
    const { scenarios } = await load(files);
    for (const [id, { forms }] of scenarios)
      for (const { maps } of forms.values()) expect(maps).toEqual(SAMPLE_MAPS(id));
  });

  test("a bundle without them has no such estimate, one with them can have it as its score", async () => {
    const answers = sampleAnswers("8");
    const without = estimateFromAnchors(await load(sampleBundle()), answers);
    expect(Object.keys(without.scenarios["alpha"]!.details!.estimators)).not.toContain("score-map");
    const served = withManifest(files, (manifest: Loose) => {
      for (const form of manifest.forms as Loose[]) form.estimator = "score-map";
    });
    const { scenarios } = estimateFromAnchors(await load(served), answers);
    for (const { score, details } of Object.values(scenarios)) expect(details!.estimators["score-map"]).toBe(score);
  });

  test.each<[string, () => BundleFiles, string]>([
    [
      "a tensor that is missing",
      () => withTensors(files, (all) => all.filter(({ name }) => name !== NAME)),
      "is missing",
    ],
    [
      "a term too few",
      () => withTensor(files, NAME, (own) => ({ ...own, shape: [1, 5], data: own.data.slice(0, 5) })),
      `tensor ${NAME} has the shape 1×5, expected 2×5`,
    ],
    [
      "a curve of one value",
      () => withTensor(files, NAME, (own) => ({ ...own, shape: [2, 3], data: Float32Array.of(0, 1, 0.5, 0, 1, 0.5) })),
      "a curve without length",
    ],
    [
      "a curve that ends where it begins",
      () => withTensor(files, NAME, (own) => ({ ...own, data: Float32Array.from(own.data).fill(0.5) })),
      "a curve without length",
    ],
    [
      "a value that is no number",
      () => withTensor(files, NAME, (own) => ({ ...own, data: Float32Array.from(own.data).fill(NaN, 3, 4) })),
      "not a number",
    ],
  ])("%s is refused", async (_, broken, message) => {
    expectRefusal(await rejection(load(broken())), "bundle_invalid", message);
  });

  const manifest = (edit: (scenario: Loose, form: Loose) => void): BundleFiles =>
    withManifest(files, (own: Loose) => edit(own.forms[0].scenarios.alpha, own.forms[0]));

  test.each<[string, BundleFiles, string]>([
    ["maps of some scenarios", manifest((own) => delete own.map), "score maps of all scenarios or of none"],
    [
      "a score that there is no map of",
      manifest((_, form) => {
        form.estimator = "score-map";
        for (const own of Object.values(form.scenarios as Record<string, Loose>)) delete own.map;
      }),
      "a form whose score is score-map has maps",
    ],
    ["another scenario's mean", manifest((own) => (own.map.alone.terms[0].scenario = "beta/γ")), "own answers reads"],
    ["its own score", manifest((own) => (own.map.alone.terms[0].feature = "score")), "own answers reads"],
    ["a feature that there isn't", manifest((own) => (own.map.alone.terms[0].feature = "theta")), "mean or expected"],
    ["no terms", manifest((own) => (own.map.alone.terms = [])), "at least 1"],
    [
      "a scenario of another bundle",
      manifest((own) => (own.map.together = { intercept: 0, terms: [{ feature: "mean", scenario: "gamma" }] })),
      "reads scenarios of the bundle",
    ],
  ])("%s is refused", async (_, broken, message) => {
    expectRefusal(await rejection(load(broken)), "bundle_invalid", message);
  });
});
