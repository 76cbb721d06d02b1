import { fileURLToPath } from "node:url";
import {
  compareFromAnchors,
  estimateFromAnchors,
  loadBundle,
  rankFromAnchors,
  type Bundle,
  type CompareOptions,
  type Comparison,
} from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { midPMcNemar } from "anchoreval/internal/core/inference/paired-difference";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { readFixture } from "../../../../support/fixture.ts";
import { memorySource } from "../../../../support/memory-source.ts";
import { followingAnswers, sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleBundle, sampleContent, type SampleBundleOptions } from "../../../../support/sample-bundle.ts";

const load = (options: SampleBundleOptions = {}): Promise<Bundle> => loadBundle(memorySource(sampleBundle(options)));
const bundle = await load();
const weak = sampleAnswers("20", {}, { accuracy: 0.4, seed: 1 });
const strong = sampleAnswers("20", {}, { accuracy: 0.9, seed: 2 });
const compare = (
  a: Record<string, number | null>,
  b: Record<string, number | null>,
  options: CompareOptions = {},
): Comparison => compareFromAnchors(bundle, { responses: a }, { responses: b }, options);
const answers = { over: "these-answers" } as const;

describe("two models", () => {
  const found = compare(weak, strong, answers);

  test("the difference is that of their scores, which are those of estimates", () => {
    const a = estimateFromAnchors(bundle, weak).score!;
    const b = estimateFromAnchors(bundle, strong).score!;
    expect(found.scores).toMatchObject({ a: { score: a }, b: { score: b } });
    expect(found.difference).toBeCloseTo(b - a, 12);
    for (const { scores, difference } of Object.values(found.scenarios))
      expect(difference).toBeCloseTo(scores.b.score! - scores.a.score!, 12);
  });

  test("B is better: interval, confidence, McNemar and verdict agree", () => {
    expect(found.verdict).toBe("b-better");
    expect(found.interval).toMatchObject({ level: 0.95, method: "design-based" });
    expect(found.interval!.low).toBeGreaterThan(0);
    expect(found.oneSidedConfidence).toBeGreaterThan(0.975);
    const pairs = Object.keys(weak).map((id) => strong[id]! - weak[id]!);
    const [aHigher, bHigher] = [pairs.filter((gap) => gap < 0).length, pairs.filter((gap) => gap > 0).length];
    expect(found.mcnemar).toEqual({ aHigher, bHigher, pValue: midPMcNemar(aHigher, bHigher) });
    expect(found).toMatchObject({ answered: 40, of: 40, moreItems: null, names: { a: "A", b: "B" }, margin: 0 });
  });

  test("the overall variance is that of its scenarios", () => {
    const half = ({ low, high }: { low: number; high: number }): number => (high - low) / 2;
    const degrees = (2 * 19 ** 2) / 56 + 2;
    const variances = Object.values(found.scenarios).map(
      ({ interval }) => (half(interval!) / studentTQuantile(0.975, degrees)) ** 2,
    );
    const sum = variances.reduce((total, variance) => total + variance / 4, 0);
    const overall = sum ** 2 / variances.reduce((total, variance) => total + (variance / 4) ** 2 / degrees, 0);
    expect(half(found.interval!)).toBeCloseTo(studentTQuantile(0.975, overall) * Math.sqrt(sum), 8);
  });

  test("pairing pays: the interval is narrower than that of two models who answered by themselves", () => {
    const like = { ...strong };
    for (const id of Object.keys(like).slice(0, 4)) like[id] = 1 - like[id]!;
    const near = compare(strong, like, answers);
    const { interval } = near;
    const alone = [strong, like].map((answers) => {
      const own = estimateFromAnchors(bundle, answers).interval!;
      return (own.high - own.low) / 2;
    });
    expect((interval!.high - interval!.low) / 2).toBeLessThan(0.8 * Math.hypot(...alone));
  });
});

describe("verdicts against a margin", () => {
  const near = { ...strong };
  const flipped = Object.keys(near).find((id) => near[id] === 1)!;
  near[flipped] = 0;

  test("inside a wide margin there is no difference that matters", () => {
    expect(compare(strong, near, { margin: 0.3 }).verdict).toBe("no-difference");
    expect(compare(weak, strong, { margin: 0.9 }).verdict).toBe("no-difference");
  });

  test("better is better by more than the margin", () => {
    const { interval } = compare(weak, strong);
    expect(compare(weak, strong, { margin: interval!.low - 1e-6 }).verdict).toBe("b-better");
    expect(compare(weak, strong, { margin: interval!.low + 1e-6 }).verdict).toBe("undecided");
    expect(compare(strong, weak, { margin: interval!.low - 1e-6 }).verdict).toBe("a-better");
  });

  test("where it can't tell, it says how many items more would, and at those the interval would just exclude 0", () => {
    const found = compare(strong, near, answers);
    expect(found.verdict).toBe("undecided");
    expect(found.moreItems).toBeGreaterThan(0);
    expect(found.moreItems).toBeLessThanOrEqual(60);
    // Nothing but every item tells two equal scores apart.
    expect(compare(strong, strong, answers)).toMatchObject({ difference: 0, verdict: "undecided", moreItems: 60 });
  });

  test("of models even all items may not tell, and then it says so", () => {
    expect(compare(strong, near)).toMatchObject({ over: "tasks", verdict: "undecided", moreItems: null });
    const better = {
      ...strong,
      ...Object.fromEntries(
        Object.keys(strong)
          .slice(0, 14)
          .map((id) => [id, 0]),
      ),
    };
    const { verdict, moreItems, difference } = compare(better, strong);
    expect({ verdict, ahead: difference! > 0 }).toEqual({ verdict: "b-better", ahead: true });
    expect(moreItems).toBeNull();
  });
});

describe("only items that both answered count", () => {
  const [first, second, third] = Object.keys(weak) as [string, string, string];

  test("the others' answers change nothing, and the counts say so", () => {
    const some = (own: Record<string, number>, drop: string): Record<string, number | null> => ({
      ...own,
      [drop]: null,
    });
    const found = compare(some(weak, first), some(strong, second), { form: "20" });
    expect(found).toMatchObject({ answered: 38, of: 40 });
    const changed = { ...weak, [second]: 1 - weak[second]! };
    expect(compare(some(changed, first), some(strong, second), { form: "20" })).toEqual(found);
    expect(compare(some(weak, third), strong, { form: "20" }).answered).toBe(39);
  });

  test("with too few in common there is no interval and no verdict, but the scores and the test", () => {
    const few = Object.fromEntries(Object.entries(weak).filter((_, k) => k % 2 === 0));
    const found = compareFromAnchors(bundle, { responses: few, form: "20" }, { responses: strong });
    expect(found).toMatchObject({ interval: null, verdict: null, oneSidedConfidence: null, moreItems: null });
    expect(found.reason).toContain("no interval for alpha");
    expect(Object.values(found.scenarios)[0]!.reason).toMatch(
      /both answered only \d+ % of the anchors' weight, below 70 %/,
    );
    expect(found.difference).toBeGreaterThan(0);
    expect(found.mcnemar.pValue).toBeLessThan(1);
  });

  test("a scenario that one of them skipped leaves no overall difference", () => {
    const alpha = Object.fromEntries(Object.entries(weak).filter(([id]) => id.startsWith("alpha")));
    const found = compareFromAnchors(bundle, { responses: alpha, form: "20" }, { responses: strong });
    expect(found).toMatchObject({ difference: null, interval: null, verdict: null });
    expect(found.reason).toBe("no difference for beta/γ");
    expect(found.scenarios["alpha"]!.interval).not.toBeNull();
    expect(found.scenarios["beta/γ"]).toMatchObject({ difference: null, answered: 0, of: 20 });
  });
});

test("a purposive form has scores and McNemar's test, no interval, and says why", async () => {
  const purposive = await load({ purposive: true });
  const found = compareFromAnchors(purposive, { responses: weak }, { responses: strong });
  expect(found).toMatchObject({ interval: null, oneSidedConfidence: null, verdict: null, moreItems: null });
  expect(found.scenarios["alpha"]!.reason).toContain("chosen, not drawn");
  expect(found.difference).toBeCloseTo(found.scores.b.score! - found.scores.a.score!, 14);
  expect(found.mcnemar.pValue).toBeLessThan(0.01);
});

test("with every item asked the difference is exact", async () => {
  const whole: SampleBundleOptions = { items: [20, 30], sizes: [8, 20] }; // every item of alpha
  const small = await load(whole);
  const [a, b] = [1, 2].map((seed) => sampleAnswers("20", whole, { accuracy: 0.3 * seed, seed })) as [
    Record<string, number>,
    Record<string, number>,
  ];
  const found = compareFromAnchors(small, { responses: a }, { responses: b }, answers);
  const mean = (own: Record<string, number>): number =>
    Object.entries(own)
      .filter(([id]) => id.startsWith("alpha"))
      .reduce((sum, [, score]) => sum + score / 20, 0);
  const { alpha } = found.scenarios;
  expect(alpha!.difference).toBeCloseTo(mean(b) - mean(a), 14);
  expect(alpha!.interval).toMatchObject({ low: alpha!.difference, high: alpha!.difference, method: "exact" });
  expect(alpha!.oneSidedConfidence).toBe(alpha!.difference! > 0 ? 1 : 0);
  expect(found.interval!.method).toBe("design-based");
});

test("warnings name the model", () => {
  const right = Object.fromEntries(Object.keys(weak).map((id) => [id, 1]));
  const { warnings } = compareFromAnchors(bundle, { responses: right, name: "new" }, { responses: weak, name: "old" });
  expect(warnings.map(({ message }) => message).join("\n")).toMatch(/new: .*stronger than any seen/);
  expect(warnings.some(({ code }) => code === "missing_answers")).toBe(false);
});

describe("forms whose score is the gate", () => {
  const folder = fileURLToPath(new URL("../../../../fixtures/golden-bundle/bundle", import.meta.url));
  const golden = readFixture<Record<string, number | null>>("golden-bundle/answers.json");
  const other = Object.fromEntries(
    Object.entries(golden).map(([id, score], k) => [id, score !== null && k % 3 === 0 ? 1 - score : score]),
  );
  const compared = async (a: typeof golden, b: typeof golden) => {
    const gated = await loadBundle(folderSource(folder));
    const { interval, ...found } = compareFromAnchors(gated, { responses: a }, { responses: b }, { form: "12", ...answers }); // prettier-ignore
    return { ...found, interval: interval! };
  };

  test("differ by what the scores beside the difference differ by", async () => {
    const { difference, scores, scenarios } = await compared(golden, other);
    for (const own of [{ difference, scores }, ...Object.values(scenarios)])
      expect(own.difference).toBeCloseTo(own.scores.b.score! - own.scores.a.score!, 14);
  });

  test("turned around, the interval is mirrored; a model beside itself is in the middle of it", async () => {
    const [there, back] = [await compared(golden, other), await compared(other, golden)];
    expect(back.interval.low).toBeCloseTo(-there.interval.high, 12);
    expect(back.interval.high).toBeCloseTo(-there.interval.low, 12);
    const same = await compared(golden, golden);
    expect(same.difference).toBe(0);
    expect(same.interval.low).toBeCloseTo(-same.interval.high, 12);
    expect(same.interval.high).toBeLessThan((there.interval.high - there.interval.low) / 2);
  });
});

describe("where held-out pairs of models have told how", () => {
  const { manifest, ...content } = sampleContent();
  const forms = manifest.forms.map((form) => ({ ...form, estimator: "gate" as const }));
  const pairs = { shrinkage: 0.7, tightening: 0.9, inflation: 1.1 };
  const told = (figures: object): Promise<Bundle> =>
    loadBundle(
      memorySource(
        encodeBundle({ ...content, manifest: { ...manifest, forms: forms.map((form) => ({ ...form, ...figures })) } }),
      ),
    );
  const near = sampleAnswers("20", {}, { accuracy: 0.5, seed: 3 });
  const compareOn = (own: Bundle): Comparison =>
    compareFromAnchors(own, { responses: weak }, { responses: near }, answers);

  test("scores are estimated together: their mean is that of estimates, and their difference what is said", async () => {
    const own = await told({ pairs });
    const found = compareOn(own);
    const alone = [weak, near].map((responses) => estimateFromAnchors(own, responses).score!);
    expect(found.subtraction).toBeCloseTo(alone[1]! - alone[0]!, 12);
    expect(found.scores.a.score! + found.scores.b.score!).toBeCloseTo(alone[0]! + alone[1]!, 10);
    expect(found.difference).toBeCloseTo(found.scores.b.score! - found.scores.a.score!, 12);
    expect(Math.abs(found.difference!)).toBeLessThan(Math.abs(found.subtraction!));
    for (const { difference, subtraction, scores } of Object.values(found.scenarios)) {
      expect(difference).toBeCloseTo(scores.b.score! - scores.a.score!, 12);
      expect(Math.sign(difference!)).toBe(Math.sign(subtraction!));
      for (const { score, interval } of [scores.a, scores.b]) {
        expect(interval!.low).toBeLessThanOrEqual(score!);
        expect(interval!.high).toBeGreaterThanOrEqual(score!);
      }
    }
  });

  test("intervals are τ times as wide, overall κ times; without them as the draw makes them", async () => {
    const width = ({ interval }: { readonly interval: Comparison["interval"] }): number =>
      interval!.high - interval!.low;
    const following = [{ responses: followingAnswers("20", 0.4) }, { responses: followingAnswers("20", 0.6) }] as const;
    const [one, half, plain] = await Promise.all(
      [{ pairs }, { pairs: { ...pairs, tightening: 0.45, inflation: 2.2 } }, {}].map(async (figures) =>
        compareFromAnchors(await told(figures), ...following, answers),
      ),
    );
    for (const id of Object.keys(one!.scenarios))
      expect(width(half!.scenarios[id]!) / width(one!.scenarios[id]!)).toBeCloseTo(0.5, 1);
    expect(width(half!) / width(one!)).toBeCloseTo(1, 1);
    expect(plain!.difference).toBeCloseTo(plain!.subtraction!, 14);
  });

  test("a ranking's places follow the same differences", async () => {
    const own = await told({ pairs });
    const { models } = rankFromAnchors(own, [
      { name: "weak", responses: weak },
      { name: "strong", responses: strong },
    ]);
    expect(models.map(({ name, rankInterval }) => [name, rankInterval!.low])).toEqual([
      ["strong", 1],
      ["weak", 2],
    ]);
  });
});
