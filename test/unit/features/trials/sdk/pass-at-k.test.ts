import { estimateFromAnchors, loadBundle } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { powerMean, spreadScore } from "anchoreval/internal/features/trials/sdk/chance-spread";
import { estimatePassAtK } from "anchoreval/internal/features/trials/sdk/estimate-pass-at-k";
import { estimateTrials } from "anchoreval/internal/features/trials/sdk/estimate-trials";
import type { TrialSummary } from "anchoreval/internal/tables/item-trials";
import {
  bestOfK,
  parseTrialMetric,
  passAtK,
  passHatK,
  summariseBlocks,
  trialScore,
} from "anchoreval/internal/features/trials/sdk/pass-at-k";
import { describe, expect, it, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { refusal } from "../../../../support/refusal.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

/** All choices of k of some values. */
function choices<T>(values: readonly T[], k: number): T[][] {
  if (k === 0) return [[]];
  return values.flatMap((value, at) => choices(values.slice(at + 1), k - 1).map((rest) => [value, ...rest]));
}

const binomial = (n: number, c: number): number => choices(Array.from({ length: n }), c).length;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** A draw of a beta distribution by two gamma ones, in logarithms as both may be small. */
function betaDraw(alpha: number, beta: number, random: RandomSource): number {
  const gamma = (shape: number): number => {
    // Marsaglia & Tsang (2000), one more of the shape, and Γ(a) = Γ(a+1)·U^(1/a).
    const d = shape + 1 - 1 / 3;
    for (;;) {
      const x = random.normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(random.next()) < x ** 2 / 2 + d - d * v + d * Math.log(v))
        return Math.log(d * v) + Math.log(random.next()) / shape;
    }
  };
  const [left, right] = [gamma(alpha), gamma(beta)];
  return 1 / (1 + Math.exp(right - left));
}

describe("unbiased estimates of one item", () => {
  const N = 7;
  const counts = Array.from({ length: N + 1 }, (_, c) => c);

  it.each([1, 2, 4, 7])("have the mean 1 − (1−p)^k and p^k over all outcomes of %i trials and more", (k) => {
    for (const p of [0, 0.1, 0.5, 0.93, 1]) {
      const over = (of: (c: number) => number): number =>
        counts.reduce((sum, c) => sum + binomial(N, c) * p ** c * (1 - p) ** (N - c) * of(c), 0);
      expect(over((c) => passAtK(c, N, k))).toBeCloseTo(1 - (1 - p) ** k, 12);
      expect(over((c) => passHatK(c, N, k))).toBeCloseTo(p ** k, 12);
    }
  });

  it("are means over all choices of k trials", () => {
    const scores = [0.3, 1, 0, 0.7, 0.7, 0.2];
    for (let k = 1; k <= scores.length; k++)
      expect(bestOfK(scores, k)).toBeCloseTo(mean(choices(scores, k).map((own) => Math.max(...own))), 12);
  });

  it("are known as well as the estimate varies, from two blocks of k trials on, and at most as well as one block otherwise", () => {
    for (const kind of ["pass@", "pass^"] as const)
      for (const k of [1, 2, 3])
        for (const p of [0.1, 0.5, 0.93]) {
          const over = (value: (found: TrialSummary) => number): number =>
            counts.reduce((sum, c) => {
              const found = summariseBlocks({ passed: c, of: N }, { kind, k })!;
              return sum + binomial(N, c) * p ** c * (1 - p) ** (N - c) * value(found);
            }, 0);
          const centre = over(({ mean: own }) => own);
          const variance = over(({ mean: own }) => (own - centre) ** 2);
          expect(over((found) => found.variance / found.count)).toBeCloseTo(variance, 12);
          expect(variance).toBeLessThan(over(({ count }) => (centre * (1 - centre)) / count) + 1e-12);
        }
    expect(summariseBlocks([1, 0, 1], { kind: "pass@", k: 2 })).toMatchObject({ count: 1.5, variance: NaN });
    expect(summariseBlocks([0.2, 0.6, 1, 0.4], { kind: "best-of-", k: 2 })).toMatchObject({ count: 2, variance: NaN });
  });

  it("agree: pass@1 = pass^1 = the mean, best-of-k of 0 and 1 = pass@k, pass^k of passes = 1 − pass@k of failures", () => {
    for (const c of counts)
      for (let k = 1; k <= N; k++) {
        const list = counts.slice(1).map((j) => Number(j <= c));
        expect(bestOfK(list, k)).toBeCloseTo(passAtK(c, N, k), 12);
        expect(passHatK(c, N, k)).toBeCloseTo(1 - passAtK(N - c, N, k), 12);
        if (k > 1) expect(passAtK(c, N, k)).toBeGreaterThanOrEqual(passAtK(c, N, k - 1));
        if (k > 1) expect(passHatK(c, N, k)).toBeLessThanOrEqual(passHatK(c, N, k - 1));
        if (k === 1) expect([passAtK(c, N, 1), passHatK(c, N, 1)]).toEqual([expect.closeTo(c / N, 12), c / N]);
      }
  });

  it("leave out trials without a score, and don't care for order", () => {
    expect(trialScore([null, 1, 0, null, 1], { kind: "pass@", k: 2 })).toBe(passAtK(2, 3, 2));
    expect(trialScore({ passed: 2, of: 3 }, { kind: "pass^", k: 2 })).toBe(
      trialScore([0, 1, 1], { kind: "pass^", k: 2 }),
    );
    expect(trialScore([null], { kind: "pass@", k: 1 })).toBeNull();
  });

  test.each([
    ["more passed than tried", () => passAtK(5, 4, 1), "invalid_data"],
    ["a share of a trial", () => passHatK(1.5, 4, 1), "invalid_data"],
    ["k = 0", () => passAtK(1, 4, 0), "invalid_option"],
    ["k = 1.5", () => bestOfK([0, 1], 1.5), "invalid_option"],
    ["more trials than there are", () => passAtK(1, 4, 5), "invalid_option"],
    ["no trials", () => bestOfK([], 1), "invalid_data"],
    ["a score above 1", () => bestOfK([0, 2], 1), "invalid_data"],
    ["graded trials counted as passes", () => trialScore([0.5, 1], { kind: "pass@", k: 1 }), "invalid_data"],
    ["pass@0", () => parseTrialMetric("pass@0"), "invalid_option"],
    ["pass@x", () => parseTrialMetric("pass@x"), "invalid_option"],
    ["best-of-1.5", () => parseTrialMetric("best-of-1.5"), "invalid_option"],
  ])("refuse %s", (_, call, code) => {
    expect(refusal(call).code).toBe(code);
  });
});

describe("spreadScore", () => {
  const logits = Float64Array.from({ length: 30 }, (_, i) => (i - 14) / 5);
  const weights = new Float64Array(30).fill(1 / 30);
  const scenario = (of: number, share: (i: number) => number) => ({
    logits,
    weights,
    items: Array.from({ length: 30 }, (_, i) => i),
    mass: weights,
    passed: Array.from({ length: 30 }, (_, i) => Math.round(of * share(i))),
    of: new Array<number>(30).fill(of),
  });

  it("has powers' means of a beta distribution", () => {
    // ∫ qᵏ·q^(α−1)(1−q)^(β−1) dq / B(α, β), by the midpoint rule where both are 2 and 3.
    const steps = Array.from({ length: 20_000 }, (_, j) => (j + 0.5) / 20_000);
    for (const k of [1, 5, 40])
      expect(powerMean(2, 3, k)).toBeCloseTo(mean(steps.map((q) => 12 * q ** (k + 1) * (1 - q) ** 2)), 7);
    let exact = 1;
    for (let j = 0; j < 200; j++) exact *= (0.3 + j) / (1.7 + j);
    expect(powerMean(0.3, 1.4, 200) / exact).toBeCloseTo(1, 11);
  });

  it("comes to the plug-in with all items tried often", () => {
    const share = (i: number): number => (i % 3 === 0 ? 0 : i % 3 === 1 ? 0.25 : 1);
    const { score, variance, misfit } = spreadScore(scenario(4000, share), { need: "any", k: 4 });
    expect(score).toBeCloseTo((0 + (1 - 0.75 ** 4) + 1) / 3, 2);
    expect(Math.sqrt(variance)).toBeLessThan(0.01);
    expect(misfit).toBe(0);
  });

  it("errs by what its variance says where chances are beta distributed", () => {
    const random = createRandom("beta distributed");
    const [of, k, N] = [4, 16, 200];
    const z = Float64Array.from({ length: N }, (_, i) => (i - N / 2) / 40);
    const even = new Float64Array(N).fill(1 / N);
    const squares = Array.from({ length: 150 }, () => {
      const precision = Math.exp(0.8 + 0.9 * random.normal());
      const shift = random.normal() / 2;
      const chances = Array.from(z, (own) => betaDraw(precision / (1 + Math.exp(-own - shift)), precision / (1 + Math.exp(own + shift)), random)); // prettier-ignore
      const items = random.shuffle(Array.from({ length: N }, (_, i) => i)).slice(0, 40);
      const passed = items.map((i) => Array.from({ length: of }, () => Number(random.next() < chances[i]!)).reduce((x, y) => x + y)); // prettier-ignore
      const tried = { logits: z, weights: even, items, mass: items.map(() => 1 / 40), passed, of: items.map(() => of) };
      const { score, variance } = spreadScore(tried, { need: "any", k });
      return (score - mean(chances.map((p) => 1 - (1 - p) ** k))) ** 2 / variance;
    });
    expect(mean(squares)).toBeGreaterThan(0.75);
    expect(mean(squares)).toBeLessThan(1.3);
  });

  it("has a misfit the greater the more trials it adds, and none without", () => {
    const few = scenario(4, (i) => (i % 4) / 4);
    const misfits = [2, 4, 8, 16, 128].map((k) => spreadScore(few, { need: "any", k }).misfit);
    expect(misfits.slice(0, 2)).toEqual([0, 0]);
    expect(misfits[2]).toBeGreaterThan(0);
    expect([...misfits].sort((x, y) => x - y)).toEqual(misfits);
  });

  it("never falls in k where one pass is enough, never rises where all must", () => {
    const few = scenario(4, (i) => (i % 4) / 4);
    let [any, all] = [0, 1];
    for (const k of [1, 2, 4, 16, 128]) {
      const own = [spreadScore(few, { need: "any", k }).score, spreadScore(few, { need: "all", k }).score] as const;
      expect(own[0]).toBeGreaterThan(any);
      expect(own[1]).toBeLessThan(all);
      [any, all] = own;
    }
  });

  it("tells items that are all or nothing from those that vary", () => {
    const sure = spreadScore(
      scenario(4, (i) => i % 2),
      { need: "any", k: 16 },
    );
    const even = spreadScore(
      scenario(4, () => 0.5),
      { need: "any", k: 16 },
    );
    expect(sure.logPrecision).toBeLessThan(even.logPrecision - 1);
    expect(sure.score).toBeLessThan(even.score - 0.2);
  });
});

describe("estimatePassAtK", async () => {
  const load = (metric?: string) => {
    const content = sampleContent();
    const fit = { ...content.manifest.fit, ...(metric !== undefined && { trialMetric: metric }) };
    return loadBundle(memorySource(encodeBundle({ ...content, manifest: { ...content.manifest, fit } })));
  };
  const bundle = await load();
  const ids = Object.keys(sampleAnswers("20"));
  const lists = Object.fromEntries(ids.map((id, j) => [id, [0, 1, 2, 3].map((t) => Number((j + t) % 4 < j % 5))]));
  const counts = Object.fromEntries(
    Object.entries(lists).map(([id, own]) => [id, { passed: own.reduce((x, y) => x + y, 0), of: 4 }]),
  );

  it("says the same of lists, counts and best-of-k of passes, and has intervals about its scores", () => {
    const found = estimatePassAtK(bundle, lists, "pass@16");
    expect(estimatePassAtK(bundle, counts, "pass@16")).toEqual(found);
    expect(estimatePassAtK(bundle, counts, "best-of-16")).toEqual({ ...found, metric: "best-of-16" });
    expect(found).toMatchObject({ metric: "pass@16", basis: "spread", answered: 40, of: 40 });
    for (const { score, interval } of [found, ...Object.values(found.scenarios)]) {
      expect(interval!.low).toBeLessThan(score!);
      expect(interval!.high).toBeGreaterThan(score!);
    }
    const narrow = estimatePassAtK(bundle, lists, "pass@16", { level: 0.8 }).interval!;
    expect(narrow.high - narrow.low).toBeLessThan(found.interval!.high - found.interval!.low);
  });

  it("is the estimate of the mean for one trial, with the interval over runs", () => {
    const found = estimateTrials(bundle, lists);
    for (const metric of ["pass@1", "pass^1", "best-of-1"]) {
      const own = estimatePassAtK(bundle, lists, metric);
      expect(own.score).toBe(found.score);
      expect(own.interval).toMatchObject({ low: found.trials.overall.expected!.low });
    }
  });

  it("takes as long for counts of any size: a hostile one is no loop", () => {
    const most = Number.MAX_SAFE_INTEGER;
    for (const metric of ["pass@16", "pass^999999"]) {
      const { score } = estimatePassAtK(
        bundle,
        Object.fromEntries(ids.map((id) => [id, { passed: 5, of: most }])),
        metric,
      );
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  it("scores a bundle of the metric by unbiased estimates, and refuses fewer trials and other metrics", async () => {
    const own = await load("pass@2");
    const found = estimatePassAtK(own, lists, "pass@2");
    const scored = new Map(ids.map((id) => [id, trialScore(lists[id]!, { kind: "pass@", k: 2 })]));
    expect(found.basis).toBe("unbiased");
    expect(found.score).toBe(estimateFromAnchors(own, scored).score);
    expect(refusal(() => estimateTrials(own, lists)).code).toBe("unsupported"); // their mean is no pass@2
    const ofRun = estimateFromAnchors(own, scored).interval!;
    expect(found.interval!.high - found.interval!.low).toBeGreaterThan(ofRun.high - ofRun.low + 1e-3);
    const often = Object.fromEntries(
      ids.map((id) => [id, lists[id]!.flatMap((score) => Array<number>(200).fill(score))]),
    );
    const { high, low } = estimatePassAtK(own, often, "pass@2").interval!;
    const exact = new Map(ids.map((id) => [id, trialScore(often[id]!, { kind: "pass@", k: 2 })]));
    const alone = estimateFromAnchors(own, exact).interval!;
    expect(high - low).toBeCloseTo(alone.high - alone.low, 2);
    const few = refusal(() => estimatePassAtK(own, { ...lists, [ids[3]!]: [1] }, "pass@2"));
    expect(few).toMatchObject({ code: "invalid_answers", issues: [{ path: ["responses", ids[3]] }] });
    expect(refusal(() => estimatePassAtK(own, lists, "pass@3")).code).toBe("unsupported");
  });

  test.each([
    ["a metric that is none", lists, "accuracy", "invalid_option"],
    ["k = 0", lists, "pass@0", "invalid_option"],
    ["graded trials", { ...lists, [ids[0]!]: [0.5, 1] }, "best-of-4", "invalid_answers"],
    ["counts above their total", { ...lists, [ids[0]!]: { passed: 5, of: 4 } }, "pass@16", "invalid_answers"],
    ["trials of unknown items", { ...lists, nowhere: [1] }, "pass@16", "invalid_answers"],
  ])("refuses %s", (_, responses, metric, code) => {
    expect(refusal(() => estimatePassAtK(bundle, responses, metric)).code).toBe(code);
  });
});
