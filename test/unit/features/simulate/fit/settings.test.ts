import { describe, expect, test } from "vitest";
import {
  simulateSettings,
  SIMULATE_DEFAULTS,
  SIMULATE_OPTIONS,
} from "../../../../../features/simulate/fit/settings.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";

test.each(Object.entries(SIMULATE_OPTIONS))("%s has a default in its range and a description", (name, option) => {
  expect(SIMULATE_DEFAULTS).toHaveProperty(name, option.default);
  expect(option.default).toBeGreaterThanOrEqual(option.min);
  expect(option.default).toBeLessThanOrEqual(option.max);
  expect(option.description).not.toBe("");
});

test("nothing given is the defaults, and undefined counts as not given", () => {
  expect(simulateSettings({})).toEqual(SIMULATE_DEFAULTS);
  expect(simulateSettings({ models: undefined })).toEqual(SIMULATE_DEFAULTS);
});

describe("is refused by name:", () => {
  test.each<[string, Record<string, unknown>, string]>([
    ["an unknown option", { model: 100 }, "there is no setting model"],
    ["too few models", { models: 4 }, "models must be a whole number from 5 to 100000, got 4"],
    ["a fraction of a model", { models: 10.5 }, "models must be a whole number from 5 to 100000, got 10.5"],
    ["a share above 1", { mislabelledShare: 1.5 }, "mislabelledShare must be a number from 0 to 1, got 1.5"],
    ["a negative sd", { familySd: -1 }, "familySd must be a number from 0 to 10, got -1"],
    ["NaN", { progress: NaN }, "progress must be a number from -10 to 10, got NaN"],
    ["text for a number", { dims: "2" }, "dims must be a whole number from 1 to 64, got 2"],
    ["an order that must be none", { order: "random" }, "order must be newest-first or oldest-first, got random"],
    ["a text flag that must be none", { text: "yes" }, "text must be true or false, got yes"],
    [
      "kinds of items above 1 together",
      { redundantShare: 0.6, memorisedShare: 0.6 },
      "redundantShare, mislabelledShare, nonMonotoneShare, memorisedShare are 1.26 together, more than 1",
    ],
    [
      "kinds of scenarios above 1 together",
      { saturatedShare: 0.5, hardShare: 0.5, flatShare: 0.5 },
      "saturatedShare, hardShare, flatShare are 1.5 together, more than 1",
    ],
    ["too few items for the subscenarios", { items: 50, scenarios: 6 }, "6 scenarios need at least 72 items, got 50"],
  ])("%s", (_, given, message) => {
    expectRefusal(
      refusal(() => simulateSettings(given)),
      "invalid_option",
      message,
    );
  });
});

test.each([[null], [[]], ["fast"], [3]])("settings that are %j are refused", (given) => {
  expectRefusal(
    refusal(() => simulateSettings(given)),
    "invalid_option",
    "settings are a JSON object",
  );
});

test("all options at fault are listed", () => {
  const { issues } = refusal(() => simulateSettings({ models: 1, items: -1, kinship: 2 }));
  expect(issues.map(({ path }) => path)).toEqual([["models"], ["items"], ["kinship"]]);
});
