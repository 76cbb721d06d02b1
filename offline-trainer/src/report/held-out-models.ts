import { crossFittedInterval, heldOutScore, holdsTruth, type ScoreInterval } from "../fit/held-out-scores.ts";
import { servedEvidence } from "../fit/learn-evidence.ts";
import type { HeldOutEstimate } from "../fit/held-out.ts";
import type { ReportForm, ReportScenario } from "./report-data.ts";

/** A model that was held out: what was estimated without it, and the truth. Fractions. */
export interface HeldOutModel {
  /** Row of the model. */
  readonly model: number;
  readonly truth: number;
  readonly score: number;
  readonly interval: ScoreInterval | null;
}

/** The held-out models of a scenario and form, each once: of the forms that were drawn on a fold, the first. */
export function heldOutModels(
  { fitted, place }: ReportScenario,
  form: ReportForm,
): { like: HeldOutModel[]; stronger: HeldOutModel[] } {
  const { validation, blends } = servedEvidence(fitted.evidence, place, form.id);
  const interpolation = validation.interpolation[place]!.get(form.id) ?? [];
  const extrapolation = validation.extrapolation[place]!.get(form.id) ?? [];
  const blend = blends[place]!.get(form.id)!.foldOut;
  const intervalOf = crossFittedInterval({ ...form, blend, interpolation, extrapolation });
  const held = (estimates: readonly HeldOutEstimate[]): HeldOutModel[] =>
    estimates
      .filter(({ draw }) => draw === 0)
      .map((estimate) => ({
        model: estimate.model,
        truth: estimate.truth,
        score: heldOutScore(estimate, form.estimator, blend(estimate)),
        interval: intervalOf(estimate),
      }))
      .sort((one, other) => one.truth - other.truth || one.model - other.model);
  return { like: held(interpolation), stronger: held(extrapolation) };
}

/** Whether the interval holds the truth; null where there is none. */
export function holds({ interval, truth }: HeldOutModel): boolean | null {
  return interval && holdsTruth(interval, truth);
}
