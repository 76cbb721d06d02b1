import { compareFromAnchors, loadBundle, rankFromAnchors, type Bundle, type Comparison } from "anchoreval";
import type { Over } from "anchoreval/internal/features/compare/sdk/types";
import { scoreOnScale } from "../../sdk/core/numeric/score-bounds.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbScore } from "../support/arbitraries.ts";
import { memorySource } from "../support/memory-source.ts";
import { sampleBundle } from "../support/sample-bundle.ts";

const bundle = await loadBundle(memorySource(sampleBundle()));
/** Every item is asked. */
const whole = await loadBundle(memorySource(sampleBundle({ items: [12, 12], sizes: [6, 12] })));

type Answers = Record<string, number | null>;

const idsOf = (of: Bundle): string[] =>
  [...of.scenarios.values()].flatMap((scenario) => scenario.forms.get(of.manifest.defaultForm)!.itemIds);

/** Answers to the default form; some missing, unless `complete`. */
function arbAnswers(of: Bundle, complete = false): fc.Arbitrary<Answers> {
  const ids = idsOf(of);
  const score = complete ? arbScore : fc.option(arbScore, { freq: 12 });
  return fc
    .array(score, { minLength: ids.length, maxLength: ids.length })
    .map((scores) => Object.fromEntries(ids.map((id, j) => [id, scores[j]!])));
}

const compare = (of: Bundle, a: Answers, b: Answers, over: Over = "tasks"): Comparison =>
  compareFromAnchors(
    of,
    { responses: a, form: of.manifest.defaultForm },
    { responses: b, form: of.manifest.defaultForm },
    { over },
  );
const shared = (a: Answers, b: Answers): boolean =>
  [...bundle.scenarios.keys()].every((scenario) =>
    Object.keys(a).some((id) => id.startsWith(scenario) && a[id] !== null && b[id] !== null),
  );
const over = fc.constantFrom<Over>("tasks", "these-answers");
const options = { numRuns: 60 };

describe("two models of any answers", () => {
  const pair = fc.tuple(arbAnswers(bundle), arbAnswers(bundle)).filter(([a, b]) => shared(a, b));

  test("turned around, everything is turned around", () => {
    fc.assert(
      fc.property(pair, over, ([a, b], said) => {
        const [one, other] = [compare(bundle, a, b, said), compare(bundle, b, a, said)];
        expect(other.difference! + one.difference!).toBeCloseTo(0, 12);
        if (one.interval === null) expect(other.interval).toBeNull();
        else {
          expect(other.interval!.low).toBeCloseTo(-one.interval.high, 10);
          expect(other.interval!.high).toBeCloseTo(-one.interval.low, 10);
          expect(other.oneSidedConfidence! + one.oneSidedConfidence!).toBeCloseTo(1, 10);
        }
        expect(other.mcnemar).toEqual({
          aHigher: one.mcnemar.bHigher,
          bHigher: one.mcnemar.aHigher,
          pValue: one.mcnemar.pValue,
        });
        const turned = { "a-better": "b-better", "b-better": "a-better" } as Record<string, string>;
        expect(other.verdict).toBe(one.verdict && (turned[one.verdict] ?? one.verdict));
      }),
      options,
    );
  });

  test("the order of the answers changes nothing", () => {
    const order = fc.shuffledSubarray(idsOf(bundle), { minLength: idsOf(bundle).length });
    fc.assert(
      fc.property(pair, order, ([a, b], ids) => {
        const shuffled = Object.fromEntries(ids.map((id) => [id, a[id]!]));
        expect(compare(bundle, shuffled, b)).toEqual(compare(bundle, a, b));
      }),
      options,
    );
  });

  test("an interval holds its difference, inside what is possible", () => {
    fc.assert(
      fc.property(pair, over, ([a, b], said) => {
        const found = compare(bundle, a, b, said);
        for (const { difference, interval, oneSidedConfidence } of [found, ...Object.values(found.scenarios)]) {
          if (interval === null || difference === null) continue;
          expect(interval.low).toBeLessThanOrEqual(difference);
          expect(interval.high).toBeGreaterThanOrEqual(difference);
          expect(interval.low).toBeGreaterThanOrEqual(-1);
          expect(interval.high).toBeLessThanOrEqual(1);
          if (said === "these-answers") expect(oneSidedConfidence! > 0.5).toBe(difference > 0);
          else if (difference <= 0) expect(oneSidedConfidence).toBeLessThanOrEqual(0.5);
          // The interval excludes 0 just where the one-sided confidence passes .975.
          if (Math.abs(oneSidedConfidence! - 0.975) > 1e-9 && interval.method === "design-based")
            expect(interval.low > 0).toBe(oneSidedConfidence! > 0.975);
        }
      }),
      options,
    );
  });
});

test("the same answers of both give 0, and an interval that holds 0 inside", () => {
  fc.assert(
    fc.property(arbAnswers(bundle, true), (answers) => {
      const found = compare(bundle, answers, answers);
      expect(found).toMatchObject({ difference: 0, oneSidedConfidence: 0.5, mcnemar: { pValue: 1 } });
      expect(found.interval!.low).toBeLessThan(0);
      expect(found.interval!.high).toBeGreaterThan(0);
    }),
    options,
  );
});

test("with every item answered, D is S_B − S_A; the interval of these answers has no width, the models' has", () => {
  const [first, second] = [...whole.scenarios.values()];
  /** The full score: one subscenario in the first scenario, two that count the same in the second. */
  const score = (answers: Answers): number => {
    const weigh = (scenario: typeof first): number =>
      scenario!.forms
        .get(whole.manifest.defaultForm)!
        .itemIds.reduce((sum, id, j) => sum + scenario!.weights[itemOf(scenario, j)]! * scoreOnScale(answers[id]!), 0);
    return (weigh(first) + weigh(second)) / 2;
  };
  const itemOf = (scenario: typeof first, j: number): number =>
    scenario!.forms.get(whole.manifest.defaultForm)!.anchors.items[j]!;
  fc.assert(
    fc.property(arbAnswers(whole, true), arbAnswers(whole, true), (a, b) => {
      const { difference, interval, verdict } = compare(whole, a, b, "these-answers");
      const models = compare(whole, a, b).interval!;
      expect(models.low).toBeLessThan(difference!);
      expect(models.high).toBeGreaterThan(difference!);
      expect(difference).toBeCloseTo(score(b) - score(a), 12);
      expect(interval).toMatchObject({ low: difference, high: difference, method: "exact" });
      expect(verdict).toBe(difference! > 0 ? "b-better" : difference! < 0 ? "a-better" : "no-difference");
    }),
    options,
  );
});

test("a rank interval of k models lies in 1 to k, and one model at least may be at every end", () => {
  fc.assert(
    fc.property(fc.array(arbAnswers(bundle, true), { minLength: 2, maxLength: 5 }), (answers) => {
      const { models } = rankFromAnchors(
        bundle,
        answers.map((responses) => ({ responses })),
      );
      for (const { rankInterval } of models) {
        expect(rankInterval!.low).toBeGreaterThanOrEqual(1);
        expect(rankInterval!.high).toBeLessThanOrEqual(answers.length);
        expect(rankInterval!.low).toBeLessThanOrEqual(rankInterval!.high);
      }
      expect(Math.min(...models.map(({ rankInterval }) => rankInterval!.low))).toBe(1);
      expect(Math.max(...models.map(({ rankInterval }) => rankInterval!.high))).toBe(answers.length);
    }),
    options,
  );
});
