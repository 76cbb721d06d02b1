import { estimate, estimateFromAnchors, loadBundle } from "anchoreval";
import { bundleFiles } from "anchoreval-trainer";
import { withPart } from "anchoreval/internal/core/bundle/part";
import { type KnownLine, knownScoresPart } from "anchoreval/internal/features/known-scores/core";
import { predictScore } from "anchoreval/internal/features/known-scores/sdk/with-known-score";
import { describe, expect, it } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { refusal } from "../../../../support/refusal.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

const LINE: KnownLine = { models: 30, intercept: 0, slope: 1, deviation: 0.3, mean: 0, spread: 25 };
const answers = sampleAnswers("20");

async function bundleWith(lines: Readonly<Record<string, KnownLine>>) {
  const content = sampleContent();
  const scenario = content.manifest.scenarios[0]!.id;
  const noted = Object.fromEntries(
    Object.entries(lines).map(([name, line]) => [name, { overall: line, scenarios: { [scenario]: line } }]),
  );
  const manifest = withPart(content.manifest, knownScoresPart, noted);
  return { scenario, bundle: await loadBundle(memorySource(bundleFiles({ content: { ...content, manifest } }))) };
}

const { bundle, scenario } = await bundleWith({ elsewhere: LINE, vague: { ...LINE, deviation: 2 } });
const alone = estimateFromAnchors(bundle, answers);
const overallBy = (knownScores: Record<string, number>, options = {}) =>
  estimate(bundle, answers, { knownScores, ...options }).withKnownScores!.overall!;

describe("scores with known ones", () => {
  it("stand beside the same estimate, where a line is known", () => {
    const { withKnownScores, ...rest } = estimate(bundle, answers, { knownScores: { elsewhere: 0.6 } });
    expect(rest).toEqual(alone);
    expect(withKnownScores!.scenarios[scenario]).not.toBeNull();
    expect(Object.values(withKnownScores!.scenarios).filter((one) => one === null).length).toBe(
      Object.keys(alone.scenarios).length - 1,
    );
    expect(estimate(bundle, answers)).not.toHaveProperty("withKnownScores");
  });

  it("lie between the answers' and what the known score says, the surer the narrower", () => {
    const [low, high] = [alone.score! - 0.05, alone.score! + 0.05];
    for (const known of [low, high]) {
      const both = overallBy({ elsewhere: known });
      expect(both.status).toBe("combined");
      expect((both.score - alone.score!) * (known - alone.score!)).toBeGreaterThan(0);
      expect(both.score).toBeCloseTo((1 - both.share) * alone.score! + both.share * both.predicted, 12);
      expect(both.interval.high - both.interval.low).toBeLessThan(alone.interval!.high - alone.interval!.low);
      expect(both.interval.low).toBeLessThanOrEqual(both.score);
      expect(both.interval.high).toBeGreaterThanOrEqual(both.score);
    }
    expect(overallBy({ vague: high }).share).toBeLessThan(overallBy({ elsewhere: high }).share);
  });

  it("go by the one of several that leaves the least open", () => {
    const both = overallBy({ vague: 0.4, elsewhere: 0.6 });
    expect(both).toEqual(overallBy({ elsewhere: 0.6 }));
    expect(both.by).toBe("elsewhere");
  });

  it("are the answers' alone where these contradict the known score", async () => {
    const sure = await bundleWith({ elsewhere: { ...LINE, deviation: 0.02 } });
    const far = alone.score! > 0.5 ? 0.02 : 0.98;
    const { withKnownScores } = estimate(sure.bundle, answers, { knownScores: { elsewhere: far } });
    expect(withKnownScores!.overall).toMatchObject({ score: alone.score, status: "contradicted", share: 0 });
    const { low, high } = withKnownScores!.overall!.interval;
    expect({ low, high }).toEqual({ low: alone.interval!.low, high: alone.interval!.high });
  });

  it("widen where both say something else, and beyond what source models were known of", () => {
    const widthAt = (known: number): number => {
      const { low, high } = overallBy({ elsewhere: known }).interval;
      return high - low;
    };
    expect(widthAt(alone.score! + 0.3)).toBeGreaterThan(widthAt(alone.score!));
    const near = predictScore({ ...LINE, mean: 0 }, 0.5).deviation;
    expect(predictScore({ ...LINE, mean: 4 }, 0.5).deviation).toBeGreaterThan(1.2 * near);
  });
});

describe("knownScores", () => {
  it.each([
    [{ other: 0.5 }, 'no score on other is known of the bundle\'s models: there is "elsewhere", "vague"'],
    [{ elsewhere: 87 }, "a known score is a fraction in [0,1]; got 87 for elsewhere"],
    [{ elsewhere: NaN }, "a known score is a fraction in [0,1]; got NaN"],
    [{}, 'are a score by benchmark: "elsewhere", "vague"'],
    [null, 'are a score by benchmark: "elsewhere", "vague"'],
    [{ __proto__: 0.5, constructor: 0.5 }, "no score on constructor is known"],
  ])("%j is refused: %s", (knownScores, message) => {
    const refused = refusal(() => estimate(bundle, answers, { knownScores: knownScores as Record<string, number> }));
    expect(refused.code).toBe("invalid_option");
    expect(refused.message).toContain(message);
  });

  it("is refused by a bundle that has no lines", async () => {
    const plain = await loadBundle(memorySource(bundleFiles({ content: sampleContent() })));
    const refused = refusal(() => estimate(plain, answers, { knownScores: { elsewhere: 0.5 } }));
    expect(refused.message).toContain(
      "a known score needs a bundle that was fitted with its models' scores on other benchmarks",
    );
  });
});
