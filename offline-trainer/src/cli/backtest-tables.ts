import { textTable } from "anchoreval/cli";
import type { RecipeFigures } from "../backtest/compare-methods.ts";
import type { BacktestRow } from "../backtest/rows.ts";

/** Errors in points, one line an estimator; `×random` is the ratio to random items. */
export function estimatorTable(rows: readonly BacktestRow[]): string[] {
  const columns = [
    "scenario",
    "n",
    "estimator",
    "error",
    "random",
    "×random",
    "±",
    "bias",
    "95 % within",
    "rank corr.",
    "coverage",
    "half-width",
  ];
  const cells = rows.map((row) => [
    row.scenario,
    String(row.n),
    row.recommended ? `${row.estimator} *` : row.estimator,
    row.mae.toFixed(2),
    row.randomMae.toFixed(2),
    decimals(row.ratioToRandom, 2),
    decimals(row.ratioSe, 2),
    row.bias.toFixed(2),
    row.p95.toFixed(1),
    decimals(row.spearman, 3),
    decimals(row.coverage95, 3),
    decimals(row.halfWidth95, 1),
  ]);
  return [
    ...textTable([columns, ...cells], "lrlrrrrrrrrr"),
    "Errors in points. * is what a bundle serves as the score by default.",
  ];
}

/** One line a recipe, by split and size; means over scenarios. */
export function recipeTable(figures: readonly RecipeFigures[]): string[] {
  const columns = [
    "split",
    "n",
    "recipe",
    "error",
    "RMSE",
    "×random",
    "Spearman",
    "Kendall",
    "coverage",
    "half-width",
    "overall RMSE",
    "overall Spearman",
  ];
  const cells = figures.map((own) => [
    own.split,
    String(own.n),
    own.recipe,
    own.mae.toFixed(2),
    own.rmse.toFixed(2),
    decimals(own.ratioToRandom, 3),
    decimals(own.spearman, 3),
    decimals(own.kendall, 3),
    decimals(own.coverage95, 3),
    decimals(own.halfWidth95, 1),
    decimals(own.overallRmse, 2),
    decimals(own.overallSpearman, 3),
  ]);
  return [
    ...textTable([columns, ...cells], "lrlrrrrrrrrr"),
    "Means over scenarios of each recipe's score, errors in points; ×random is the geometric mean of errors relative to random items.",
  ];
}

function decimals(value: number | null, digits: number): string {
  return value === null ? "" : value.toFixed(digits);
}
