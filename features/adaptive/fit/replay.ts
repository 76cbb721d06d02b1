import type { AdaptiveOptions } from "anchoreval";
import { drawnFrom } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { adaptivePlan } from "anchoreval/internal/features/adaptive/sdk/adaptive-plan";
import type { ItemPool, PoolPopulation } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { pricedPool } from "anchoreval/internal/features/adaptive/sdk/priced";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { overRuns } from "anchoreval/internal/features/adaptive/sdk/over-runs";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { type BacktestPlanOptions, planCells, type PlannedCell } from "../../backtest/fit/plan-cells.ts";
import { evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { learn } from "../../../offline-trainer/src/fit/learn.ts";
import { onlyModels, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import type { Split } from "../../../offline-trainer/src/matrix/splits.ts";
import { abilityPriors } from "../../../offline-trainer/src/calibrate/linking.ts";
import { type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { CellTrials } from "../../../offline-trainer/src/matrix/readers/score-table.ts";
import { notedComponents } from "../../trials/fit/variance-components.ts";
import {
  itemExposure,
  type ItemExposure,
  answersFrom,
  deviation,
  foldPool,
  type Purse,
  replay,
  type Replay,
} from "./replay-model.ts";

export interface ReplayOptions extends Omit<BacktestPlanOptions, "sizes"> {
  readonly backend: CalibrationBackend;
  /** Evaluations of every held-out model, or pair of neighbours by name. */
  readonly repeats: number;
  /** Most held-out models of a split, picked evenly. */
  readonly mostTargets: number;
  /** Share of the items that may be asked: the budget, at least {@link LEAST_BUDGET}. */
  readonly share: number;
  readonly batch?: number;
  /** Two models on the same items, and the difference of their scores. @default where `stop.better` is asked for */
  readonly pairs?: boolean;
  readonly stop?: AdaptiveOptions["stop"];
  /**
   * Trials of the models' cells: expected scores over runs are followed, answers drawn from a cell's trials, and their mean is
   * the truth. `share` is then of answers over items, and may be above 1. Not with pairs, thresholds.
   */
  readonly trials?: readonly CellTrials[];
  /** Items are drawn by what they tell for their price, until the budget is spent. */
  readonly purse?: Purse;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number) => void;
}

/** Smallest budget: with fewer items no score is compared. */
const LEAST_BUDGET = 25;

/** Outcome of the evaluations of a scenario, or of all together; errors in points. */
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
  /**
   * Of as many items as were asked, over runs as many answers, or with prices as many as cost the same, drawn uniformly without replacement in each
   * scenario, as many in each.
   */
  readonly uniformRmse: number;
  /** Effective sample size: (uniformRmse/rmse)². Null without an error, and where a rule may stop early: then errors are meant to be larger. */
  readonly effectiveSize: number | null;
  readonly coverage: number;
  readonly halfWidth: number;
  readonly asked: number;
  /** Mean price of what was asked, and of all items; null without prices. */
  readonly price: { readonly asked: number; readonly whole: number } | null;
  /** Shares of all replays. */
  readonly earlyStops: number;
  readonly falseStops: number;
  /**
   * Of evaluations over runs: mean number of answers beyond the first of every item, and for comparison 1.96 standard
   * deviations of the mean of one trial of every item, and of five. Null for others.
   */
  readonly trials: { readonly again: number; readonly once: number; readonly fiveTimes: number } | null;
  /**
   * Share of the held-out models' evaluations in which an item is given, expected from the probabilities of the draws: the
   * largest, and the one that 95 % of the items stay below, each a mean over the splits. It is smaller where a rule stops
   * early. Null for pairs, and over runs.
   */
  readonly exposure: ItemExposure | null;
}

interface Found extends Replay, Pick<ReplayRow, "scenario" | "items" | "budget" | "exposure"> {
  readonly target: string;
  /** Of all items. */
  readonly whole: number;
  /** Variance of the mean of one trial of every item about its expected score; null but over runs. */
  readonly noise: number | null;
  readonly uniformVariance: number;
}

/**
 * Evaluates held-out models adaptively by their answers in the matrix: parameters are fitted without them, and every scenario
 * is evaluated separately, then all together.
 * @throws AnchorEvalError `invalid_data` where no held-out model has answered every item; what `planCells` throws
 */
export async function runReplays(matrix: ResponseMatrix, options: ReplayOptions): Promise<ReplayRow[]> {
  const cells = planCells(matrix, { ...options, sizes: [LEAST_BUDGET] });
  const replays: Found[] = [];
  for (const [done, cell] of cells.entries()) {
    options.signal?.throwIfAborted();
    options.onProgress?.(done, cells.length);
    replays.push(...(await replayCell(cell, options)));
  }
  if (replays.length === 0)
    throw new AnchorEvalError(
      "invalid_data",
      "no held-out model has answered every item: a replay needs the answers to whatever may be asked",
    );
  const scenarios = [...new Set(replays.map(({ scenario }) => scenario))];
  const rowsOf = (id: string): Found[] => replays.filter(({ scenario }) => scenario === id);
  return scenarios.map((id) => replayRow(options, rowsOf(id)));
}

async function replayCell({ benchmark, split, seed, method }: PlannedCell, options: ReplayOptions): Promise<Found[]> {
  const { backend, trials } = options;
  const random = createRandom(seed).fork("replay");
  const { scenarios } = benchmark;
  const stream = createRandom(seed).fork(scenarios.length > 1 ? "all" : scenarios[0]!.id);
  const forms = [evenForm(LEAST_BUDGET, scenarios)];
  const { linked } = await learn(onlyModels(benchmark, split.sources), method, forms, stream, { backend });
  const notes = trials ? { varianceComponents: sourceComponents(trials, scenarios, split.scenarios) } : {};
  const pool = foldPool(scenarios, linked.scenarios, abilityPriors(linked, method.settings.priorScale), notes);
  const ids = scenarios.map(({ id }) => id);
  const asked = ids.length > 1 ? [...ids.map((id) => [id]), ids] : [ids];
  const replays: Found[] = [];
  for (const wanted of asked) {
    const targets = modelsOf(scenarios, split.scenarios, wanted).filter(({ scores }) => !scores.some(Number.isNaN));
    const step = Math.ceil(targets.length / options.mostTargets);
    const few = targets.filter((_, at) => at % step === 0);
    if (few.length > 0) replays.push(...(await replaysOf(pool, wanted, few, options, random)));
  }
  return replays;
}

/** Variance components of the sources' trials alone. */
function sourceComponents(
  trials: readonly CellTrials[],
  scenarios: readonly Scenario[],
  splits: readonly Split[],
): ReturnType<typeof notedComponents> {
  const sources = scenarios.map(({ matrix }, s) => new Set(splits[s]!.sources.map((row) => matrix.subjects[row]!)));
  const learned = trials.filter(({ model }) => sources.some((models) => models.has(model)));
  return notedComponents(learned, scenarios.flatMap(({ matrix }) => matrix.items)); // prettier-ignore
}

/** A model and its scores, aligned with a population; NaN = no answer. */
interface Answered {
  readonly name: string;
  readonly scores: Float64Array;
}

/** Held-out models of a split in all of some scenarios. */
function modelsOf(scenarios: readonly Scenario[], splits: readonly Split[], wanted: readonly string[]): Answered[] {
  const parts = scenarios.flatMap(({ id, matrix }, s) => {
    const rows = new Map(splits[s]!.targets.map((row) => [matrix.subjects[row]!, row]));
    return wanted.includes(id) ? [{ matrix, rows }] : [];
  });
  const names = [...parts[0]!.rows.keys()].filter((name) => parts.every(({ rows }) => rows.has(name)));
  return names.map((name) => ({
    name,
    scores: Float64Array.from(
      parts.flatMap(({ matrix, rows }) => matrix.items.map((_, i) => scoreAt(matrix, rows.get(name)!, i))),
    ),
  }));
}

async function replaysOf(
  fitted: ItemPool,
  wanted: readonly string[],
  targets: readonly Answered[],
  { share, batch, stop, repeats, pairs = stop?.better ?? false, purse, trials }: ReplayOptions,
  random: RandomSource,
): Promise<Found[]> {
  const open = purse ? pricedPool(fitted, purse) : fitted;
  const population = open.population(wanted);
  const { count: items } = population;
  const budget = Math.min(trials ? Infinity : items, Math.max(LEAST_BUDGET, Math.round(share * items)));
  const models = pairs ? 2 : 1;
  const settings: AdaptiveOptions = {
    models,
    scenarios: wanted,
    budget,
    ...(batch !== undefined && { batch: Math.min(batch, budget) }),
    ...(stop && { stop }),
  };
  const scenario = wanted.length > 1 ? "overall" : wanted[0]!;
  const stream = random.fork(`${scenario} exposure`);
  const pool = { ...open, population: () => population };
  const answers = targets.map(({ scores }) => scores);
  const exposure =
    pairs || trials
      ? null
      : itemExposure(population, adaptivePlan(open, settings), answers, repeats * targets.length, stream.fork("given"));
  const cells = trials && new Map(trials.map(({ model, item, scores }) => [JSON.stringify([model, item]), scores]));
  const groups = models === 1 ? targets.map((one) => [one]) : targets.slice(1).map((one, k) => [targets[k]!, one]);
  const ids = Array.from(population.lines, (line) => pool.item(line).item_id);
  const places = new Map(ids.map((id, i) => [id, i]));
  const whole = purse ? ids.reduce((sum, id) => sum + purse.items.get(id)!, 0) : 0;
  const replays: Found[] = [];
  for (const group of groups) {
    const [a, b] = group.map(({ scores }) => scores);
    const values = b === undefined ? a! : b.map((y, i) => y - a![i]!);
    const truth = values.reduce((sum, y, i) => sum + population.weights[i]! * y, 0);
    const target = group.map(({ name }) => name).join(" / ");
    const tried = cells && ids.map((id) => cells.get(JSON.stringify([target, id]))!);
    const noise = tried && tried.reduce((sum, runs, i) => sum + (population.weights[i]! * deviation(runs)) ** 2, 0);
    for (let r = 0; r < repeats; r++) {
      const stream = random.fork(`${scenario} ${target} ${r}`);
      const scorers = group.map(({ scores }) => answersFrom(places, scores, tried, stream.fork("answers")));
      const plain = drawnFrom(pool, stream);
      const source = tried ? overRuns(plain, pool, purse) : plain;
      const replayed = await replay(source, settings, scorers, truth, purse ?? null);
      const as = whole === 0 ? replayed.asked : (replayed.price / whole) * items;
      const uniformVariance = evenVariance(population, values, as) + ((noise ?? 0) * items) / as;
      replays.push({
        ...replayed,
        whole,
        noise: noise ?? null,
        scenario,
        items,
        budget,
        target,
        uniformVariance,
        exposure,
      });
    }
  }
  return replays;
}

/**
 * Variance of Σ W_s·ȳ_s, ȳ_s the weighted mean of n/S items of each of S scenarios drawn uniformly without replacement,
 * with equal weights within a scenario: W_s²(1 − n_s/N_s)S_s²/n_s summed.
 */
function evenVariance({ scenarios, weights }: PoolPopulation, values: Float64Array, asked: number): number {
  const n = asked / scenarios.length;
  return scenarios.reduce((sum, { begin, bank: { count } }) => {
    const part = values.subarray(begin, begin + count);
    const share = weights.subarray(begin, begin + count).reduce((total, weight) => total + weight, 0);
    // A weighted mean errs by its linearised values (y − S_s)·w·N.
    const truth = part.reduce((total, y, i) => total + weights[begin + i]! * y, 0) / share;
    const squares = part.reduce((total, y, i) => total + (((y - truth) * weights[begin + i]! * count) / share) ** 2, 0);
    return n >= count ? sum : sum + (share ** 2 * (1 - n / count) * squares) / (count - 1) / n;
  }, 0);
}

function replayRow({ split, stop, purse }: ReplayOptions, replays: readonly Found[]): ReplayRow {
  const mean = (valueOf: (one: Found) => number): number =>
    replays.reduce((sum, one) => sum + valueOf(one), 0) / replays.length;
  const rmse = Math.sqrt(mean(({ error }) => error ** 2));
  const uniformRmse = Math.sqrt(mean(({ uniformVariance }) => uniformVariance));
  const [{ scenario, items, budget, exposure, whole, noise }] = replays as [Found];
  const among = (trials: number): number => 100 * 1.96 * mean((one) => Math.sqrt(one.noise! / trials));
  return {
    scenario,
    split,
    items,
    budget,
    targets: new Set(replays.map(({ target }) => target)).size,
    replays: replays.length,
    rmse: 100 * rmse,
    bias: 100 * mean(({ error }) => error),
    uniformRmse: 100 * uniformRmse,
    effectiveSize: stop === undefined && rmse > 0 ? (uniformRmse / rmse) ** 2 : null,
    coverage: mean(({ covered }) => Number(covered)),
    halfWidth: 100 * mean(({ halfWidth }) => halfWidth),
    asked: mean(({ asked }) => asked),
    price: purse ? { asked: mean(({ price }) => price), whole } : null,
    earlyStops: mean(({ early }) => Number(early)),
    falseStops: mean(({ falseStop }) => Number(falseStop)),
    trials: noise === null ? null : { again: mean(({ again }) => again), once: among(1), fiveTimes: among(5) },
    exposure: exposure && {
      most: mean((one) => one.exposure!.most),
      percentile95: mean((one) => one.exposure!.percentile95),
    },
  };
}
