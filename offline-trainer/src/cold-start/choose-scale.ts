import { forecastQuality } from "./forecast-quality.ts";
import { fitProbabilityScale, scaledProbabilities, type ProbabilityScale, type ShiftOf } from "./probability-scale.ts";

/** Folds of train questions: question i is in fold i mod 10. */
const FOLDS = 10;

/** A scale with what it makes of questions that it wasn't fitted to. */
export interface ChosenScale {
  readonly shiftOf: ShiftOf;
  readonly scale: ProbabilityScale;
  /** The train questions' probabilities, `[i·M + m]`, each scaled by the others' fold. */
  readonly crossFitted: Float64Array;
}

/**
 * One shift for all models, or one for each: whichever has the smaller log loss on folds of questions that the scale
 * wasn't fitted to; of equals the first.
 * @param leftOut - `[i·M + m]`, each question foretold by the others @param answers - 1, 0 or NaN
 */
export function chooseScale(leftOut: Float64Array, answers: Float64Array, models: number): ChosenScale {
  const [one, each] = (["all", "model"] as const).map((shiftOf) => {
    const crossFitted = crossFit(leftOut, answers, models, shiftOf);
    return { shiftOf, crossFitted, loss: forecastQuality(crossFitted, answers)!.logLoss };
  });
  const { shiftOf, crossFitted } = each!.loss < one!.loss ? each! : one!;
  return { shiftOf, crossFitted, scale: fitProbabilityScale(leftOut, answers, models, shiftOf) };
}

function crossFit(leftOut: Float64Array, answers: Float64Array, models: number, shiftOf: ShiftOf): Float64Array {
  const crossFitted = new Float64Array(leftOut.length);
  const foldOf = (at: number): number => Math.floor(at / models) % FOLDS;
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = answers.map((answer, at) => (foldOf(at) === fold ? NaN : answer));
    const scaled = scaledProbabilities(leftOut, fitProbabilityScale(leftOut, others, models, shiftOf));
    for (let at = 0; at < leftOut.length; at++) if (foldOf(at) === fold) crossFitted[at] = scaled[at]!;
  }
  return crossFitted;
}
