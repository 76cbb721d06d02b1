import { describe, expect, test } from "vitest";
import { EXPORTS } from "../../../../../features/cli-export.ts";
import { SOURCES } from "../../../../../features/import/cli/board.ts";
import { importCommand } from "../../../../../features/import/cli/import.ts";
import { formSizes, pinsAll, RECIPES } from "../../../../../features/recipes/fit/recipes.ts";
import { optionsOf } from "../../../../../cli/src/program/command.ts";
import { readName } from "../../../../../offline-trainer/src/fit/options.ts";

describe.each(Object.entries(RECIPES))("%s", (name, recipe) => {
  test("names a reader with its options, and a harness that can be told to ask its items", () => {
    const { from, ...options } = recipe.reader;
    expect(SOURCES).toContain(from);
    expect(Object.keys(optionsOf(importCommand))).toEqual(expect.arrayContaining(Object.keys(options)));
    expect(Object.keys(EXPORTS)).toContain(recipe.harness);
    expect(readName(`${name}@${recipe.version}`)).toEqual({ benchmark: name, version: recipe.version });
  });

  test("says place, commit, day and licence of the data", () => {
    expect(recipe.repository).toMatch(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/);
    expect(recipe.commit).toMatch(/^[0-9a-f]{7,40}$/);
    expect(recipe.date).toMatch(/^20\d\d-[01]\d-[0-3]\d$/);
    expect(recipe.licence).not.toBe("");
  });

  test("pins whole digests, and a row of each model where it pins all", () => {
    const { rows, ...digests } = recipe.pinned;
    for (const digest of Object.values(digests)) expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const [, models = "0"] = /(\d+) (?:agents|submissions)/.exec(recipe.description) ?? [];
    expect(rows?.split(" ").length ?? 0).toBe(pinsAll(recipe) ? Number(models) : 0);
    for (const row of rows?.split(" ") ?? []) expect(row).toMatch(/^[0-9a-f]{8}:[0-9a-f]{8}$/);
  });
});

test("forms are smaller than the largest scenario, and go over scenarios where there are several", () => {
  const items = (...counts: number[]): { scenario: string }[] =>
    counts.flatMap((count, s) => Array.from({ length: count }, () => ({ scenario: `s${s}` })));
  expect(formSizes(items(80))).toEqual({ sizes: [10, 20, 30, 50], totals: [] });
  expect(formSizes(items(100))).toEqual({ sizes: [10, 20, 30, 50], totals: [] });
  expect(formSizes(items(40, 40))).toEqual({ sizes: [10, 20, 30], totals: [50] });
  expect(formSizes(items(16, 1053))).toEqual({ sizes: [10, 20, 30, 50, 100], totals: [50, 100, 200] });
});
