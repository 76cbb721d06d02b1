import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { FALSE_ALARMS, suspicions, type AnswerPattern } from "anchoreval/internal/core/person-fit/answer-pattern";
import { describe, expect, test } from "vitest";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { patternThresholds } from "../../../offline-trainer/src/fit/pattern-thresholds.ts";
import { drawnEstimates, rowsOf } from "./held-out-estimates.ts";

const random = createRandom("pattern thresholds");

/** Patterns with heavy tails, the statistics of a model going together. */
function drawnPattern(from: RandomSource, shift = 0): AnswerPattern {
  const shared = from.normal();
  const tail = Math.exp(0.5 * from.normal());
  return {
    lzStar: -shift - tail * (0.7 * shared + from.normal()),
    preknowledge: shift + 0.3 * tail * (shared + from.normal()),
    infit: Math.exp(0.1 * from.normal()),
    outfit: Math.exp(0.4 * from.normal()),
    brokenRun: -80 + 10 * from.normal(),
  };
}

function drawn(models: number, { draws = 1, shift = 0 } = {}): (HeldOutEstimate & { pattern: AnswerPattern })[] {
  return drawnEstimates(random, { models: rowsOf(models), draws }).map((own) => ({
    ...own,
    pattern: drawnPattern(random, shift),
  }));
}

test("there are none below 49 models: the rank doesn't exist", () => {
  expect(patternThresholds(drawn(48, { draws: 3 }), drawn(100))).toBeNull();
  expect(patternThresholds(drawn(49, { draws: 3 }), [])).not.toBeNull();
  expect(patternThresholds([], [])).toBeNull();
});

test("nor where patterns don't differ, or none has all statistics", () => {
  const same = drawn(60).map((own) => ({ ...own, pattern: { ...own.pattern, lzStar: 0.5 } }));
  expect(patternThresholds(same, [])).toBeNull();
  const unknown = drawn(60).map((own) => ({ ...own, pattern: { ...own.pattern, preknowledge: null } }));
  expect(patternThresholds(unknown, [])).toBeNull();
  expect(patternThresholds(drawnEstimates(random, { models: rowsOf(60) }), [])).toBeNull();
});

test.each([
  [80, 0],
  [149, 2],
  [199, 3],
])("of %d models that they were learned on, %d lie beyond", (models, beyond) => {
  const seen = drawn(models);
  const found = patternThresholds(seen, [])!;
  const rounding = 1e-6;
  const lax = { ...found, preknowledge: found.preknowledge + rounding, lzStar: found.lzStar - rounding };
  const flagged = seen.filter(({ pattern }) => suspicions(pattern, lax, null)!.length > 0);
  expect(found.models).toBe(models);
  expect(flagged).toHaveLength(beyond);
  expect(seen.filter(({ pattern }) => pattern.infit! > found.infit + rounding)).toHaveLength(beyond);
});

test("a broken run is above 0 and above all models seen", () => {
  expect(patternThresholds(drawn(60), [])!.brokenRun).toBe(0);
  const seen = drawn(60).map((own, m) => ({ ...own, pattern: { ...own.pattern, brokenRun: m === 7 ? 1.5 : -9 } }));
  expect(patternThresholds(seen, [])!.brokenRun).toBe(1.5);
});

test("the two that share the false alarms are exceeded by a fiftieth of new models together", () => {
  let flagged = 0;
  let judged = 0;
  for (let repeat = 0; repeat < 60; repeat++) {
    const thresholds = patternThresholds(drawn(149), [])!;
    for (let k = 0; k < 100; k++, judged++)
      if (suspicions(drawnPattern(random), thresholds, null)!.length > 0) flagged++;
  }
  // 3/150 of them; a repeat's share has a standard deviation near .012, 60 of them .0015.
  expect(flagged / judged).toBeLessThan(FALSE_ALARMS + 0.006);
  expect(flagged / judged).toBeGreaterThan(FALSE_ALARMS / 2);
});

describe("for models stronger than any source", () => {
  test("the stricter of both kinds, never a laxer one", () => {
    const seen = drawn(120);
    const inside = patternThresholds(seen, [])!;
    expect(inside.stronger).toBeNull();
    const odd = patternThresholds(seen, drawn(60, { shift: 4 }))!.stronger!;
    expect(odd.preknowledge).toBeGreaterThan(inside.preknowledge + 2);
    expect(odd.lzStar).toBeLessThan(inside.lzStar - 2);
    const usual = drawn(60).map((own) => ({
      ...own,
      pattern: { ...own.pattern, lzStar: own.pattern.lzStar! / 9, preknowledge: own.pattern.preknowledge! / 9 },
    }));
    expect(patternThresholds(seen, usual)!.stronger).toMatchObject({
      lzStar: inside.lzStar,
      preknowledge: inside.preknowledge,
    });
  });

  test("the longest leap that was held out, in widths of the sources' range", () => {
    const strong = drawn(60).map((own, k) => ({
      ...own,
      truth: 0.5 + k / 1000,
      seen: { worst: 0.1, best: 0.5, overall: null },
    }));
    const longest = Math.max(...strong.map(({ truth }) => truth));
    expect(patternThresholds(drawn(60), strong)!.stronger!.leap).toBeCloseTo((longest - 0.5) / 0.4, 5);
  });

  test("too few for the level: the most suspicious of them", () => {
    const strong = drawn(12, { draws: 2, shift: 9 });
    const thresholds = patternThresholds(drawn(60), strong)!;
    expect(thresholds.stronger!.preknowledge).toBeGreaterThan(thresholds.preknowledge);
    const flagged = [0, 1].map(
      (draw) => strong.filter((own) => own.draw === draw && suspicions(own.pattern, thresholds, 0)!.length > 0).length,
    );
    // The mean of both forms' most suspicious: at least one form has none beyond.
    expect(Math.min(...flagged)).toBe(0);
  });
});
