import { type Bounds, clamp } from "./answered-sample.ts";
import type { BaseScores, LogitShift, ScenarioState, SeenScores } from "./types.ts";

/**
 * Degrees of freedom of the shifts' prior, Student's t: a shift that the answers are sure of is hardly shrunk
 * (docs/decisions/estimators.md).
 */
const DEGREES = 3;

/** Its scale in logits: of a model's shift, for a leap of a width of the range at most; of a scenario's from what all share. */
const [SCALE, OWN_SCALE] = [0.75, 0.25];

/** Of answers that tell less a step would have no end. Chosen, not measured. */
const LEAST_INFORMATION = 1e-12;

/**
 * One shift of all items' logits, logit p̂ + δ, as the answered anchors tell it: one step of maximum likelihood from δ = 0.
 * Every answer counts by what it tells of δ, p̂(1−p̂), however its item was chosen: anchors that tell much of the ability are
 * no sample of all items, and the mean of their residuals is none of theirs.
 * @see Cox (1958), Two further applications of a model for binary regression, Biometrika 45, 562–565 (recalibration)
 */
export function logitShift({ weights, spread, predicted, sample }: ScenarioState): LogitShift {
  let [residual, information, answeredSpread] = [0, 0, 0];
  sample.scores.forEach((score, j) => {
    const p = predicted[j]!;
    residual += score - p;
    information += p * (1 - p);
    answeredSpread += weights[sample.items[j]!]! * p * (1 - p);
  });
  return {
    step: residual / Math.max(information, LEAST_INFORMATION),
    information,
    spread: Math.max(0, spread - answeredSpread),
  };
}

/** How far a score lies beyond the source models' range, in widths of it; below 0 inside it. */
export function leapOf(score: number, { worst, best }: SeenScores): number {
  return Math.max(score - best, worst - score) / Math.max(best - worst, 1e-9);
}

/**
 * δ̂, one step from the shift that the answers tell toward its posterior mode under a Student's t prior about 0:
 * δ·I/(I + k), k = (ν+1)/(νσ² + δ²).
 * @param scale - σ in logits
 * @see Lange, Little & Taylor (1989), Robust statistical modeling using the t distribution, JASA 84, 881–896
 */
function shrunkShift({ step, information }: Pick<LogitShift, "step" | "information">, scale: number): number {
  return (step * information) / (information + (DEGREES + 1) / (DEGREES * scale ** 2 + step ** 2));
}

/** Density of the shifts' prior, of a model that doesn't leap, but for a factor. @param shift - in logits */
export function priorDensity(shift: number): number {
  return (1 + (shift / SCALE) ** 2 / DEGREES) ** (-(DEGREES + 1) / 2);
}

/** σ of a model by its leap: as much longer as it leaps further than the range is wide. */
function scaleOf(leap: number): number {
  return SCALE * Math.max(1, leap);
}

/**
 * δ̂ of what scenarios share, each weighing 1/(τ² + 1/I), τ² the variance of its own beside it.
 * @param leap - {@link leapOf} the model over all of them
 */
export function commonShift(shifts: readonly LogitShift[], leap: number): number {
  let [sum, information] = [0, 0];
  for (const shift of shifts) {
    const weight = shift.information / (OWN_SCALE ** 2 * shift.information + 1);
    sum += weight * shift.step;
    information += weight;
  }
  return information > 0 ? shrunkShift({ step: sum / information, information }, scaleOf(leap)) : 0;
}

/**
 * `p-irt` recalibrated: Σ_A w·y + Σ_U w·p̂ + δ̂·Σ_U w·p̂(1−p̂), to first order what the shifted predictions give.
 * @param common - the shift that scenarios share, beside which this one has its own; null where it is estimated alone
 * @param leap - {@link leapOf} the model, where it is
 * @returns within the bounds
 */
export function recalibratedMean(
  { base, shift, bounds }: { readonly base: BaseScores; readonly shift: LogitShift; readonly bounds: Bounds },
  common: number | null,
  leap = 0,
): number {
  const shrunk =
    common === null
      ? shrunkShift(shift, scaleOf(leap))
      : common + shrunkShift({ ...shift, step: shift.step - common }, OWN_SCALE);
  return clamp(base["p-irt"] + shift.spread * shrunk, bounds);
}
