import { estimateFromAnchors, loadBundle, type Bundle, type Estimate } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import { ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { samplingVariance } from "anchoreval/internal/core/inference/sampling-variance";
import { designInterval } from "anchoreval/internal/core/inference/score-interval";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { estimateScenario } from "anchoreval/internal/core/scoring/scenario-estimate";
import { percentile } from "../../../sdk/core/inference/ranks.ts";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle, sampleContent, type SampleBundleOptions } from "../../support/sample-bundle.ts";
import { withManifest, type Loose } from "../../support/tamper.ts";

const load = (options: SampleBundleOptions = {}): Promise<Bundle> => loadBundle(memorySource(sampleBundle(options)));
const bundle = await load();
const answers = sampleAnswers("20");

describe("an estimate", () => {
  const estimate = estimateFromAnchors(bundle, answers);

  test("names the bundle, the form and how much was answered", () => {
    expect(estimate).toMatchObject({
      benchmark: "sample",
      version: "1.0.0",
      form: "20",
      digest: bundle.digest,
      answered: 40,
      of: 40,
      warnings: [{ code: "suspicious_pattern", scenario: "beta/γ" }], // they are coin flips
      reason: null,
    });
    expect(Object.keys(estimate.scenarios)).toEqual(["alpha", "beta/γ"]);
  });

  test("is core's estimate of each scenario: ability, estimators, interval", () => {
    for (const [id, scenario] of bundle.scenarios) {
      const { anchors, factors, answerFactors, itemIds } = scenario.forms.get("20")!;
      const scores = itemIds.map((item) => answers[item]!);
      const gathered = gatherItems({ bank: scenario.bank, items: anchors.items, scores })!;
      const ability = mapAbility(
        gathered.bank,
        gathered,
        scaledPrior(Float64Array.of(0, 0), Float64Array.of(1, 0, 0, 1), 2.5),
      );
      const expected = estimateScenario({ ...scenario, anchors, factors, answerFactors }, scores, ability)!;
      const result = estimate.scenarios[id]!;
      const seen = { worst: scenario.sourceScores[0]!, best: scenario.sourceScores.at(-1)!, overall: null };
      const blend = bundle.manifest.forms[1]!.scenarios[id]!;
      const { estimators, outside } = blendEstimates(expected, blend, seen);
      expect(result.details).toMatchObject({
        theta: Array.from(ability.theta),
        thetaStandardError: Array.from(ability.standardError),
        thetaStatus: "converged",
        lambda: 0.4,
        estimator: "p-irt-dr",
        estimators,
        outside,
      });
      expect(result.score).toBe(estimators["p-irt-dr"]);
      const sampling = samplingVariance(result.score!, expected.sample, expected.residuals)!;
      const { low, high } = designInterval({ score: result.score!, bounds: expected.bounds, sampling }, 0.95);
      expect(result.interval).toEqual({ low, high, level: 0.95, method: "design-based" });
      expect(result.percentile).toBe(percentile(result.score!, scenario.sourceScores));
      expect(result).toMatchObject({ exact: false, answered: 20, of: 20, answeredShare: 1, reason: null });
    }
  });

  test("survives JSON", () => {
    expect(JSON.parse(JSON.stringify(estimate))).toEqual(estimate);
  });

  test("is the same from an object, a Map, and ids in any order", () => {
    const reversed = Object.fromEntries(Object.entries(answers).reverse());
    expect(estimateFromAnchors(bundle, reversed)).toEqual(estimate);
    expect(estimateFromAnchors(bundle, new Map(Object.entries(answers)))).toEqual(estimate);
    expect(estimateFromAnchors(bundle, { ...answers })).toEqual(estimate);
  });

  test("leaves the answers and the bundle alone", () => {
    const given = Object.freeze({ ...answers });
    const before = structuredClone(bundle);
    estimateFromAnchors(bundle, given);
    expect(structuredClone(bundle)).toEqual(before);
  });
});

describe("the form's configuration", () => {
  test.each(ESTIMATORS)("the score is the estimator that the form names: %s", async (id) => {
    const named = withManifest(sampleBundle(), (manifest: Loose) => {
      for (const form of (manifest as { forms: { estimator: string }[] }).forms) form.estimator = id;
    });
    const estimate = estimateFromAnchors(await loadBundle(memorySource(named)), answers);
    for (const { score, details } of Object.values(estimate.scenarios)) {
      expect(details!.estimator).toBe(id);
      expect(score).toBe(details!.estimators[id]);
    }
  });

  test("a scenario without answers of its own has no estimate: a prediction alone isn't one", () => {
    const onlyAlpha = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith("alpha")));
    const half = estimateFromAnchors(bundle, onlyAlpha, { form: "20" });
    expect(half.scenarios["beta/γ"]).toMatchObject({ score: null, details: null, answered: 0, of: 20 });
    expect(half.scenarios["beta/γ"]!.reason).toContain("no anchor of this scenario was answered");
  });
});

describe("answers missing", () => {
  const ids = Object.keys(answers);
  const first = (count: number): Record<string, number> =>
    Object.fromEntries(ids.filter((_, i) => i % 20 < count).map((id) => [id, answers[id]!]));

  test("are told, per scenario, and the interval assumes that they are missing at random", () => {
    const estimate = estimateFromAnchors(bundle, first(17), { form: "20" });
    expect(estimate.answered).toBe(34);
    for (const scenario of Object.values(estimate.scenarios)) {
      expect(scenario).toMatchObject({ answered: 17, of: 20 });
      expect(scenario.answeredShare).toBeCloseTo(0.85, 12);
      expect(scenario.interval).not.toBeNull();
    }
    expect(estimate.warnings.map(({ code }) => code)).toEqual([
      "missing_answers",
      "missing_answers",
      "suspicious_pattern",
    ]);
    expect(estimate.warnings[0]!.message).toContain("missing at random");
  });

  test.each([
    [14, true],
    [13, false],
  ])("%i of 20 answered: an interval, %s", (count, given) => {
    const { scenarios, score, interval, reason, warnings } = estimateFromAnchors(bundle, first(count), { form: "20" });
    expect(score).not.toBeNull();
    expect(interval !== null).toBe(given);
    for (const scenario of Object.values(scenarios)) {
      expect(scenario.interval !== null).toBe(given);
      if (!given) expect(scenario.reason).toBe("only 65 % of the anchors' weight was answered, below 70 %");
    }
    expect(warnings.some(({ code }) => code === "no_interval")).toBe(!given);
    expect(reason).toBe(given ? null : "no interval for alpha, beta/γ");
  });

  test("widen the interval", () => {
    const width = (estimate: Estimate): number => estimate.interval!.high - estimate.interval!.low;
    expect(width(estimateFromAnchors(bundle, first(15), { form: "20" }))).toBeGreaterThan(
      width(estimateFromAnchors(bundle, answers)),
    );
  });

  test("null is no answer, never 0", () => {
    const nulls = Object.fromEntries(ids.map((id, i) => [id, i % 20 < 16 ? answers[id]! : null]));
    expect(estimateFromAnchors(bundle, nulls, { form: "20" })).toEqual(
      estimateFromAnchors(bundle, first(16), { form: "20" }),
    );
  });

  test("one scenario without answers: no overall score, with the reason", () => {
    const alpha = Object.fromEntries(ids.filter((id) => id.startsWith("alpha")).map((id) => [id, answers[id]!]));
    const estimate = estimateFromAnchors(bundle, alpha);
    expect(estimate).toMatchObject({
      score: null,
      interval: null,
      reason: "no estimate for beta/γ",
      answered: 20,
      of: 40,
    });
    expect(estimate.scenarios["alpha"]!.score).not.toBeNull();
  });
});

describe("every item answered", () => {
  const options: SampleBundleOptions = { items: [20, 20], sizes: [10, 20] };

  test("the score is exact, whatever the estimator, and so is the overall one", async () => {
    const whole = await load(options);
    const all = sampleAnswers("20", options);
    const estimate = estimateFromAnchors(whole, all);
    let overall = 0;
    for (const [id, result] of Object.entries(estimate.scenarios)) {
      const { weights } = whole.scenarios.get(id)!;
      const truth = weights.reduce((sum, weight, i) => sum + weight * all[`${id}/${i}`]!, 0);
      expect(result).toMatchObject({ exact: true, reason: null });
      expect(result.score).toBeCloseTo(truth, 14);
      expect(new Set(Object.values(result.details!.estimators)).size).toBe(1);
      expect(result.interval).toEqual({ low: result.score, high: result.score, level: 0.95, method: "exact" });
      overall += truth / 2;
    }
    expect(estimate.score).toBeCloseTo(overall, 14);
    expect(estimate.interval).toEqual({ low: estimate.score, high: estimate.score, level: 0.95, method: "exact" });
  });

  test("its place against the source models is known, not probable", async () => {
    const whole = await load(options);
    const ones = Object.fromEntries(Object.keys(sampleAnswers("20", options)).map((id) => [id, 1]));
    const estimate = estimateFromAnchors(whole, ones);
    for (const { range, percentile: place, details } of Object.values(estimate.scenarios)) {
      expect(range).toBe("outside");
      expect(place).toBe(1);
      expect(details!.outside).toEqual({ above: 1, below: 0 });
    }
    expect(estimate.warnings.map(({ code }) => code)).toEqual(["stronger_than_any_seen", "stronger_than_any_seen"]);
  });
});

describe("the range seen", () => {
  test.each([
    [1, "stronger_than_any_seen", "stronger than any seen"],
    [0, "weaker_than_any_seen", "weaker than any seen"],
  ] as const)("all answers %i: outside, with a warning in plain words", (score, code, words) => {
    const estimate = estimateFromAnchors(bundle, Object.fromEntries(Object.keys(answers).map((id) => [id, score])));
    for (const scenario of Object.values(estimate.scenarios)) expect(scenario.range).toBe("outside");
    expect(estimate.warnings.filter((warning) => warning.code === code)).toHaveLength(2);
    expect(estimate.warnings[0]!.message).toContain(words);
  });

  test("without measured errors, the binomial error stands in", async () => {
    const unmeasured = withManifest(sampleBundle(), (manifest: Loose) => {
      for (const form of (
        manifest as { forms: { scenarios: Record<string, { measured: { interpolation: unknown } }> }[] }
      ).forms)
        for (const scenario of Object.values(form.scenarios)) scenario.measured.interpolation = null;
    });
    const estimate = estimateFromAnchors(await loadBundle(memorySource(unmeasured)), answers);
    for (const { range, details } of Object.values(estimate.scenarios)) {
      expect(range).not.toBeNull();
      expect(details!.outside.above).toBeGreaterThan(0);
    }
  });
});

const purposive = await load({ purposive: true });

describe("purposive anchors", () => {
  const theirs = sampleAnswers("20", { purposive: true });

  test("have the errors measured on held-out models as interval", () => {
    const estimate = estimateFromAnchors(purposive, theirs);
    // The sample bundle measures 0.125 per scenario and 0.075 overall at 95 %.
    for (const { score, interval } of Object.values(estimate.scenarios)) {
      expect(interval!.method).toBe("cross-validated");
      expect(interval!.high - score!).toBeCloseTo(0.125, 12);
      expect(score! - interval!.low).toBeCloseTo(0.125, 12);
    }
    expect(estimate.interval!.high - estimate.score!).toBeCloseTo(0.075, 12);
    expect(estimate.interval!.method).toBe("cross-validated");
  });

  test("have one at the levels measured only", () => {
    expect(estimateFromAnchors(purposive, theirs, { level: 0.8 }).interval!.level).toBe(0.8);
    const { interval, scenarios } = estimateFromAnchors(purposive, theirs, { level: 0.93 });
    expect(interval).toBeNull();
    expect(scenarios["alpha"]!.reason).toContain("measured at the levels 0.5, 0.8, 0.9, 0.95, 0.99");
  });

  test("have none at a level that too few models support", () => {
    const { scenarios } = estimateFromAnchors(purposive, theirs, { level: 0.99 });
    expect(scenarios["alpha"]).toMatchObject({ interval: null });
    expect(scenarios["alpha"]!.reason).toContain("too few source models");
  });

  test("have none outside the range seen: those errors do not hold there", () => {
    const ones = Object.fromEntries(Object.keys(theirs).map((id) => [id, 1]));
    const { scenarios, interval } = estimateFromAnchors(purposive, ones);
    expect(interval).toBeNull();
    expect(scenarios["alpha"]!.reason).toContain("outside the range seen");
  });
});

describe("a part of the bundle", () => {
  test("gives the loaded scenarios, and no overall score", async () => {
    const part = await loadBundle(memorySource(sampleBundle()), { scenarios: ["beta/γ"] });
    const theirs = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith("beta")));
    const estimate = estimateFromAnchors(part, theirs);
    expect(Object.keys(estimate.scenarios)).toEqual(["beta/γ"]);
    expect(estimate).toMatchObject({ score: null, reason: "no estimate for alpha", of: 20 });
    expect(estimate.scenarios["beta/γ"]).toEqual(estimateFromAnchors(bundle, answers).scenarios["beta/γ"]);
  });
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("a scenario may be called %s", async (odd) => {
  const { manifest, scenarios } = sampleContent();
  const rename = (id: string): string => (id === "alpha" ? odd : id);
  const files = encodeBundle({
    manifest: {
      ...manifest,
      scenarios: manifest.scenarios.map((scenario) => ({ ...scenario, id: rename(scenario.id) })),
      banks: manifest.banks.map((bank) => ({ ...bank, id: rename(bank.id), scenarios: bank.scenarios.map(rename) })),
      forms: manifest.forms.map((form) => ({
        ...form,
        scenarios: Object.fromEntries(Object.entries(form.scenarios).map(([id, entry]) => [rename(id), entry])),
      })),
    },
    scenarios: scenarios.map((scenario) => ({
      ...scenario,
      anchors: scenario.anchors.map((anchor) => ({ ...anchor, scenario: rename(anchor.scenario) })),
    })),
  });
  const estimate = estimateFromAnchors(await loadBundle(memorySource(files)), answers);
  expect(Object.keys(estimate.scenarios)).toEqual([odd, "beta/γ"]);
  expect(estimate.score).toBe(estimateFromAnchors(bundle, answers).score);
  const part = await loadBundle(memorySource(files), { scenarios: ["beta/γ"] });
  const theirs = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith("beta")));
  expect(estimateFromAnchors(part, theirs)).toMatchObject({ answered: 20, of: 20, score: null });
});

describe("source models below twelve", () => {
  const cut = (sources: number): Bundle => ({
    ...bundle,
    scenarios: new Map(
      [...bundle.scenarios].map(([id, own]) => [
        id,
        { ...own, sourceScores: Float32Array.from({ length: sources }, (_, m) => (m + 0.5) / sources) },
      ]),
    ),
  });
  const said = (sources: number): string[] =>
    estimateFromAnchors(cut(sources), answers)
      .warnings.filter(({ code }) => code === "few_source_models")
      .map(({ scenario }) => scenario!);

  test("are said, in every scenario that isn't answered whole", () => {
    expect(said(11)).toEqual([...bundle.scenarios.keys()]);
    expect(said(12)).toEqual([]);
  });
});
