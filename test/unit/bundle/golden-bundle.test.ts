import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  type AnswerOptions,
  type AnyEstimate,
  compareFromAnchors,
  estimate as estimateAnswers,
  estimateFromAnchors,
  loadBundle,
  type Estimate,
  type TrialResponses,
} from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { decodeSafetensorsHeader } from "anchoreval/internal/core/bundle/safetensors";
import type { FullScoreLine } from "anchoreval/internal/core/scoring/full-score";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { largestDifference, readFixture } from "../../support/fixture.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";

const folder = fileURLToPath(new URL("../../fixtures/golden-bundle/bundle", import.meta.url));
const responses = readFixture<Record<string, number | null>>("golden-bundle/answers.json");
const recorded = readFixture<Estimate>("golden-bundle/estimate.json");
const bundle = await loadBundle(folderSource(folder));
const estimate = estimateFromAnchors(bundle, responses, { form: "12" });

test("the generator writes the same bytes today", async () => {
  const path = new URL("../../fixtures/golden-bundle/generate.js", import.meta.url).href;
  const { goldenBundle } = (await import(path)) as { goldenBundle: () => { files: Map<BundleFileName, Uint8Array> } };
  const { files } = goldenBundle();
  expect(files.size).toBe(4);
  for (const [name, bytes] of files) expect(new Uint8Array(readFileSync(`${folder}/${name}`)), name).toEqual(bytes);
});

test("the estimate is the recorded one", () => {
  // To 1e-9: beyond that, engines may round exp and log differently. A larger change needs a line in CHANGELOG.md.
  expect(estimate.digest).toBe(recorded.digest);
  expect(Math.abs(estimate.score! - recorded.score!)).toBeLessThan(1e-9);
  expect(largestDifference(ends(estimate.interval!), ends(recorded.interval!))).toBeLessThan(1e-9);
  for (const [id, result] of Object.entries(estimate.scenarios)) {
    const expected = recorded.scenarios[id]!;
    expect(largestDifference(ends(result.interval!), ends(expected.interval!))).toBeLessThan(1e-9);
    expect(largestDifference(result.details!.theta, expected.details!.theta)).toBeLessThan(1e-9);
    for (const [name, score] of Object.entries(result.details!.estimators))
      expect(Math.abs(score - expected.details!.estimators[name as "p-irt"])).toBeLessThan(1e-9);
  }
  expect(estimate.warnings).toEqual(recorded.warnings);
});

test("an unasked scenario's score is the recorded one, which Python computes too", () => {
  const expected = readFixture<Estimate>("golden-bundle/unasked.json");
  const some = Object.fromEntries(Object.entries(responses).filter(([id]) => !id.startsWith("gsm#")));
  const found = estimateFromAnchors(bundle, some, { form: "12" });
  expect(found).toMatchObject({ predicted: true, warnings: expected.warnings });
  expect(found.scenarios.gsm).toMatchObject({ predicted: true, answered: 0 });
  for (const [own, recorded] of [
    [found, expected],
    [found.scenarios.gsm!, expected.scenarios.gsm!],
  ] as const) {
    expect(Math.abs(own.score! - recorded.score!)).toBeLessThan(1e-9);
    expect(largestDifference(ends(own.interval!), ends(recorded.interval!))).toBeLessThan(1e-9);
  }
});

test.each(
  readFixture<{ name: string; responses: TrialResponses; options: AnswerOptions; estimate: AnyEstimate }[]>(
    "golden-bundle/repeated.json",
  ),
)(
  "an estimate from several trials is the recorded one, which Python gives to the last bit: $name",
  ({ responses: trials, options, estimate: expected }) => {
    expectSameNumbers(estimateAnswers(bundle, trials, options), expected, 1e-9);
  },
);

const ends = ({ low, high }: { low: number; high: number }): [number, number] => [low, high];

describe("what Python reads with its own safetensors package, and computes from it", () => {
  interface Scored {
    score: number;
    interval: [number, number];
    estimators: Record<string, number>;
  }
  interface Scores<S extends Scored> {
    score: number;
    interval: [number, number];
    scenarios: Record<string, S>;
  }
  const python = readFixture<
    Scores<Scored & { theta: number[]; thetaStandardError: number[] }> & {
      tolerance: number;
      tensors: Record<string, [string, number[]]>;
      jointScores: Record<string, [number, number]>;
      full: Scores<Scored & { outside: Record<"above" | "below", number>; pattern: { brokenRun: number } }>;
    }
  >("golden-bundle/python.json");

  test("the same tensors", () => {
    const bytes = new Uint8Array(readFileSync(`${folder}/parameters.safetensors`));
    const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
    const types = { F64: "float64", F32: "float32", U32: "uint32" };
    expect(Object.fromEntries([...tensors].map(([name, { type, shape }]) => [name, [types[type], shape]]))).toEqual(
      python.tensors,
    );
  });

  test("the same scores and intervals, were they on items that the bundle doesn't have", () => {
    const lines = readFixture<Record<string, FullScoreLine>>("golden-bundle/full-scores.json");
    const scenarios = new Map(
      Array.from(bundle.scenarios, ([id, own]) => [id, { ...own, fullScore: lines[id]! }] as const),
    );
    const full = estimateFromAnchors({ ...bundle, scenarios }, responses, { form: "12" });
    expect(Math.abs(full.score! - python.full.score)).toBeLessThan(python.tolerance);
    expect(Math.abs(full.score! - estimate.score!)).toBeGreaterThan(0.01);
    expect(largestDifference(ends(full.interval!), python.full.interval)).toBeLessThan(python.tolerance);
    for (const [id, theirs] of Object.entries(python.full.scenarios)) {
      const { score, interval, details } = full.scenarios[id]!;
      expect(Math.abs(score! - theirs.score)).toBeLessThan(python.tolerance);
      expect(largestDifference(ends(interval!), theirs.interval)).toBeLessThan(python.tolerance);
      for (const side of ["above", "below"] as const)
        expect(Math.abs(details!.outside[side] - theirs.outside[side])).toBeLessThan(python.tolerance);
      expect(Math.abs(details!.pattern.brokenRun - theirs.pattern.brokenRun)).toBeLessThan(python.tolerance);
      expect(Object.keys(theirs.estimators).sort()).toEqual(Object.keys(details!.estimators).sort());
      for (const [name, value] of Object.entries(theirs.estimators))
        expect(Math.abs(details!.estimators[name as "p-irt"] - value)).toBeLessThan(python.tolerance);
    }
  });

  test("the same scores of two models together", () => {
    const other = readFixture<Record<string, number | null>>("golden-bundle/other-answers.json");
    const { scenarios } = compareFromAnchors(bundle, { responses }, { responses: other }, { form: "12" });
    for (const [id, theirs] of Object.entries(python.jointScores)) {
      const { scores, difference } = scenarios[id]!;
      expect(largestDifference([scores.a.score!, scores.b.score!], theirs)).toBeLessThan(python.tolerance);
      expect(Math.abs(difference! - (theirs[1] - theirs[0]))).toBeLessThan(python.tolerance);
    }
    expect(Object.keys(python.jointScores)).toEqual(Object.keys(scenarios));
  });

  test("the same scores, intervals, abilities and estimators", () => {
    expect(Math.abs(estimate.score! - python.score)).toBeLessThan(python.tolerance);
    expect(largestDifference(ends(estimate.interval!), python.interval)).toBeLessThan(python.tolerance);
    expect(Object.keys(python.scenarios)).toEqual(Object.keys(estimate.scenarios));
    for (const [id, theirs] of Object.entries(python.scenarios)) {
      const { score, interval, details } = estimate.scenarios[id]!;
      expect(Math.abs(score! - theirs.score)).toBeLessThan(python.tolerance);
      expect(largestDifference(ends(interval!), theirs.interval)).toBeLessThan(python.tolerance);
      expect(largestDifference(details!.theta, theirs.theta)).toBeLessThan(python.tolerance);
      expect(largestDifference(details!.thetaStandardError, theirs.thetaStandardError)).toBeLessThan(python.tolerance);
      expect(Object.keys(theirs.estimators).sort()).toEqual(Object.keys(details!.estimators).sort());
      for (const [name, value] of Object.entries(theirs.estimators))
        expect(Math.abs(details!.estimators[name as "p-irt"] - value)).toBeLessThan(python.tolerance);
    }
  });
});
