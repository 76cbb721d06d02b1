import { estimateFromAnchors, loadBundle, type Bundle } from "anchoreval";
import { encodeBundle, parseManifest } from "anchoreval/bundle";
import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import { answerPattern, type PatternThresholds } from "anchoreval/internal/core/person-fit/answer-pattern";
import { disorder } from "anchoreval/internal/core/person-fit/disorder";
import { answerCurves } from "anchoreval/internal/core/person-fit/statistics";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { refusal } from "../../support/refusal.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleContent } from "../../support/sample-bundle.ts";
import { resealed } from "../../support/tamper.ts";

const LAX: PatternThresholds = {
  models: 60,
  lzStar: -90,
  preknowledge: 90,
  stronger: null,
  brokenRun: 90,
  infit: 2,
  outfit: 9,
};

/** The sample bundle with these thresholds in its scenario alpha; none in beta. */
function withThresholds(pattern: PatternThresholds | null | undefined): Map<string, Uint8Array> {
  const content = sampleContent();
  const forms = content.manifest.forms.map((form) => ({
    ...form,
    scenarios: {
      ...form.scenarios,
      alpha: { ...form.scenarios["alpha"]!, ...(pattern !== undefined && { pattern }) },
    },
  }));
  return encodeBundle({ ...content, manifest: { ...content.manifest, forms } });
}

const load = (pattern?: PatternThresholds | null): Promise<Bundle> =>
  loadBundle(memorySource(withThresholds(pattern) as Parameters<typeof memorySource>[0]));
const answers = sampleAnswers("20");

test("the statistics are core's, whether or not the bundle has thresholds", async () => {
  for (const bundle of [await load(), await load(null), await load(LAX)]) {
    const { bank, forms, sourceScores } = bundle.scenarios.get("alpha")!;
    const { anchors, itemIds } = forms.get("20")!;
    const scores = itemIds.map((item) => answers[item]!);
    const gathered = gatherItems({ bank, items: anchors.items, scores })!;
    const prior = scaledPrior(Float64Array.of(0, 0), Float64Array.of(1, 0, 0, 1), 2.5);
    const ability = mapAbility(gathered.bank, gathered, prior);
    const { scenarios, warnings } = estimateFromAnchors(bundle, answers);
    const { suspicions, disorder: odd, ...pattern } = scenarios["alpha"]!.details!.pattern;
    expect(pattern).toEqual(answerPattern(bank, ability, answeredSample(anchors, scores)!, sourceScores[0]!));
    // Without, answers are judged by their disorder.
    expect(suspicions).toEqual([]);
    const checked = bundle.manifest.forms[1]!.scenarios["alpha"]!.pattern;
    const sample = answeredSample(anchors, scores)!;
    expect(odd).toEqual(checked ? undefined : disorder(sample, answerCurves(bank, ability.theta, sample)));
    expect(warnings.map(({ code, scenario }) => [code, scenario])).toContainEqual(["suspicious_pattern", "beta/γ"]);
  }
});

describe("a pattern beyond the thresholds", () => {
  test.each([
    ["memorised", { preknowledge: -90 }, "training data"],
    ["guessing", { lzStar: 90 }, "item ids"],
  ] as const)("%s is named, and a warning says what it may mean", async (name, beyond, words) => {
    const bundle = await load({ ...LAX, ...(beyond as Partial<PatternThresholds>) });
    const { warnings, scenarios } = estimateFromAnchors(bundle, answers);
    expect(scenarios["alpha"]!.details!.pattern.suspicions).toEqual([name]);
    const found = warnings.filter(({ code, scenario }) => code === "suspicious_pattern" && scenario === "alpha");
    expect(found).toHaveLength(1);
    expect(found[0]!.scenario).toBe("alpha");
    expect(found[0]!.message).toContain(words);
  });

  test("hardly anything right is a broken run", async () => {
    const none = Object.fromEntries(Object.keys(answers).map((id) => [id, 0]));
    const { warnings, scenarios } = estimateFromAnchors(await load({ ...LAX, brokenRun: 0 }), none);
    expect(scenarios["alpha"]!.details!.pattern.suspicions).toEqual(["broken"]);
    expect(warnings.find(({ code }) => code === "suspicious_pattern")!.message).toContain("outputs");
  });

  test("all of them are one warning", async () => {
    const bundle = await load({ ...LAX, preknowledge: -90, lzStar: 90 });
    const found = estimateFromAnchors(bundle, answers).warnings.filter(({ code, scenario }) => code === "suspicious_pattern" && scenario === "alpha"); // prettier-ignore
    expect(found).toHaveLength(1);
    expect(found[0]!.message).toContain("memorised, guessing");
  });

  test("has an interval that isn't narrowed by models whose patterns are others", async () => {
    const gated = (bundle: Bundle, inside: number): Bundle => ({
      ...bundle,
      manifest: {
        ...bundle.manifest,
        forms: bundle.manifest.forms.map((form) => ({
          ...form,
          estimator: "gate",
          scenarios: Object.fromEntries(
            Object.entries(form.scenarios).map(([id, own]) => [
              id,
              { ...own, tightening: { inside, outside: inside } },
            ]),
          ),
        })),
      },
    });
    const found = (bundle: Bundle, inside: number) => {
      const { score, interval } = estimateFromAnchors(gated(bundle, inside), answers).scenarios["alpha"]!;
      return { score: score!, ...interval! };
    };
    const [honest, suspicious] = [await load(LAX), await load({ ...LAX, lzStar: 90 })];
    expect(found(suspicious, 0.5)).toEqual(found(honest, 1));
    expect(found(suspicious, 0.5).method).toBe("design-based");
    expect(found(honest, 0.5).method).toBe("conformal");
    expect(found(honest, 0.5).low).toBeGreaterThan(found(honest, 1).low);
    expect(found(honest, 0.5).score).toBe(found(honest, 1).score);
  });

  test("isn't judged where too few anchors were answered", async () => {
    const bundle = await load({ ...LAX, preknowledge: -90 });
    const { itemIds } = bundle.scenarios.get("alpha")!.forms.get("20")!;
    const few = Object.fromEntries(
      Object.entries(answers).map(([id, score]) => [id, itemIds.indexOf(id) % 2 === 0 ? score : null]),
    );
    const { warnings, scenarios } = estimateFromAnchors(bundle, few, { form: "20" });
    expect(scenarios["alpha"]!.details!.pattern.suspicions).toBeNull();
    expect(warnings.map(({ code }) => code)).not.toContain("suspicious_pattern");
  });

  test("of a model stronger than any seen is judged by that kind's thresholds", async () => {
    const right = Object.fromEntries(Object.keys(answers).map((id) => [id, 1]));
    const strict = { ...LAX, preknowledge: -90 };
    const found = async (stronger: PatternThresholds["stronger"]) => {
      const { range, details } = estimateFromAnchors(await load({ ...strict, stronger }), right).scenarios["alpha"]!;
      expect(range).toBe("outside");
      return details!.pattern.suspicions;
    };
    expect(await found({ lzStar: -90, preknowledge: -90 })).toEqual(["memorised"]);
    expect(await found({ lzStar: -90, preknowledge: 90 })).toEqual([]);
    // Where none as strong was held out, it is judged by disorder: answers that are all right have none.
    expect(await found(null)).toEqual([]);
    expect(await found({ lzStar: -90, preknowledge: -90, leap: 9 })).toEqual(["memorised"]);
    expect(await found({ lzStar: -90, preknowledge: -90, leap: 0 })).toEqual([]);
  });
});

test("a manifest with a threshold that is no number is refused by name", () => {
  const bad = resealed(withThresholds(LAX).get("manifest.json")!, (text) =>
    text.replace(/"lzStar":\s*-90/, '"lzStar": "low"'),
  );
  expect(refusal(() => parseManifest(bad)).issues.map(({ path }) => path.join("."))).toEqual([
    "forms.0.scenarios.alpha.pattern.lzStar",
  ]);
});
