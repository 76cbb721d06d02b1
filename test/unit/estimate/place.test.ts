import { compareFromAnchors, estimateFromAnchors, estimateTrials, loadBundle } from "anchoreval";
import { loadBundle as loadNamed } from "anchoreval/node";
import { LEAST_ANSWERED_SHARE } from "anchoreval/internal/core/estimators/answered-sample";
import { placeWords } from "anchoreval/internal/words/result-words";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { encodeBundle } from "anchoreval/bundle";
import { describe, expect, it, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleContent } from "../../support/sample-bundle.ts";

const gsm8k = await loadNamed("gsm8k");
const ids = gsm8k.scenarios.get("gsm8k")!.forms.get("50")!.itemIds;

describe("a place among the models seen", () => {
  it("is told by no fewer answers than an interval is", () => {
    const random = createRandom("place");
    for (let count = 1; count <= ids.length; count++) {
      const asked = random.shuffle([...ids]).slice(0, count);
      const estimate = estimateFromAnchors(gsm8k, Object.fromEntries(asked.map((id, k) => [id, k % 2])), {
        form: "50",
      });
      const result = estimate.scenarios["gsm8k"]!;
      const enough = result.answeredShare >= LEAST_ANSWERED_SHARE;
      expect({ count, placed: result.range !== null, ranked: result.percentile !== null }).toEqual({ count, placed: enough, ranked: enough }); // prettier-ignore
      if (enough) continue;
      expect(result.interval).toBeNull();
      expect(placeWords(result)).toBe("");
      expect(estimate.warnings.map(({ code }) => code).filter((code) => code.endsWith("_any_seen"))).toEqual([]);
    }
  });
});

describe("of one scenario the overall result is the scenario's", () => {
  const halves = [0, 1].map((rest) => Object.fromEntries(ids.map((id, k) => [id, Number(k % 3 === rest)])));
  const [a, b] = halves as [Record<string, number>, Record<string, number>];

  test("of answers, few or all", () => {
    for (const count of [1, 20, 36, 49, 50])
      for (const level of [0.8, 0.95]) {
        const { score, interval, reason, scenarios } = estimateFromAnchors(gsm8k, Object.fromEntries(Object.entries(a).slice(0, count)), { form: "50", level }); // prettier-ignore
        const alone = scenarios["gsm8k"]!;
        if (score !== null) expect({ score, interval, reason }).toEqual({ score: alone.score, interval: alone.interval, reason: alone.reason }); // prettier-ignore
      }
  });

  test("of trials, and of a comparison", () => {
    const trials = Object.fromEntries(ids.map((id, k) => [id, [k % 2, 1, 0]]));
    const over = estimateTrials(gsm8k, trials, { form: "50" });
    expect(over.interval).toEqual(over.scenarios["gsm8k"]!.interval);
    expect(over.trials.overall).toEqual(over.trials.scenarios["gsm8k"]);
    const pair = compareFromAnchors(gsm8k, { responses: a }, { responses: b }, { form: "50" });
    expect(pair).toMatchObject({ ...pair.scenarios["gsm8k"] });
  });

  test("also where errors were measured on held-out models, and none of the overall score", async () => {
    const { manifest, scenarios: parts } = sampleContent({ purposive: true });
    const forms = manifest.forms.map((form) => ({
      ...form,
      scenarios: { alpha: form.scenarios["alpha"]! },
      overall: null,
    }));
    const first = { ...manifest, banks: manifest.banks.slice(0, 1), scenarios: manifest.scenarios.slice(0, 1), forms };
    const alone = await loadBundle(memorySource(encodeBundle({ manifest: first, scenarios: parts.slice(0, 1) })));
    const answers = Object.fromEntries(Object.entries(sampleAnswers("20", { purposive: true })).filter(([id]) => id.startsWith("alpha/"))); // prettier-ignore
    const { interval, reason, scenarios } = estimateFromAnchors(alone, answers);
    expect(scenarios["alpha"]!.interval).not.toBeNull();
    expect({ interval, reason }).toEqual({ interval: scenarios["alpha"]!.interval, reason: null });
  });
});
