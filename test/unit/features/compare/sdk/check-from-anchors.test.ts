import {
  checkFromAnchors,
  compareFromAnchors,
  estimateFromAnchors,
  loadBundle,
  type AnchorEvalErrorCode,
  type CheckOptions,
  type Comparison,
} from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const bundle = await loadBundle(memorySource(sampleBundle({ items: [400, 600], sizes: [8, 100] })));
const ids = [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get("100")!.itemIds);
const chances = new Map(ids.map((id, k) => [id, k % 10 === 0 ? 0.5 : Number(k % 3 > 0)]));
const random = createRandom("nights");

/** A run: one item in ten is answered anew every time, with a chance that the model keeps a share of. */
function night(kept = 1): { responses: Record<string, number> } {
  return { responses: Object.fromEntries(ids.map((id) => [id, Number(random.next() < kept * chances.get(id)!)])) };
}

describe("a drop", () => {
  test("is the comparison's difference over tasks, turned, with its bounds at the confidence of each", () => {
    const [before, now] = [night(), night(0.9)];
    const check = checkFromAnchors(bundle, now, { baselines: [before], alarmsPerYear: 10 });
    const drop = check.drop!;
    const bounds = (oneSided: number): NonNullable<Comparison["interval"]> =>
      compareFromAnchors(bundle, before, now, { level: 2 * oneSided - 1 }).interval!;
    expect(drop.drop).toBeCloseTo(-compareFromAnchors(bundle, before, now).difference!, 12);
    expect(check.alarms).toEqual({ perYear: 10, runsPerYear: 365, probability: 10 / 365 });
    expect(drop.low).toBeCloseTo(-bounds(1 - 10 / 365).high, 12);
    expect(drop.high).toBeCloseTo(-bounds(0.95).low, 12);
    // of a model that didn't change, fewer alarms than are allowed of one that dropped by what is allowed
    expect(drop.alarmsWithoutChange).toBeGreaterThan(0);
    expect(drop.alarmsWithoutChange).toBeLessThan(10);
    expect(drop.found).toBeGreaterThan(drop.maxDrop + drop.drop! - drop.low!);
  });

  test("of too few items to raise an alarm at all has figures, not NaN", async () => {
    const small = await loadBundle(memorySource(sampleBundle({ items: [6, 6], sizes: [4, 6] })));
    const all = [...small.scenarios.values()].flatMap((scenario) => scenario.forms.get("6")!.itemIds);
    const answers = (right: number) => ({ responses: Object.fromEntries(all.map((id) => [id, right])), form: "6" });
    for (const [before, now] of [
      [1, 0],
      [1, 1],
      [0, 1],
    ] as const) {
      const { drop, verdict } = checkFromAnchors(small, answers(now), { baselines: [answers(before)] });
      const { low, high, alarmsWithoutChange, found } = drop!;
      for (const figure of [low, high, alarmsWithoutChange, found]) expect(Number.isFinite(figure)).toBe(true);
      if (before === now) expect(verdict).toBe("undecided");
      else expect(verdict).not.toBe(before > now ? "passed" : "regressed");
    }
  });

  test("verdicts: a collapse fails, the same answers pass what they can rule out, else nobody can tell", () => {
    const before = night();
    const verdict = (now: ReturnType<typeof night>, options: CheckOptions): string =>
      checkFromAnchors(bundle, now, { baselines: [before], ...options }).verdict;
    expect(verdict(night(0.6), {})).toBe("regressed");
    expect(verdict(before, { maxDrop: 0.03 })).toBe("passed");
    expect(verdict(before, { maxDrop: 0 })).toBe("undecided");
    expect(verdict(night(0.97), {})).toBe("undecided");
  });

  test("of several runs each item's mean counts, and a missing answer is no wrong one", () => {
    const [a, b, now] = [night(), night(), night(0.9)];
    const [gone] = ids;
    const without = { responses: { ...b.responses, [gone!]: null } };
    const mean = {
      responses: Object.fromEntries(
        ids.map((id) => [id, id === gone ? a.responses[id]! : (a.responses[id]! + b.responses[id]!) / 2]),
      ),
    };
    const both = checkFromAnchors(bundle, [now], { baselines: [a, without] });
    expect(both).toEqual(checkFromAnchors(bundle, now, { baselines: [mean] }));
    expect(both.answered).toBe(200);
    const neither = checkFromAnchors(bundle, now, { baselines: [without] });
    expect(neither.answered).toBe(199);
  });

  test("of all items is known but for the runs' noise", async () => {
    const whole = await loadBundle(memorySource(sampleBundle({ items: [20, 20], sizes: [8, 20] })));
    const all = [...whole.scenarios.values()].flatMap((scenario) => scenario.forms.get("20")!.itemIds);
    const answers = (wrong: number) => ({
      responses: Object.fromEntries(all.map((id, k) => [id, Number(k % 5 !== wrong)])),
    });
    const check = checkFromAnchors(whole, answers(1), { baselines: [answers(2)] });
    expect(check.drop!.low!).toBeLessThan(check.drop!.drop!);
    expect(check.verdict).toBe("undecided");
  });

  // 500 checks of an unchanged model, of which one in twenty may fail: .05 ± .029 (three standard errors)
  test.each([
    ["one run", 1, 1],
    ["a week against a week", 7, 7],
  ])("an unchanged model fails as seldom as stated: %s", (_, before, now) => {
    let failed = 0;
    const runs = 100;
    for (let k = 0; k < 5; k++) {
      const nights = Array.from({ length: before + now - 1 + runs }, () => night());
      for (let r = 0; r < runs; r++) {
        const { verdict } = checkFromAnchors(bundle, nights.slice(before + r, before + r + now), {
          baselines: nights.slice(0, before),
          maxDrop: 0,
          alarmsPerYear: 18.25,
        });
        failed += Number(verdict === "regressed");
      }
    }
    expect(failed / 500).toBeLessThan(0.079);
  });
});

describe("a lowest score", () => {
  test("is held against one-sided bounds of the estimate", () => {
    const now = night();
    const { score } = estimateFromAnchors(bundle, now.responses);
    const at = (minScore: number) => checkFromAnchors(bundle, now, { minScore });
    const { minimum, drop } = at(score!);
    expect(drop).toBeNull();
    expect(minimum).toMatchObject({ verdict: "undecided", score, reason: null });
    expect(minimum!.low).toBe(estimateFromAnchors(bundle, now.responses, { level: 0.9 }).interval!.low);
    expect(minimum!.high).toBe(estimateFromAnchors(bundle, now.responses, { level: 1 - 2 / 365 }).interval!.high);
    expect(at(minimum!.low! - 0.001).verdict).toBe("passed");
    expect(at(minimum!.high! + 0.001).verdict).toBe("regressed");
  });

  test("and a drop: one that fails is enough, passing takes both", () => {
    const now = night();
    expect(checkFromAnchors(bundle, now, { baselines: [now], maxDrop: 0.05, minScore: 0.2 }).verdict).toBe("passed");
    expect(checkFromAnchors(bundle, now, { baselines: [now], maxDrop: 0, minScore: 0.2 }).verdict).toBe("undecided");
    expect(checkFromAnchors(bundle, now, { baselines: [now], maxDrop: 0, minScore: 0.95 }).verdict).toBe("regressed");
  });
});

test("anchors that were chosen leave everything open, and say why", async () => {
  const purposive = await loadBundle(memorySource(sampleBundle({ purposive: true })));
  const answers = { responses: sampleAnswers("20") };
  const { verdict, drop } = checkFromAnchors(purposive, answers, { baselines: [answers] });
  expect(verdict).toBe("undecided");
  expect(drop).toMatchObject({ low: null, high: null, found: null });
  expect(drop!.reason).toContain("chosen, not drawn");
});

const good = { responses: sampleAnswers("20") };
const small = await loadBundle(memorySource(sampleBundle()));
test.each<[string, CheckOptions, AnchorEvalErrorCode, string]>([
  ["no rule", {}, "invalid_option", "baseline"],
  ["a drop in points", { baselines: [good], maxDrop: 1 }, "invalid_option", "[0,1)"],
  ["a negative drop", { baselines: [good], maxDrop: -0.1 }, "invalid_option", "maxDrop"],
  ["a drop that is none", { baselines: [good], maxDrop: NaN }, "invalid_option", "maxDrop"],
  ["a lowest score in points", { minScore: 60 }, "invalid_option", "minScore"],
  ["no alarms at all", { minScore: 0.5, alarmsPerYear: 0 }, "invalid_option", "alarmsPerYear"],
  ["an alarm every other night", { minScore: 0.5, alarmsPerYear: 200 }, "invalid_option", "alarmsPerYear"],
  ["no runs", { minScore: 0.5, runsPerYear: 0 }, "invalid_option", "runsPerYear"],
  ["a level of two sides", { minScore: 0.5, level: 0.5 }, "invalid_option", "one-sided"],
  ["a level of 1", { minScore: 0.5, level: 1 }, "invalid_option", "one-sided"],
  ["another form's baseline", { baselines: [{ responses: sampleAnswers("8") }] }, "invalid_answers", "form 8"],
  ["an unknown item", { baselines: [{ name: "old", responses: { nope: 1 } }] }, "invalid_answers", "old: "],
  ["another major version", { baselines: [{ ...good, version: "2.0.0" }] }, "digest_mismatch", "2.0.0"],
])("refused: %s", (_, options, code, words) => {
  expectRefusal(
    refusal(() => checkFromAnchors(small, good, options)),
    code,
    words,
  );
});
test("refused: no run", () => {
  expectRefusal(
    refusal(() => checkFromAnchors(small, [], { minScore: 0.5 })),
    "invalid_option",
    "answers",
  );
});
