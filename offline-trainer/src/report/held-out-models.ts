import type { Blend, EstimatorId } from "anchoreval/core";
import { errorQuantile, heldOutInterval, heldOutScore } from "../fit/held-out-score.ts";
import { servedEvidence } from "../fit/learn-evidence.ts";
import type { HeldOutEstimate } from "../fit/held-out.ts";
import { holdsTruth } from "../fit/interval-figures.ts";
import type { ReportForm, ReportScenario } from "./report-data.ts";

/** A model that was held out: what was estimated without it, and the truth. Fractions. */
export interface HeldOutModel {
  /** Row of the model. */
  readonly model: number;
  readonly truth: number;
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** The held-out models of a scenario and form, each once: of the forms that were drawn on a fold, the first. */
export function heldOutModels(
  { fitted, place }: ReportScenario,
  form: ReportForm,
): { like: HeldOutModel[]; stronger: HeldOutModel[] } {
  const size = Number(form.id);
  const { validation, blends } = servedEvidence(fitted.evidence, place, size);
  const interpolation = validation.interpolation[place]!.get(size) ?? [];
  const extrapolation = validation.extrapolation[place]!.get(size) ?? [];
  const blend = blends[place]!.get(size)!.foldOut;
  const errors = new Map<number, number | null>();
  const crossValidated = (fold: number): number | null => {
    if (!errors.has(fold)) errors.set(fold, quantileWithout(fold, interpolation, form.estimator, blend));
    return errors.get(fold)!;
  };
  const held = (estimates: readonly HeldOutEstimate[]): HeldOutModel[] =>
    estimates
      .filter(({ draw }) => draw === 0)
      .map((estimate) => {
        const { model, truth, fold } = estimate;
        const score = heldOutScore(estimate, form.estimator, blend(estimate));
        const error = form.interval === "design" ? null : crossValidated(fold);
        const around = error === null ? null : { low: Math.max(0, score - error), high: Math.min(1, score + error) };
        return {
          model,
          truth,
          score,
          interval: form.interval === "design" ? heldOutInterval(estimate, form.estimator, blend(estimate)) : around,
        };
      })
      .sort((one, other) => one.truth - other.truth || one.model - other.model);
  return { like: held(interpolation), stronger: held(extrapolation) };
}

/** Whether the interval holds the truth; null where there is none. */
export function holds({ interval, truth }: HeldOutModel): boolean | null {
  return interval && holdsTruth(interval, truth);
}

/** The error that 95 % of the models outside a fold stay within. */
function quantileWithout(
  fold: number,
  estimates: readonly HeldOutEstimate[],
  estimator: EstimatorId,
  blend: (estimate: HeldOutEstimate) => Blend,
): number | null {
  const others = estimates.filter((estimate) => estimate.fold !== fold);
  return errorQuantile(others, estimator, blend, 0.95);
}
