import { availableParallelism } from "node:os";
import { checkNames, type OptionNames } from "anchoreval/internal/core/errors";
import { type EstimatorId, estimatorsOf, estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { designInterval, inflated, weightedScore } from "anchoreval/internal/core/inference/score-interval";
import type { ResolvedBackend } from "../../../offline-trainer/src/backends/resolve-backend.ts";
import {
  headlineEstimator,
  methodDigest,
  recommended,
  sentMethod,
  type Method,
} from "../../../offline-trainer/src/methods/method.ts";
import type { ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { runOnThreads } from "../../../offline-trainer/src/threads/run-on-threads.ts";
import type { CellEstimate, CellResult, SentCell } from "./cell.ts";
import { type BacktestPlanOptions, planCells, type SplitName } from "./plan-cells.ts";
import { type BacktestRow, backtestRows } from "./rows.ts";

/** How a back-test is run. */
export interface BacktestOptions extends BacktestPlanOptions {
  /** Of {@link resolveBackend}, where one chooses: every thread has it. */
  readonly provider: ResolvedBackend["provider"];
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number) => void;
}

const BACKTEST_OPTIONS: OptionNames<BacktestOptions> = {
  split: true,
  sizes: "list",
  seeds: "number",
  firstSeed: "number",
  method: true,
  scenarios: "list",
  sources: "number",
  targets: "list",
  families: true,
  dates: "list",
  rankedTogether: true,
  provider: true,
  threads: "number",
  signal: true,
  onProgress: true,
};

/** The measured rows of a back-test. */
export interface Backtest {
  readonly rows: readonly BacktestRow[];
  /** Names of the targets by scenario, seed by seed. */
  readonly targets: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/**
 * Holds models out and estimates them: for each split, seed, scenario and size the whole fit is repeated on the source
 * models only. This is how every accuracy claim of the project is made.
 * @throws AnchorEvalError `aborted` where the signal ends it, or had before it began
 */
export async function runBacktest(matrix: ResponseMatrix, options: BacktestOptions): Promise<Backtest> {
  checkNames(options, BACKTEST_OPTIONS);
  const cells = planCells(matrix, options);
  const sent = cells.map((cell): SentCell => ({ ...cell, method: sentMethod(cell.method) }));
  // Results don't depend on the number of threads.
  const results = await runOnThreads<CellResult[]>(new URL("./cell-worker.js", import.meta.url), sent, {
    threads: options.threads ?? availableParallelism(),
    work: "the back-test",
    data: options.provider,
    ...(options.signal && { signal: options.signal }),
    onDone: (done) => options.onProgress?.(done, cells.length),
  });
  const scenarios = [...new Set(results.flat().map((result) => result.scenario))];
  const bySeed = (scenario: string, n: number): CellResult[][] =>
    Array.from({ length: options.seeds }, (_, seed) =>
      cells.flatMap((cell, index) =>
        cell.seedIndex === seed
          ? results[index]!.filter((result) => result.scenario === scenario && result.n === n)
          : [],
      ),
    );
  const isDefault = methodDigest(options.method) === methodDigest(recommended);
  const shared = { split: options.split, method: options.method, isDefault };
  const rows = options.sizes.flatMap((n) => {
    const byScenario = scenarios.map((scenario) => ({ scenario, seeds: bySeed(scenario, n) }));
    const overall = overallCells(
      byScenario.map(({ seeds }) => seeds),
      headlineEstimator(options.method),
    );
    return [
      ...byScenario.flatMap(({ scenario, seeds }) => backtestRows({ ...shared, scenario, n, seeds })),
      ...(overall ? backtestRows({ ...shared, scenario: "overall", n, seeds: overall }) : []),
    ];
  });
  const targets = Object.fromEntries(
    scenarios.map((scenario) => [
      scenario,
      bySeed(scenario, options.sizes[0]!).map((results) => {
        const models = new Set(results.flatMap((result) => result.estimates.map(({ model }) => model)));
        return [...models].map((model) => cells[0]!.benchmark.models[model]!);
      }),
    ]),
  );
  return { rows, targets };
}

/**
 * Overall scores, the mean over scenarios, of the targets that every scenario has in common; null where there are none.
 * Scenarios' draws are independent, so the baseline's errors combine in quadrature; its intervals are kept as means over
 * draws, which give no overall one.
 */
function overallCells(
  scenarios: readonly (readonly (readonly CellResult[])[])[],
  headline: EstimatorId,
): CellResult[][] | null {
  if (scenarios.length < 2) return null;
  const seeds = scenarios[0]!.map((_, seed): CellResult[] => {
    const keyed = ({ estimates }: CellResult): [string, CellEstimate][] =>
      estimates.map((estimate) => [`${estimate.model}/${estimate.draw}`, estimate]);
    const tables = scenarios.map((bySeed) => new Map(bySeed[seed]!.flatMap(keyed)));
    const common = [...tables[0]!.keys()].filter((key) => tables.every((table) => table.has(key)));
    const { n, dims } = scenarios[0]![seed]![0]!;
    const inflation = Math.max(...scenarios.map((bySeed) => bySeed[seed]![0]!.inflation));
    const partsOf = (key: string): CellEstimate[] => tables.map((table) => table.get(key)!);
    const estimates = common.map((key) => overallEstimate(partsOf(key), headline, inflation));
    return [{ scenario: "overall", n, dims, lambda: null, inflation, estimates }];
  });
  return seeds.every(([cell]) => cell!.estimates.length > 0) ? seeds : null;
}

function overallEstimate(parts: readonly CellEstimate[], headline: EstimatorId, inflation: number): CellEstimate {
  const average = (pick: (part: CellEstimate) => number): number =>
    parts.reduce((sum, part) => sum + pick(part), 0) / parts.length;
  const quadrature = (pick: (part: CellEstimate) => number): number =>
    Math.sqrt(parts.reduce((sum, part) => sum + pick(part) ** 2, 0)) / parts.length;
  const estimators = Object.fromEntries(
    estimatorsOf(parts[0]!.estimators).map((id) => [id, average((part) => estimatorFigure(part.estimators, id))]),
  ) as Record<EstimatorId, number>;
  const sampled = parts.flatMap(({ estimators: figures, bounds, sampling }) =>
    sampling === null ? [] : [{ share: 1 / parts.length, score: estimatorFigure(figures, headline), bounds, sampling }],
  );
  return {
    model: parts[0]!.model,
    draw: parts[0]!.draw,
    truth: average((part) => part.truth),
    estimators,
    bounds: { low: average((part) => part.bounds.low), high: average((part) => part.bounds.high) },
    sampling: null,
    interval: sampled.length < parts.length ? null : designInterval(inflated(weightedScore(sampled), inflation), 0.95),
    randomError: quadrature((part) => part.randomError),
    randomInterval: null,
    failed: parts.some((part) => part.failed),
  };
}

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
