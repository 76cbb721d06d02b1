import type { Integer } from "anchoreval/internal/estimate/types";
import { type EstimatorId, estimatorsOf, estimatorFigure } from "anchoreval/internal/core/estimators/types";
import {
  headlineEstimator,
  intervalKind,
  methodDigest,
  type Method,
} from "../../../offline-trainer/src/methods/method.ts";
import { clusteredError, holdsTruth, winklerScore } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import { kendall, mean, spearman } from "../../../offline-trainer/src/numeric/statistics.ts";
import type { CellEstimate, CellResult } from "./cell.ts";

/** One row of a back-test: errors in points (hundredths of the score). */
export interface BacktestRow {
  readonly scenario: string;
  readonly split: string;
  readonly n: Integer;
  readonly selection: string;
  readonly irtModel: string;
  readonly dims: Integer;
  readonly estimator: EstimatorId;
  /** This row is what a bundle would serve as `score` by default. */
  readonly recommended: boolean;
  /** Digest of everything that defines the configuration. */
  readonly configuration: string;
  readonly mae: number;
  readonly rmse: number;
  /** mean(estimate − truth). */
  readonly bias: number;
  /** 95th percentile of the absolute error. */
  readonly p95: number;
  readonly spearman: number | null;
  readonly kendall: number | null;
  readonly coverage95: number | null;
  readonly halfWidth95: number | null;
  readonly winkler95: number | null;
  readonly intervalMethod: string | null;
  /** Null where random items make no error: the scenario is asked whole. */
  readonly ratioToRandom: number | null;
  readonly randomMae: number;
  /** Of Wilson's 95 % interval on random items; null where a scenario is asked whole, and for overall scores. */
  readonly randomCoverage95: number | null;
  readonly randomHalfWidth95: number | null;
  readonly randomWinkler95: number | null;
  readonly ratioSe: number | null;
  readonly coverageSe: number | null;
  readonly lambda: number | null;
  /** Different targets, and seeds. */
  readonly targets: Integer;
  readonly seeds: Integer;
  readonly failures: Integer;
}

/** Mean error of random items that is only rounding. */
const ROUNDING = 1e-12;

/** The cells of one scenario and size, one a seed (or a fold of it). */
interface RowInput {
  readonly scenario: string;
  readonly split: string;
  readonly n: number;
  readonly method: Method;
  readonly isDefault: boolean;
  readonly seeds: readonly (readonly CellResult[])[];
}

/** Rows of all estimators for one scenario, split and size. Standard errors cluster by target model. */
export function backtestRows(input: RowInput): BacktestRow[] {
  const { scenario, split, n, method, isDefault, seeds } = input;
  const cells = seeds.flat();
  const estimates = cells.flatMap((cell) => cell.estimates);
  if (estimates.length === 0) return [];
  const headline = headlineEstimator(method);
  const digest = methodDigest(method);
  const randomMae = mean(estimates.map((estimate) => estimate.randomError));
  return estimatorsOf(estimates[0]!.estimators).map((estimator): BacktestRow => {
    const errors = estimates.map((estimate) => estimatorFigure(estimate.estimators, estimator) - estimate.truth);
    const absolute = errors.map(Math.abs);
    const mae = mean(absolute);
    const ratio = randomMae > ROUNDING ? mae / randomMae : null;
    const withInterval = estimator === headline && estimates.every((estimate) => estimate.interval !== null);
    const rank = (measure: typeof spearman): number | null => {
      const draws = seeds.flatMap((results) => byDraw(results.flatMap((cell) => cell.estimates)));
      const values = draws.flatMap((drawn) => {
        const scores = drawn.map((estimate) => estimatorFigure(estimate.estimators, estimator));
        return (
          measure(
            scores,
            drawn.map(({ truth }) => truth),
          ) ?? []
        );
      });
      return values.length > 0 ? mean(values) : null;
    };
    return {
      scenario,
      split,
      n,
      selection: method.settings.selection,
      irtModel: method.settings.irtModel,
      dims: cells[0]!.dims,
      estimator,
      recommended: isDefault && estimator === headline,
      configuration: digest,
      mae: 100 * mae,
      rmse: 100 * Math.sqrt(mean(errors.map((error) => error * error))),
      bias: 100 * mean(errors),
      p95: 100 * quantile(absolute, 0.95),
      spearman: rank(spearman),
      kendall: rank(kendall),
      ...(withInterval
        ? intervalFigures(estimates)
        : { coverage95: null, halfWidth95: null, winkler95: null, coverageSe: null }),
      intervalMethod: withInterval ? intervalMethod(method) : null,
      ratioToRandom: ratio,
      randomMae: 100 * randomMae,
      ...randomFigures(estimates),
      ratioSe: ratio === null ? null : ratioError(estimates, absolute, ratio),
      lambda: estimator === "gp-irt" ? meanLambda(cells) : null,
      targets: new Set(estimates.map((estimate) => estimate.model)).size,
      seeds: seeds.length,
      failures: estimates.filter((estimate) => estimate.failed).length,
    };
  });
}

/** Estimates by the form that they are of. */
function byDraw(estimates: readonly CellEstimate[]): CellEstimate[][] {
  return [...new Set(estimates.map(({ draw }) => draw))].map((draw) =>
    estimates.filter((estimate) => estimate.draw === draw),
  );
}

function intervalMethod(method: Method): string {
  if (intervalKind(method) === "cross-validated") return "cross-validated";
  return headlineEstimator(method) === "gate" ? "conformal" : "design-based";
}

function meanLambda(cells: readonly CellResult[]): number | null {
  const lambdas = cells.flatMap(({ lambda }) => (lambda === null ? [] : [lambda]));
  return lambdas.length > 0 ? mean(lambdas) : null;
}

function intervalFigures(
  estimates: readonly CellEstimate[],
): Pick<BacktestRow, "coverage95" | "halfWidth95" | "winkler95" | "coverageSe"> {
  const hits = estimates.map(({ interval, truth }) => (holdsTruth(interval!, truth) ? 1 : 0));
  const coverage = mean(hits);
  return {
    coverage95: coverage,
    halfWidth95: 100 * mean(estimates.map(({ interval }) => (interval!.high - interval!.low) / 2)),
    winkler95: 100 * mean(estimates.map(({ interval, truth }) => winklerScore(interval!, truth, 0.95))),
    coverageSe: clusteredError(
      estimates.map(({ model }) => model),
      hits.map((hit) => hit - coverage),
      estimates.length,
    ),
  };
}

/** Errors and widths of as many random items with Wilson's interval, on the same targets. */
function randomFigures(
  estimates: readonly CellEstimate[],
): Pick<BacktestRow, "randomCoverage95" | "randomHalfWidth95" | "randomWinkler95"> {
  const intervals = estimates.flatMap(({ randomInterval }) => (randomInterval === null ? [] : [randomInterval]));
  if (intervals.length < estimates.length)
    return { randomCoverage95: null, randomHalfWidth95: null, randomWinkler95: null };
  return {
    randomCoverage95: mean(intervals.map(({ coverage }) => coverage)),
    randomHalfWidth95: 100 * mean(intervals.map(({ halfWidth }) => halfWidth)),
    randomWinkler95: 100 * mean(intervals.map(({ winkler }) => winkler)),
  };
}

/** Standard error of Σe/Σr over target models, by the delta method. */
function ratioError(estimates: readonly CellEstimate[], errors: readonly number[], ratio: number): number | null {
  return clusteredError(
    estimates.map(({ model }) => model),
    estimates.map(({ randomError }, k) => errors[k]! - ratio * randomError),
    estimates.reduce((sum, { randomError }) => sum + randomError, 0),
  );
}

/** Linear-interpolation quantile. */
function quantile(values: readonly number[], level: number): number {
  const sorted = [...values].sort((x, y) => x - y);
  const at = level * (sorted.length - 1);
  const below = Math.floor(at);
  return sorted[below]! + (at - below) * ((sorted[below + 1] ?? sorted[below]!) - sorted[below]!);
}
