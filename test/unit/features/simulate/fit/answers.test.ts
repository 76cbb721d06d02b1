import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  deleteAnswers,
  drawAnswers,
  redrawAnswers,
  responseProbability,
} from "../../../../../features/simulate/fit/answers.ts";
import { ITEM_KINDS, type ItemKind, kindCode } from "../../../../../features/simulate/fit/items.ts";
import { planScenarios } from "../../../../../features/simulate/fit/scenarios.ts";
import { SIMULATE_DEFAULTS, type SimulateOptions } from "../../../../../features/simulate/fit/settings.ts";
import { expectBinomial } from "../../../../support/binomial.ts";

const ITEMS = 20_000;

function draw(probability: number, samples: number, sampleAgreement: number): Float32Array {
  const options = { ...SIMULATE_DEFAULTS, items: ITEMS, samples, sampleAgreement };
  const scenarios = planScenarios(options, createRandom("scenarios"));
  const row = new Float32Array(ITEMS);
  drawAnswers(new Float64Array(ITEMS).fill(probability), scenarios, options, createRandom("answers"), row);
  return row;
}

const sum = (row: Float32Array): number => row.reduce((total, score) => total + score, 0);

test.each([0, 0.1, 0.5, 0.9, 1])("answers are right with probability %d", (p) => {
  const row = draw(p, 1, 0);
  expect(row.every((score) => score === 0 || score === 1)).toBe(true);
  expectBinomial(sum(row), ITEMS, p);
});

test.each([0.2, 0.7])("pass rates over 5 samples have the mean %d, and are 0 or 1 where all samples agree", (p) => {
  const agreeing = draw(p, 5, 1);
  expect(agreeing.every((score) => score === 0 || score === 1)).toBe(true);
  expectBinomial(sum(agreeing), ITEMS, p);
  const free = draw(p, 5, 0);
  expect(new Set(Array.from(free, (score) => Math.round(5 * score)))).toEqual(new Set([0, 1, 2, 3, 4, 5]));
  expectBinomial(Math.round(5 * sum(free)), 5 * ITEMS, p);
});

test("a rerun takes about the share of its answers from the fresh ones", () => {
  const into = new Uint8Array(ITEMS);
  redrawAnswers(new Uint8Array(ITEMS), new Uint8Array(ITEMS).fill(1), 0.02, createRandom("redraw"), into);
  expectBinomial(
    into.reduce((total, score) => total + score, 0),
    ITEMS,
    0.02,
  );
});

const MODELS = 500;
const NOTHING = { missingCells: 0, missingBlocks: 0, prefixRuns: 0 };

/** Masks of many models, scenario by scenario. */
function masks(given: Partial<SimulateOptions>, items = 600): Uint8Array[][] {
  const options = { ...SIMULATE_DEFAULTS, items, scenarios: 4, ...NOTHING, ...given };
  const scenarios = planScenarios(options, createRandom("scenarios"));
  return Array.from({ length: MODELS }, (_, m) => {
    const observed = new Uint8Array(items).fill(1);
    const times = { model: (m + 0.5) / MODELS, items: Float64Array.from(observed, (_, i) => (i + 0.5) / items) };
    deleteAnswers(scenarios, options, createRandom(`missing/${m}`), times, observed);
    return scenarios.map((scenario) => observed.slice(scenario.begin, scenario.begin + scenario.items));
  });
}

const seen = (mask: Uint8Array): number => mask.reduce((sum, bit) => sum + bit, 0);

test("nothing is missing where nothing is asked for", () => {
  for (const model of masks({})) for (const mask of model) expect(mask).not.toContain(0);
});

test("answers are missing at random", () => {
  const missing = masks({ missingCells: 0.05 })
    .flat()
    .reduce((sum, mask) => sum + mask.length - seen(mask), 0);
  expectBinomial(missing, MODELS * 600, 0.05);
});

test("items that are newer than a model are missing, the newest ones of the oldest models alone", () => {
  const models = masks({ newerItems: 0.2 });
  const missing = models.map((model) => 600 - model.reduce((sum, mask) => sum + seen(mask), 0));
  expect(missing.reduce((sum, count) => sum + count, 0) / (MODELS * 600)).toBeCloseTo(0.2, 2);
  expect(missing).toEqual(missing.toSorted((x, y) => y - x));
  expect(missing.at(-1)).toBe(0);
  for (const model of models) expect(model.flatMap((mask) => [...mask]).join("")).toMatch(/^1+0*$/);
});

test("whole scenarios are missing, and a model keeps one", () => {
  const models = masks({ missingBlocks: 0.3 });
  const lost = models.map((model) => model.filter((mask) => seen(mask) === 0).length);
  for (const model of models) for (const mask of model) expect([0, mask.length]).toContain(seen(mask));
  expect(Math.max(...lost)).toBeLessThan(4);
  expectBinomial(
    lost.reduce((sum, count) => sum + count, 0),
    MODELS * 3,
    0.3,
  );
});

test("a prefix-only run has the first items", () => {
  const all = masks({ prefixRuns: 0.2 }).flat();
  for (const mask of all) {
    const count = seen(mask);
    expect(count).toBeGreaterThan(0);
    expect(mask.subarray(0, count)).not.toContain(0);
  }
  expectBinomial(all.filter((mask) => mask.includes(0)).length, MODELS * 4, 0.2);
});

test("no model is left without an answer", () => {
  for (const model of masks({ missingCells: 0.9, missingBlocks: 0.9, prefixRuns: 1 }, 48))
    expect(model.some((mask) => mask.includes(1))).toBe(true);
});

const Z = Array.from({ length: 81 }, (_, k) => (k - 40) / 4);
const TRAITS = [0, 0.2, 0.49, 0.5, 0.7, 0.99];

function curve(kind: ItemKind, trait: number, luck = 0.3): number[] {
  return Z.map((z) => responseProbability(z, { kind: kindCode(kind), lower: 0.25, upper: 0.95, trait }, luck));
}

const rises = (values: number[]): boolean => values.every((p, k) => k === 0 || p >= values[k - 1]!);
const falls = (values: number[]): boolean => values.every((p, k) => k === 0 || p <= values[k - 1]!);

describe.each(TRAITS)("with trait %d", (trait) => {
  test.each(ITEM_KINDS)("%s: probabilities lie in [0,1], also far out", (kind) => {
    for (const z of [-1e6, ...Z, 1e6]) {
      const p = responseProbability(z, { kind: kindCode(kind), lower: 0.25, upper: 0.95, trait }, 0.3);
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
    }
  });

  test.each(["regular", "redundant"] as const)("%s items rise from floor to ceiling", (kind) => {
    const values = curve(kind, trait);
    expect(rises(values)).toBe(true);
    expect(values[0]).toBeCloseTo(0.25, 3);
    expect(values.at(-1)).toBeCloseTo(0.95, 3);
  });

  test("strong models get mislabelled items wrong", () => {
    const values = curve("mislabelled", trait);
    expect(falls(values)).toBe(true);
    expect(values[0]).toBeGreaterThan(0.19);
    expect(values.at(-1)).toBeLessThan(0.001);
  });

  test("middling models do best or worst on non-monotone items", () => {
    const values = curve("non-monotone", trait);
    expect(rises(values) || falls(values)).toBe(false);
    const ends = [values[0]!, values.at(-1)!];
    const extreme = trait < 0.5 ? Math.max(...values) - Math.max(...ends) : Math.min(...ends) - Math.min(...values);
    expect(extreme).toBeGreaterThan(0.1);
  });

  test("memorised items don't depend on ability, only on whether the family knows them", () => {
    expect(new Set(curve("memorised", trait, 0.3))).toEqual(new Set([0.3 < trait ? 0.95 : 0.25]));
  });
});
