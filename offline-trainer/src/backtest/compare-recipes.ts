import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { headlineEstimator, type FitConfiguration } from "../fit/configuration.ts";
import { planCells, type SplitName } from "./plan-cells.ts";
import { runBacktest, type BacktestOptions } from "./run-backtest.ts";
import type { BacktestRow } from "./summarize.ts";

/** A row of a back-test with the recipe that it is of. */
export interface RecipeRow extends BacktestRow {
  readonly recipe: string;
  /** The estimate that the recipe's bundles serve as the score. */
  readonly headline: boolean;
}

export interface CompareRecipesOptions extends Omit<
  BacktestOptions,
  "split" | "configuration" | "rankedTogether" | "onProgress"
> {
  readonly splits: readonly SplitName[];
  /** What is fitted, by the name of the recipe. */
  readonly recipes: ReadonlyMap<string, FitConfiguration>;
  readonly onProgress?: (done: number, of: number, note: string) => void;
}

/**
 * Back-tests of several recipes on the same held-out models, seeds and random items.
 * @throws AnchorEvalError what {@link planCells} throws, of any split, before the first fit
 */
export async function compareRecipes(
  matrix: ResponseMatrix,
  { splits, recipes, onProgress, ...options }: CompareRecipesOptions,
): Promise<RecipeRow[]> {
  for (const split of splits)
    for (const configuration of recipes.values())
      planCells(matrix, { ...options, split, configuration, rankedTogether: true, seeds: 1 });
  const rows: RecipeRow[] = [];
  const runs = splits.flatMap((split) => Array.from(recipes, (recipe) => [split, ...recipe] as const));
  for (const [at, [split, recipe, configuration]] of runs.entries()) {
    const headline = headlineEstimator(configuration);
    const backtest = await runBacktest(matrix, {
      ...options,
      split,
      configuration,
      rankedTogether: true,
      onProgress: (done, of) => onProgress?.(at + done / of, runs.length, `${recipe}, ${split}: ${done} of ${of} fits`),
    });
    rows.push(...backtest.rows.map((row) => ({ ...row, recipe, headline: row.estimator === headline })));
  }
  return rows;
}
