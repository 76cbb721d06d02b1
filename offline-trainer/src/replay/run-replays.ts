import type { AdaptiveOptions, ItemPool, PoolPopulation } from "anchoreval";
import { AnchorEvalError, createRandom, type RandomSource } from "anchoreval/core";
import { resolveBackend, type Provider } from "../backends/resolve-backend.ts";
import { planCells, type BacktestPlanOptions, type PlannedCell } from "../backtest/plan-cells.ts";
import { scoreMapKind } from "../fit/configuration.ts";
import { evenForm } from "../fit/form-plans.ts";
import { trainFold } from "../fit/held-out.ts";
import { bankPriors } from "../fit/link-banks.ts";
import { scoreAt, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { foldPool } from "./fold-pool.ts";
import { replay, type Replay } from "./replay-model.ts";

export interface ReplayOptions extends Omit<BacktestPlanOptions, "sizes"> {
  readonly provider: Provider;
  /** Evaluations of every held-out model, or pair of neighbours by name. */
  readonly repeats: number;
  /** Held-out models of a split at most, evenly picked. */
  readonly mostTargets: number;
  /** Share of the items that may be asked: the budget, {@link LEAST_BUDGET} at least. */
  readonly share: number;
  readonly batch?: number;
  /** Two models on the same items, and the difference of their scores. @default where `stop.better` is asked for */
  readonly pairs?: boolean;
  readonly stop?: AdaptiveOptions["stop"];
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number) => void;
}

/** Items below which no score is compared. */
const LEAST_BUDGET = 25;

/** What the evaluations of a scenario, or of all together, came to; errors in points. */
export interface ReplayRow {
  /** "overall": the mean of all scenarios, its items drawn from all of them. */
  readonly scenario: string;
  readonly split: string;
  /** Items, and how many of them may be asked. */
  readonly items: number;
  readonly budget: number;
  readonly targets: number;
  readonly replays: number;
  readonly rmse: number;
  readonly bias: number;
  /** Of as many items as were asked, drawn uniformly without replacement in each scenario, as many in each. */
  readonly uniformRmse: number;
  /** Effective sample size: (uniformRmse/rmse)². Null where a rule may stop early: errors are wanted larger then. */
  readonly effectiveSize: number | null;
  readonly coverage: number;
  readonly halfWidth: number;
  /** Items asked on average. */
  readonly asked: number;
  /** Shares of all replays. */
  readonly earlyStops: number;
  readonly falseStops: number;
}

interface Found {
  readonly scenario: string;
  readonly items: number;
  readonly budget: number;
  readonly target: string;
  readonly replay: Replay;
  readonly uniformVariance: number;
}

/**
 * Evaluates held-out models adaptively, by the answers that the matrix has of them: parameters are fitted without them,
 * and every scenario is evaluated by itself, then all together.
 * @throws AnchorEvalError `invalid_data` where no held-out model has answered every item; what `planCells` throws
 */
export async function runReplays(matrix: ResponseMatrix, options: ReplayOptions): Promise<ReplayRow[]> {
  const { backend } = await resolveBackend(options.provider, 1);
  const cells = planCells(matrix, { ...options, sizes: [LEAST_BUDGET] });
  const found: Found[] = [];
  for (const [done, cell] of cells.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.(done, cells.length);
    found.push(...(await replayCell(cell, backend, options)));
  }
  if (found.length === 0)
    throw new AnchorEvalError(
      "invalid_data",
      "no held-out model has answered every item: a replay needs the answers to whatever may be asked",
    );
  const scenarios = [...new Set(found.map(({ scenario }) => scenario))];
  return scenarios.map((scenario) =>
    replayRow(
      options,
      found.filter((own) => own.scenario === scenario),
    ),
  );
}

async function replayCell(
  { tasks, groups, splits, seed, configuration }: PlannedCell,
  backend: Awaited<ReturnType<typeof resolveBackend>>["backend"],
  options: ReplayOptions,
): Promise<Found[]> {
  const random = createRandom(seed).fork("replay");
  const scenarios = tasks.flatMap((task) => task.scenarios);
  const { linked } = await trainFold(tasks, splits, 0, {
    ...configuration,
    scoreMap: scoreMapKind(configuration),
    backend,
    groups,
    forms: [evenForm(LEAST_BUDGET, scenarios)],
    random: createRandom(seed).fork(tasks.length > 1 ? "all" : tasks[0]!.id),
  });
  const pool = foldPool(tasks, linked.banks, bankPriors(linked, configuration.priorScale));
  const ids = scenarios.map(({ id }) => id);
  const asked = ids.length > 1 ? [...ids.map((id) => [id]), ids] : [ids];
  return asked.flatMap((wanted) => {
    const targets = completeTargets(tasks, splits, wanted);
    return replaysOf(pool, wanted, targets.filter(evenly(targets.length, options.mostTargets)), options, random);
  });
}

interface Target {
  readonly name: string;
  readonly answers: ReadonlyMap<string, number>;
}

/** Held-out models that answered all items of some scenarios. */
function completeTargets(
  tasks: PlannedCell["tasks"],
  splits: PlannedCell["splits"],
  wanted: readonly string[],
): Target[] {
  const parts = tasks.map((task, b) => {
    const columns = task.scenarios
      .filter(({ id }) => wanted.includes(id))
      .flatMap(({ begin, count }) => Array.from({ length: count }, (_, i) => begin + i));
    return { ...task, columns, targets: new Set(splits[b]!.targets.map((row) => task.matrix.subjects[row]!)) };
  });
  const asked = parts.filter(({ columns }) => columns.length > 0);
  const names = [...asked[0]!.targets].filter((name) => asked.every(({ targets }) => targets.has(name)));
  return names.flatMap((name) => {
    const answers = new Map<string, number>();
    for (const { matrix, columns } of asked) {
      const row = matrix.subjects.indexOf(name);
      for (const column of columns) answers.set(matrix.items[column]!.item_id, scoreAt(matrix, row, column));
    }
    return [...answers.values()].some(Number.isNaN) ? [] : [{ name, answers }];
  });
}

/** Every k-th, so that at most `most` are left. */
function evenly(count: number, most: number): (value: unknown, at: number) => boolean {
  const step = Math.ceil(count / most);
  return (_, at) => at % step === 0;
}

function replaysOf(
  pool: ItemPool,
  wanted: readonly string[],
  targets: readonly Target[],
  { share, batch, stop, repeats, pairs = stop?.better ?? false }: ReplayOptions,
  random: RandomSource,
): Found[] {
  const population = pool.population(wanted);
  const { count: items } = population;
  const budget = Math.min(items, Math.max(LEAST_BUDGET, Math.round(share * items)));
  const models = pairs ? 2 : 1;
  const settings: AdaptiveOptions = {
    models,
    scenarios: wanted,
    budget,
    ...(batch !== undefined && { batch: Math.min(batch, budget) }),
    ...(stop && { stop }),
  };
  const scenario = wanted.length > 1 ? "overall" : wanted[0]!;
  const groups = models === 1 ? targets.map((one) => [one]) : targets.slice(1).map((one, k) => [targets[k]!, one]);
  return groups.flatMap((group) => {
    const answers = group.map((one) => one.answers);
    const values = scoreVector(pool, population, answers);
    const truth = values.reduce((sum, y, i) => sum + population.weights[i]! * y, 0);
    const target = group.map(({ name }) => name).join(" / ");
    return Array.from({ length: repeats }, (_, r) => {
      const found = replay(pool, settings, answers, truth, random.fork(`${scenario} ${target} ${r}`));
      const uniformVariance = evenVariance(population, values, found.asked);
      return { scenario, items, budget, target, replay: found, uniformVariance };
    });
  });
}

/** Scores of all items, of two models y_B − y_A. */
function scoreVector(
  pool: ItemPool,
  { count, lines }: PoolPopulation,
  answers: readonly ReadonlyMap<string, number>[],
) {
  return Float64Array.from({ length: count }, (_, i) => {
    const [a, b] = answers.map((own) => own.get(pool.item(lines[i]!).item_id)!);
    return b === undefined ? a! : b - a!;
  });
}

/**
 * Variance of Σ W_s·ȳ_s, ȳ_s the weighted mean of n/S items of each of S scenarios drawn uniformly without replacement,
 * with equal weights within a scenario: W_s²(1 − n_s/N_s)S_s²/n_s summed.
 */
function evenVariance({ scenarios, weights }: PoolPopulation, values: Float64Array, asked: number): number {
  const n = asked / scenarios.length;
  return scenarios.reduce((sum, { begin, bank: { count } }) => {
    const own = values.subarray(begin, begin + count);
    const share = weights.subarray(begin, begin + count).reduce((total, weight) => total + weight, 0);
    // A weighted mean errs by its linearised values (y − S_s)·w·N.
    const truth = own.reduce((total, y, i) => total + weights[begin + i]! * y, 0) / share;
    const squares = own.reduce((total, y, i) => total + (((y - truth) * weights[begin + i]! * count) / share) ** 2, 0);
    return n >= count ? sum : sum + (share ** 2 * (1 - n / count) * squares) / (count - 1) / n;
  }, 0);
}

function replayRow({ split, stop }: ReplayOptions, found: readonly Found[]): ReplayRow {
  const mean = (of: (own: Found) => number): number => found.reduce((sum, own) => sum + of(own), 0) / found.length;
  const rmse = Math.sqrt(mean(({ replay: { error } }) => error ** 2));
  const uniformRmse = Math.sqrt(mean(({ uniformVariance }) => uniformVariance));
  const [{ scenario, items, budget }] = found as [Found];
  return {
    scenario,
    split,
    items,
    budget,
    targets: new Set(found.map(({ target }) => target)).size,
    replays: found.length,
    rmse: 100 * rmse,
    bias: 100 * mean(({ replay: { error } }) => error),
    uniformRmse: 100 * uniformRmse,
    effectiveSize: stop === undefined ? (uniformRmse / rmse) ** 2 : null,
    coverage: mean(({ replay: { covered } }) => Number(covered)),
    halfWidth: 100 * mean(({ replay: { halfWidth } }) => halfWidth),
    asked: mean(({ replay: { asked } }) => asked),
    earlyStops: mean(({ replay: { early } }) => Number(early)),
    falseStops: mean(({ replay: { falseStop } }) => Number(falseStop)),
  };
}
