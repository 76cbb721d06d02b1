import { clamp } from "anchoreval/internal/core/estimators/answered-sample";
import type { FullScoreLine } from "anchoreval/internal/core/scoring/full-score";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { fullScores, type ScenarioSlice } from "../matrix/scenarios.ts";
import { mean, total } from "../numeric/statistics.ts";

/** Variance of slopes about 1 that is expected before any model is seen. Chosen, not measured. */
const SLOPE_VARIANCE = 0.25;

/** The means of S and F over some models, and the sums of their squares and products about them. */
interface Moments {
  readonly models: number;
  readonly mean: number;
  readonly level: number;
  readonly squares: number;
  readonly products: number;
  readonly fullSquares: number;
}

/**
 * The line from S, the mean over a scenario's items, to the full scores F that models were given with, F̂ = F̄ + β(S − S̄)
 * over the models that have both. β lies between the regression of F on S, which is right of models like these, and the
 * reverse of that of S on F, as near to 1 as that allows: S is known by its items alone, so that a model beyond the range
 * doesn't come back to the others' mean as one of theirs would. Both are shrunken toward 1, least squares with
 * λ(β − 1)², λ = σ²/¼, σ² the variance that F has about the first of them; at least 0.
 * Its error is that of each model by the line of the others.
 * @returns null where no full scores were given
 * @see Frisch (1934), Statistical Confluence Analysis; Allen (1974), Technometrics 16, 125–127 (PRESS)
 */
export function fullScoreLine(matrix: ResponseMatrix, slice: ScenarioSlice): FullScoreLine | null {
  if (!matrix.fullScores) return null;
  const { score, items } = fullScores(matrix, slice);
  const rows = [...score.keys()].filter((m) => !Number.isNaN(score[m]!));
  const [x, y] = [rows.map((m) => items[m]!), rows.map((m) => score[m]!)];
  const all = momentsOf(x, y);
  const errors = x.map((value, k) => {
    const others = withoutOne(all, value, y[k]!);
    return y[k]! - others.level - slopeOf(others).slope * (value - others.mean);
  });
  const { models, mean: middle, level } = all;
  const error = Math.sqrt(mean(errors.map((deviation) => deviation ** 2)));
  return { models, mean: middle, level, ...slopeOf(all), error, worst: Math.min(...x) };
}

function momentsOf(x: readonly number[], y: readonly number[]): Moments {
  const [middle, level] = [mean(x), mean(y)];
  const sum = (term: (dx: number, dy: number) => number): number =>
    total(x.map((value, k) => term(value - middle, y[k]! - level)));
  return {
    models: x.length,
    mean: middle,
    level,
    squares: sum((dx) => dx * dx),
    products: sum((dx, dy) => dx * dy),
    fullSquares: sum((_, dy) => dy * dy),
  };
}

function withoutOne(
  { models, mean: middle, level, squares, products, fullSquares }: Moments,
  x: number,
  y: number,
): Moments {
  const rest = models - 1;
  const [dx, dy, share] = [x - middle, y - level, models / rest];
  return {
    models: rest,
    mean: middle - dx / rest,
    level: level - dy / rest,
    squares: squares - share * dx * dx,
    products: products - share * dx * dy,
    fullSquares: fullSquares - share * dy * dy,
  };
}

function slopeOf({ models, squares, products, fullSquares }: Moments): Pick<FullScoreLine, "slope" | "spread"> {
  const left = squares > 0 ? fullSquares - products ** 2 / squares : fullSquares;
  const lambda = Math.max(0, left) / Math.max(1, models - 2) / SLOPE_VARIANCE;
  const spread = Math.max(squares + lambda, 1e-12);
  const direct = Math.max(0, (products + lambda) / spread);
  if (!(products > 0)) return { slope: squares > 0 ? direct : 1, spread };
  return { slope: clamp(1, { low: direct, high: (fullSquares + lambda) / (products + lambda) }), spread };
}
