import { headlineEstimator, type Method } from "../methods/method.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { planCells, type SplitName } from "./plan-cells.ts";
import { type BacktestOptions, runBacktest } from "./backtest.ts";
import type { BacktestRow } from "./rows.ts";

/** A row of a back-test with the recipe that it is of. */
export interface RecipeRow extends BacktestRow {
  readonly recipe: string;
  /** The estimate that the recipe's bundles serve as the score. */
  readonly headline: boolean;
}

interface CompareRecipesOptions extends Omit<BacktestOptions, "split" | "method" | "rankedTogether" | "onProgress"> {
  readonly splits: readonly SplitName[];
  readonly recipes: ReadonlyMap<string, Method>;
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
    for (const method of recipes.values())
      planCells(matrix, { ...options, split, method, rankedTogether: true, seeds: 1 });
  const rows: RecipeRow[] = [];
  const runs = splits.flatMap((split) => Array.from(recipes, (recipe) => [split, ...recipe] as const));
  for (const [at, [split, recipe, method]] of runs.entries()) {
    const headline = headlineEstimator(method);
    const backtest = await runBacktest(matrix, {
      ...options,
      split,
      method,
      rankedTogether: true,
      onProgress: (done, of) => onProgress?.(at + done / of, runs.length, `${recipe}, ${split}: ${done} of ${of} fits`),
    });
    rows.push(...backtest.rows.map((row) => ({ ...row, recipe, headline: row.estimator === headline })));
  }
  return rows;
}

/** A recipe's errors on one split at one size: means over scenarios, in points; null where a scenario has no figure. */
export interface RecipeFigures extends Pick<
  RecipeRow,
  "split" | "n" | "recipe" | "mae" | "rmse" | "spearman" | "kendall" | "coverage95" | "halfWidth95"
> {
  /** How many scenarios the means are over. */
  readonly scenarios: number;
  /** Geometric mean of the scenarios' errors relative to random items; null where one of them is asked whole. */
  readonly ratioToRandom: number | null;
  /** Root mean squared error, and rank correlation, of the overall score; null of a single scenario. */
  readonly overallRmse: number | null;
  readonly overallSpearman: number | null;
}

/** Of every split, size and recipe: splits and recipes in the order of the rows, recipes side by side. */
export function recipeFigures(rows: readonly RecipeRow[]): RecipeFigures[] {
  const groups = new Map<string, RecipeRow[]>();
  for (const row of rows.filter(({ headline }) => headline)) {
    const key = JSON.stringify([row.split, row.n, row.recipe]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const splits = [...new Set(rows.map(({ split }) => split))];
  const ordered = [...groups.values()].sort(
    ([one], [other]) => splits.indexOf(one!.split) - splits.indexOf(other!.split) || one!.n - other!.n,
  );
  return ordered.map((group): RecipeFigures => {
    const { split, n, recipe } = group[0]!;
    const scenarios = group.filter(({ scenario }) => scenario !== "overall");
    const overall = group.find(({ scenario }) => scenario === "overall");
    const over = (pick: (row: RecipeRow) => number | null): number | null => mean(scenarios.map(pick));
    const logarithm = over(({ ratioToRandom }) => (ratioToRandom === null ? null : Math.log(ratioToRandom)));
    return {
      split,
      n,
      recipe,
      scenarios: scenarios.length,
      mae: over(({ mae }) => mae)!,
      rmse: over(({ rmse }) => rmse)!,
      ratioToRandom: logarithm === null ? null : Math.exp(logarithm),
      spearman: over(({ spearman }) => spearman),
      kendall: over(({ kendall }) => kendall),
      coverage95: over(({ coverage95 }) => coverage95),
      halfWidth95: over(({ halfWidth95 }) => halfWidth95),
      overallRmse: overall?.rmse ?? null,
      overallSpearman: overall?.spearman ?? null,
    };
  });
}

/** Null where one of the values is. */
function mean(values: readonly (number | null)[]): number | null {
  return values.includes(null) ? null : values.reduce<number>((sum, value) => sum + value!, 0) / values.length;
}
