import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { deleteAnswers } from "../../../offline-trainer/src/simulate/missing.ts";
import { SIMULATE_DEFAULTS, type SimulateOptions } from "../../../offline-trainer/src/simulate/options.ts";
import { planScenarios } from "../../../offline-trainer/src/simulate/scenarios.ts";
import { expectBinomial } from "../../support/binomial.ts";

const MODELS = 500;
const NOTHING = { missingCells: 0, missingBlocks: 0, prefixRuns: 0 };

/** Masks of many models, scenario by scenario. */
function masks(given: Partial<SimulateOptions>, items = 600): Uint8Array[][] {
  const options = { ...SIMULATE_DEFAULTS, items, scenarios: 4, ...NOTHING, ...given };
  const scenarios = planScenarios(options, createRandom("scenarios"));
  return Array.from({ length: MODELS }, (_, m) => {
    const observed = new Uint8Array(items).fill(1);
    deleteAnswers(scenarios, options, createRandom(`missing/${m}`), observed);
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
