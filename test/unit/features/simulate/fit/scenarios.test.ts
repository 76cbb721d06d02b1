import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { apportion } from "../../../../../offline-trainer/src/numeric/statistics.ts";
import { planScenarios, type ScenarioPlan } from "../../../../../features/simulate/fit/scenarios.ts";
import { SIMULATE_DEFAULTS, type SimulateOptions } from "../../../../../features/simulate/fit/settings.ts";

function plan(options: Partial<SimulateOptions>): ScenarioPlan[] {
  return planScenarios({ ...SIMULATE_DEFAULTS, ...options }, createRandom("scenarios"));
}

test("scenarios and subscenarios of unequal size follow each other and make up all items", () => {
  const scenarios = plan({ items: 5000, scenarios: 8 });
  let column = 0;
  for (const { begin, items, subscenarios } of scenarios) {
    expect(begin).toBe(column);
    column += items;
    expect(subscenarios.reduce((sum, part) => sum + part.items, 0)).toBe(items);
    if (subscenarios.length > 1) expect(new Set(subscenarios.map((part) => part.items)).size).toBeGreaterThan(1);
  }
  expect(column).toBe(5000);
  expect(new Set(scenarios.map(({ items }) => items)).size).toBeGreaterThan(1);
});

test("shares of scenarios are whole numbers of them", () => {
  const scenarios = plan({ scenarios: 12, saturatedShare: 0.25, hardShare: 1 / 6, flatShare: 0, choiceShare: 0.75 });
  const count = (test: (scenario: ScenarioPlan) => boolean): number => scenarios.filter(test).length;
  expect(count(({ kind }) => kind === "saturated")).toBe(3);
  expect(count(({ kind }) => kind === "hard")).toBe(2);
  expect(count(({ kind }) => kind === "flat")).toBe(0);
  expect(count(({ choices }) => choices === 4)).toBe(9);
  expect(count(({ subscenarios }) => subscenarios.length === 6)).toBe(6);
  expect(count(({ passRates }) => passRates)).toBe(0);
});

test("the smallest leaderboard that is allowed has two items in each subscenario", () => {
  const scenarios = plan({ items: 24, scenarios: 3, subscenarios: 4, subscenarioShare: 1, scenarioSpread: 3 });
  for (const { subscenarios } of scenarios) expect(subscenarios.map(({ items }) => items)).toEqual([2, 2, 2, 2]);
});

test("the largest remainders get the rest", () => {
  expect(apportion(10, [1, 1, 2], 1)).toEqual([3, 3, 4]);
  expect(apportion(100, [1, 1, 1], 0)).toEqual([34, 33, 33]);
});

test("each part has the least, whatever its weight", () => {
  expect(apportion(6, [1e-9, 1, 1e-9], 2)).toEqual([2, 2, 2]);
  expect(apportion(9, [1e-9, 1, 1e-9], 2)).toEqual([2, 5, 2]);
});
