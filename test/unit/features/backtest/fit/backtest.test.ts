import { expect, test } from "vitest";
import { recipeFigures, type RecipeRow } from "../../../../../features/backtest/fit/backtest.ts";

function row(fields: Partial<RecipeRow>): RecipeRow {
  const figures = {
    mae: 2,
    rmse: 3,
    ratioToRandom: 0.5,
    spearman: 0.9,
    kendall: 0.7,
    coverage95: 0.95,
    halfWidth95: 5,
  };
  const base = { split: "family", n: 50, recipe: "random", scenario: "a", headline: true };
  return { ...base, ...figures, ...fields } as RecipeRow;
}

test("means over scenarios of the headline's rows, ratios by their geometric mean, overall beside them", () => {
  const figures = recipeFigures([
    row({}),
    row({ headline: false, mae: 40 }),
    row({
      scenario: "b",
      mae: 4,
      rmse: 5,
      ratioToRandom: 2,
      spearman: 0.7,
      kendall: 0.5,
      coverage95: 0.85,
      halfWidth95: 7,
    }),
    row({ scenario: "overall", rmse: 1, spearman: 0.99, ratioToRandom: 0.4 }),
    row({ n: 100 }),
    row({ n: 100, recipe: "essence", split: "interpolation" }),
  ]);
  expect(figures.map(({ split, n, recipe, scenarios }) => [split, n, recipe, scenarios])).toEqual([
    ["family", 50, "random", 2],
    ["family", 100, "random", 1],
    ["interpolation", 100, "essence", 1],
  ]);
  expect(figures[0]).toEqual({
    split: "family",
    n: 50,
    recipe: "random",
    scenarios: 2,
    mae: 3,
    rmse: 4,
    ratioToRandom: expect.closeTo(1, 12) as number,
    spearman: expect.closeTo(0.8, 12) as number,
    kendall: expect.closeTo(0.6, 12) as number,
    coverage95: expect.closeTo(0.9, 12) as number,
    halfWidth95: 6,
    overallRmse: 1,
    overallSpearman: 0.99,
  });
  expect(figures[1]).toMatchObject({ overallRmse: null, overallSpearman: null });
});

test("a figure that one scenario lacks is not the mean of the others", () => {
  const [figures] = recipeFigures([row({}), row({ scenario: "b", ratioToRandom: null, coverage95: null })]);
  expect(figures).toMatchObject({ ratioToRandom: null, coverage95: null, mae: 2 });
});
