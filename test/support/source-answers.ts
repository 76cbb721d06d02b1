import type { AnchorFactors } from "anchoreval/internal/core/estimators/types";
import { cholesky, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";

/** Answers of some source models (rows) to some items, drawn so that models and items differ. */
export function drawnAnswers(random: RandomSource, models: number, items: number): Float64Array[] {
  const ease = Array.from({ length: items }, () => random.next());
  return Array.from({ length: models }, () => {
    const skill = 0.6 * random.next() - 0.3;
    return Float64Array.from(ease, (own) => (random.next() < own + skill ? 1 : 0));
  });
}

/** Values divided by their sum. */
export function normalised(values: Float64Array): Float64Array {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.map((value) => value / sum);
}

/** Factors of the answers without any decomposition: a factor a model, z = (y − μ)/√M, d = α/M. */
export function plainAnswerFactors(
  answers: readonly Float64Array[],
  weights: Float64Array,
  penalty: number,
  rows: ArrayLike<number> = weights.map((_, i) => i),
): AnchorFactors {
  const models = answers.length;
  const means = weights.map((_, i) => answers.reduce((sum, own) => sum + own[i]! / models, 0));
  const loading = (i: number, m: number): number => (answers[m]![i]! - means[i]!) / Math.sqrt(models);
  return {
    rank: models,
    mean: Float64Array.from(rows, (i) => means[i]!),
    loadings: Float64Array.from(
      Array.from(rows).flatMap((i) => Array.from({ length: models }, (_, m) => loading(i, m))),
    ),
    noise: new Float64Array(rows.length).fill(penalty / models),
    total: {
      mean: weights.reduce((sum, weight, i) => sum + weight * means[i]!, 0),
      loadings: Float64Array.from({ length: models }, (_, m) =>
        weights.reduce((sum, weight, i) => sum + weight * loading(i, m), 0),
      ),
    },
  };
}

/**
 * Ridge regression with an intercept that isn't penalised, its normal equations written out.
 * @param rows - observations of the features
 * @returns the prediction at some features
 */
export function ridgeRegression(
  rows: readonly ArrayLike<number>[],
  values: ArrayLike<number>,
  penalty: number,
): (features: ArrayLike<number>) => number {
  const size = rows[0]!.length;
  const centre = Float64Array.from({ length: size }, (_, k) =>
    rows.reduce((sum, row) => sum + row[k]! / rows.length, 0),
  );
  const level = rows.reduce((sum, _, j) => sum + values[j]! / rows.length, 0);
  const system = new Float64Array(size * size);
  const toward = new Float64Array(size);
  rows.forEach((row, j) => {
    for (let r = 0; r < size; r++) {
      toward[r]! += (row[r]! - centre[r]!) * (values[j]! - level);
      for (let c = 0; c < size; c++) system[r * size + c]! += (row[r]! - centre[r]!) * (row[c]! - centre[c]!);
    }
  });
  for (let r = 0; r < size; r++) system[r * size + r]! += penalty;
  const slope = choleskySolve(cholesky(system, size)!, size, toward);
  return (features) => slope.reduce((sum, own, k) => sum + own * (features[k]! - centre[k]!), level);
}

/** Some items of a scenario as anchors, all answered. */
export interface DrawnAnchors {
  readonly items: Uint32Array;
  readonly positions: Uint32Array;
  readonly mass: Float64Array;
  readonly scores: Float64Array;
}

/** @param total - items of the scenario @param count - anchors among them */
export function drawnAnchors(random: RandomSource, total: number, count: number): DrawnAnchors {
  const items = Uint32Array.from(random.shuffle(Array.from({ length: total }, (_, i) => i)).slice(0, count));
  return {
    items,
    positions: items.map((_, j) => j),
    mass: normalised(Float64Array.from(items, () => 0.2 + random.next())),
    scores: Float64Array.from(items, () => (random.next() < 0.5 ? random.next() : 1)),
  };
}
