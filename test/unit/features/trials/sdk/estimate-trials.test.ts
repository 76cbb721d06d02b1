import { type Estimate, estimateFromAnchors, type Interval, loadBundle } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  estimateTrials,
  type TrialEstimate,
  type TrialOptions,
} from "anchoreval/internal/features/trials/sdk/estimate-trials";
import type { ItemTrials, TrialResponses } from "anchoreval/internal/tables/item-trials";
import { describe, expect, it, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { followingAnswers, sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleContent, type SampleBundleOptions } from "../../../../support/sample-bundle.ts";

/** The sample bundle, where `trials` is given with variance components of as many trials a cell. */
function bundleOf(options: SampleBundleOptions = {}, trials?: number) {
  const content = sampleContent(options);
  const own = { model: 0.02, item: 0.04, modelItem: 0.06, trial: 0.12, trials: trials ?? 1, repeated: 900 };
  const noted = { ...content.manifest.fit, varianceComponents: { alpha: own, "beta/γ": own } };
  const manifest = trials === undefined ? content.manifest : { ...content.manifest, fit: noted };
  return loadBundle(memorySource(encodeBundle({ ...content, manifest })));
}

const bundle = await bundleOf();
const ids = Object.keys(sampleAnswers("20"));

/** So many trials of every anchor, each item with a chance of its own, even over (0,1). */
function drawTrials(count: number, seed = 1): Record<string, number[]> {
  const random = createRandom(seed);
  return Object.fromEntries(
    ids.map((id) => {
      const chance = random.next();
      return [id, Array.from({ length: count }, () => Number(random.next() < chance))];
    }),
  );
}

const meansOf = (trials: Readonly<Record<string, readonly number[]>>): Record<string, number> =>
  Object.fromEntries(Object.entries(trials).map(([id, own]) => [id, own.reduce((x, y) => x + y, 0) / own.length]));

const holds = (outer: Interval | null, inner: Interval | null): boolean =>
  outer!.low <= inner!.low && outer!.high >= inner!.high;

/** All scores' intervals: the overall score's, then the scenarios'. */
const everyInterval = ({ trials }: TrialEstimate) => [trials.overall, ...Object.values(trials.scenarios)];

describe("estimateTrials", () => {
  const trials = drawTrials(3);
  const found = estimateTrials(bundle, trials);

  it("is the estimate from the items' means, with the run's interval as its own", () => {
    const { trials: over, ...estimate } = found;
    expect(estimate).toEqual(estimateFromAnchors(bundle, meansOf(trials)));
    expect(over.overall.run).toEqual(estimate.interval);
    for (const [id, { run }] of Object.entries(over.scenarios)) expect(run).toEqual(estimate.scenarios[id]!.interval);
    expect(over.count).toBe(120);
    expect(over.perItem).toBeCloseTo(3, 12);
  });

  it("has intervals that hold the narrower question's", () => {
    for (const own of everyInterval(found)) {
      expect(own.basis).toBe("trials");
      expect(own.runDeviation).toBeGreaterThan(0.005);
      expect(holds(own.expected, own.run)).toBe(true);
      expect(own.expected!.high - own.expected!.low).toBeGreaterThan(own.run!.high - own.run!.low);
      expect(holds(own.tasks, own.expected)).toBe(true);
    }
  });

  it("doesn't hang on the order of trials and items, nor on whether they are lists or counts", () => {
    const turned = Object.fromEntries(
      Object.entries(trials)
        .reverse()
        .map(([id, own]) => [id, [...own].reverse()]),
    );
    const counts = new Map(
      Object.entries(trials).map(([id, own]) => [id, { passed: own.filter((y) => y === 1).length, of: own.length }]),
    );
    for (const same of [estimateTrials(bundle, turned), estimateTrials(bundle, counts)]) {
      expect(same.score).toBeCloseTo(found.score!, 12);
      everyInterval(same).forEach((own, k) => {
        const other = everyInterval(found)[k]!;
        expect(own.runDeviation).toBeCloseTo(other.runDeviation!, 12);
        for (const name of ["run", "expected", "tasks"] as const)
          for (const end of ["low", "high"] as const) expect(own[name]![end]).toBeCloseTo(other[name]![end], 12);
      });
    }
  });

  it("leaves missing trials out, and never counts them as wrong", () => {
    const [id] = ids as [string];
    const some = estimateTrials(bundle, { ...trials, [id]: [null, 1, null, 1] });
    const same = estimateTrials(bundle, { ...trials, [id]: [1, 1] });
    expect(some).toEqual(same);
    const none = estimateTrials(bundle, { ...trials, [id]: [null, null] });
    expect(none.answered).toBe(39);
    expect(none.trials.count).toBe(117);
  });

  it("comes down to the run's interval as trials grow without end", () => {
    const many = Object.fromEntries(ids.map((id, k) => [id, { passed: 1e9 * ((k % 4) + 1), of: 5e9 }]));
    for (const { run, expected, runDeviation } of everyInterval(estimateTrials(bundle, many))) {
      expect(runDeviation).toBeLessThan(1e-5);
      expect(expected!.low).toBeCloseTo(run!.low, 6);
      expect(expected!.high).toBeCloseTo(run!.high, 6);
    }
  });

  it("knows the noise of single answers by the bundle's components, else how large it can be", async () => {
    const single = drawTrials(1);
    const [bound, known] = [bundle, await bundleOf({}, 1)].map((own) => estimateTrials(own, single).trials.overall);
    expect([bound!.basis, known!.basis]).toEqual(["bound", "components"]);
    // ρ = .12/(.06 + .12)
    expect(known!.runDeviation).toBeCloseTo(Math.sqrt(2 / 3) * bound!.runDeviation!, 12);
    expect(estimateTrials(bundle, meansOf(single))).toEqual(estimateTrials(bundle, single));
  });

  it("has the noise of a run right on the mean, by the draw of anchors and answers", async () => {
    // All items are the anchors: what is left is Σw²p(1−p)/R alone.
    const whole = await bundleOf({ items: [30, 30], sizes: [8, 30] });
    const items = [...whole.scenarios.values()].flatMap(({ forms }) => forms.get("30")!.itemIds);
    const random = createRandom(5);
    const chances = items.map(() => random.next());
    const drawn = Array.from({ length: 300 }, () => {
      const answers = items.map((id, k): [string, number[]] => [
        id,
        Array.from({ length: 4 }, () => Number(random.next() < chances[k]!)),
      ]);
      return estimateTrials(whole, new Map(answers), { form: "30" });
    });
    // β/γ's items have other weights, but alpha's count the same.
    const alpha = drawn.map(({ trials: { scenarios } }) => scenarios["alpha"]!.runDeviation! ** 2);
    const own = chances.slice(0, 30).reduce((sum, p) => sum + (p * (1 - p)) / 30 ** 2 / 4, 0);
    const mean = alpha.reduce((sum, one) => sum + one, 0) / alpha.length;
    expect(mean / own).toBeGreaterThan(0.95);
    expect(mean / own).toBeLessThan(1.05);
    for (const { trials } of drawn.slice(0, 20)) {
      expect(trials.overall.run!.method).toBe("exact");
      expect(trials.overall.run!.low).toBe(trials.overall.run!.high);
      expect(trials.overall.expected!.high - trials.overall.expected!.low).toBeGreaterThan(0.1);
    }
  });

  it("isn't narrowed by what was measured of models that were tried more often", async () => {
    const content = sampleContent();
    const tight = { inside: 0.5, outside: 0.5 };
    const forms = content.manifest.forms.map((form) => ({
      ...form,
      estimator: "gate" as const,
      scenarios: Object.fromEntries(
        Object.entries(form.scenarios).map(([id, own]) => [id, { ...own, tightening: tight }]),
      ),
    }));
    const own = { model: 0.02, item: 0.04, modelItem: 0.06, trial: 0.12, repeated: 900 };
    const of = (trials: number) => {
      const varianceComponents = { alpha: { ...own, trials }, "beta/γ": { ...own, trials } };
      const manifest = { ...content.manifest, forms, fit: { varianceComponents } };
      return loadBundle(memorySource(encodeBundle({ ...content, manifest })));
    };
    const single = Object.fromEntries(Object.entries(followingAnswers("20", 0.6)).map(([id, score]) => [id, [score]]));
    const width = ({ interval }: Pick<Estimate, "interval">): number => interval!.high - interval!.low;
    const alike = await of(1);
    const measured = estimateTrials(alike, single);
    expect(width(measured)).toBe(width(estimateFromAnchors(alike, meansOf(single))));
    const noisier = estimateTrials(await of(5), single);
    expect(width(noisier)).toBeGreaterThan(1.1 * width(measured));
    expect(noisier.trials.overall.run).toEqual(noisier.interval);
    expect(measured.warnings.map(({ code }) => code)).not.toContain("other_trials");
    expect(noisier.warnings.at(-1)!.message).toContain("the source models were tried 5 times an item, this model once");
  });

  it("widens measured errors of purposive anchors by the noise", async () => {
    const purposive = await bundleOf({ purposive: true });
    const { run, expected, runDeviation } = estimateTrials(purposive, trials).trials.scenarios["alpha"]!;
    const half = ({ low, high }: Interval): number => (high - low) / 2;
    expect(run!.method).toBe("cross-validated");
    expect(half(expected!)).toBeCloseTo(Math.hypot(half(run!), 1.959964 * runDeviation!), 6);
  });

  it("counts the items' own spread once where sources are few: a run's variance has it", async () => {
    const content = sampleContent();
    const scenarios = content.scenarios.map((own) => ({ ...own, sourceScores: own.sourceScores.slice(0, 8) }));
    const few = await loadBundle(memorySource(encodeBundle({ ...content, scenarios })));
    const { warnings, trials: over } = estimateTrials(few, trials);
    expect(warnings.map(({ code }) => code)).toContain("few_source_models");
    for (const { run, expected, tasks } of [over.overall, ...Object.values(over.scenarios)]) {
      // Of as many items out of infinitely many, whose scores are means of three trials.
      expect(holds(expected, run)).toBe(true);
      expect(holds(tasks, expected)).toBe(true);
      expect(tasks!.high - tasks!.low).toBeLessThan(1.1 * (run!.high - run!.low));
    }
  });

  it("has no interval over runs where the run's score has none", () => {
    const few = Object.fromEntries(Object.entries(trials).slice(0, 5));
    const { overall, scenarios } = estimateTrials(bundle, few, { form: "20" }).trials;
    expect(overall).toEqual({ run: null, expected: null, tasks: null, runDeviation: null, basis: null });
    expect(scenarios["beta/γ"]!.expected).toBeNull();
    expect(scenarios["alpha"]!.expected).toBeNull();
  });
});

const bad: [string, unknown, TrialOptions, string][] = [
  ["an empty list", [], {}, "this has none"],
  ["a score above 1", [0, 1.5], {}, "trial 2 must be a score in [0,1], or null for none, got 1.5"],
  ["a score that is none", [NaN], {}, "trial 1 must be a score"],
  ["text among the trials", [1, "right"], {}, "trial 2 must be a score"],
  ["counts above their total", { passed: 6, of: 5 }, {}, "from 0 to the 5 trials that there are, got 6"],
  ["negative counts", { passed: -1, of: 5 }, {}, "got -1"],
  ["counts that are no whole numbers", { passed: 1.5, of: 5 }, {}, "both whole numbers"],
  ["no trials at all", { passed: 0, of: 0 }, {}, "at least 1, got 0"],
  ["counts with a field more", { passed: 1, of: 5, failed: 3 }, {}, "both whole numbers"],
  ["text in place of a score", "1", {}, "a score must be in [0,1]"],
];

describe("trials are refused as a whole, with the item", () => {
  test.each(bad)("%s", (_, value, options, fragment) => {
    const [id] = ids as [string];
    const answers = { ...drawTrials(2), [id]: value } as Readonly<Record<string, ItemTrials>>;
    expectRefusal(
      refusal(() => estimateTrials(bundle, answers, options)),
      "invalid_answers",
      fragment,
    );
  });

  test("trials of an unknown item", () => {
    const answers = { ...drawTrials(2), nope: [1, 0] };
    expectRefusal(
      refusal(() => estimateTrials(bundle, answers)),
      "invalid_answers",
      "nope is no anchor",
    );
  });

  test("a list in place of answers by item", () => {
    expectRefusal(
      refusal(() => estimateTrials(bundle, [[1, 0]] as unknown as TrialResponses)),
      "invalid_answers",
      "item id → score or trials",
    );
  });
});
