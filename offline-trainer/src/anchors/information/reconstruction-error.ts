import { additiveModel } from "../../smoothing/additive-model.ts";
import { curveAt } from "../../smoothing/smooth-curve.ts";

/** Pieces of the curves that judge: few, since they are fitted again and again. */
const PIECES = 5;

/**
 * Root mean square error of the full score as a sum of smooth curves of some features, by fold: fitted without the fold's
 * models.
 * @param features - columns, a value of every model each
 * @param fold - of every model, from 0; one that holds all models is judged by their own mean
 */
export function reconstructionError(
  features: readonly Float64Array[],
  full: Float64Array,
  fold: ArrayLike<number>,
): number[] {
  const folds = Math.max(...Array.from(fold)) + 1;
  return Array.from({ length: folds }, (_, own) => {
    const [held, others] = [[] as number[], [] as number[]];
    full.forEach((_, m) => (fold[m] === own ? held : others).push(m));
    if (held.length === 0) return 0;
    const of = (values: Float64Array, rows: readonly number[]): Float64Array =>
      Float64Array.from(rows.length > 0 ? rows : held, (m) => values[m]!);
    const { intercept, curves } = additiveModel(
      features.map((values) => of(values, others)),
      of(full, others),
      { pieces: PIECES, tolerance: 0.1, maxSteps: 30 },
    );
    const squares = held.reduce((sum, m) => {
      const score = curves.reduce(
        (total, curve, j) => total + (curve ? curveAt(curve, features[j]![m]!) : 0),
        intercept,
      );
      return sum + (Math.min(1, Math.max(0, score)) - full[m]!) ** 2;
    }, 0);
    return Math.sqrt(squares / held.length);
  });
}
