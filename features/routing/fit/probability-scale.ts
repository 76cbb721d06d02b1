import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { pickModels, safeLogit, scaledChance } from "anchoreval/internal/features/routing/core/predict-chances";
import { numbers, mean } from "../../../offline-trainer/src/numeric/statistics.ts";

/** Bins of equal width for the calibration error. */
const BINS = 10;
/** Probabilities are taken this far from 0 and 1, so that one confident miss isn't infinitely bad. */
const MARGIN = 1e-6;

/** How well probabilities predict answers of 0 and 1, over all cells that have an answer. */
export interface ForecastQuality {
  readonly cells: number;
  /** Mean (p − y)², in [0,1]. */
  readonly brier: number;
  /** Mean −log of the probability of the observed answer, in nats. */
  readonly logLoss: number;
  /** Σ_bins share of cells·|mean p − mean y|, ten bins of equal width, in [0,1]. */
  readonly calibrationError: number;
}

/**
 * Brier score, log loss and expected calibration error; null where there is no answer.
 * @see Brier (1950), Monthly Weather Review 78, 1–3; Naeini, Cooper & Hauskrecht (2015), AAAI (the calibration error)
 * @example forecastQuality(Float64Array.of(0.8), Float64Array.of(1))?.brier // ≈ 0.04
 */
export function forecastQuality(probabilities: Float64Array, answers: Float64Array): ForecastQuality | null {
  let [cells, squares, losses] = [0, 0, 0];
  const sums = new Float64Array(BINS);
  probabilities.forEach((p, at) => {
    const answer = answers[at]!;
    if (Number.isNaN(answer)) return;
    const kept = Math.min(1 - MARGIN, Math.max(MARGIN, p));
    const bin = Math.min(BINS - 1, Math.floor(p * BINS));
    cells++;
    squares += (p - answer) ** 2;
    losses -= answer === 1 ? Math.log(kept) : Math.log1p(-kept);
    sums[bin] = sums[bin]! + p - answer;
  });
  if (cells === 0) return null;
  return {
    cells,
    brier: squares / cells,
    logLoss: losses / cells,
    calibrationError: sums.reduce((sum, error) => sum + Math.abs(error), 0) / cells,
  };
}

/** Folds of train questions: question i is in fold i mod 10. */
const FOLDS = 10;

/**
 * One shift for all models, or one for each: whichever has the smaller log loss on folds of questions that the scale
 * wasn't fitted to; the first if equal.
 * @param leftOut - `[i·M + m]`, each question predicted by the others @param answers - 1, 0 or NaN
 * @returns the scale, the probabilities that other folds' scales make of the questions, and the quality of these
 */
export function chooseScale(leftOut: Float64Array, answers: Float64Array, models: number) {
  const [one, each] = (["all", "model"] as const).map((shiftOf) => {
    const crossFitted = crossFit(leftOut, answers, models, shiftOf);
    return { shiftOf, crossFitted, scaled: forecastQuality(crossFitted, answers)! };
  });
  const chosen = each!.scaled.logLoss < one!.scaled.logLoss ? each! : one!;
  return { ...chosen, scale: fitProbabilityScale(leftOut, answers, models, chosen.shiftOf) };
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

/** Scales predictions of questions by the others ({@link chooseScale}) and measures them. @param penalties - by model */
export function scaleForecast(leftOut: Float64Array, answers: Float64Array, penalties: Float64Array) {
  const chosen = chooseScale(leftOut, answers, penalties.length);
  const picks = pickModels(chosen.crossFitted, penalties);
  return {
    ...chosen,
    raw: forecastQuality(leftOut, answers)!,
    /** Share of the picks that are right, and their mean penalty. */
    right: shareRight(answers, picks, penalties.length),
    penalty: picks.reduce((sum, m) => sum + penalties[m]!, 0) / picks.length,
  };
}

/** The forecast whose picks are most often right, less their penalties; if equal, the one with the smallest log loss. */
export function bestForecast<Own extends ReturnType<typeof scaleForecast>>(forecasts: readonly Own[]): Own {
  return forecasts.reduce((best, other) => {
    const gain = other.right - other.penalty - (best.right - best.penalty);
    return gain > 0 || (gain === 0 && other.scaled.logLoss < best.scaled.logLoss) ? other : best;
  });
}

/** Mean answer of the picked models, over questions with a known one. @param answers - `[i·M + m]`, 1, 0 or NaN */
export function shareRight(answers: Float64Array, picks: Uint32Array, models: number): number {
  return mean(numbers(Array.from(picks, (m, i) => answers[i * models + m]!)));
}

/** The model with the largest share of right answers, the first of equals. */
export function mostRight(answers: Float64Array, models: number): number {
  const shares = Array.from({ length: models }, (_, m) =>
    shareRight(answers, new Uint32Array(answers.length / models).fill(m), models),
  );
  return shares.indexOf(Math.max(...shares));
}

/** Smallest slope: it preserves the order of probabilities, however uninformative they are. */
const LEAST_SLOPE = 0.01;
const ITERATIONS = 50;

/** logit p′ = shift_m + slope·logit p of model m. */
interface ProbabilityScale {
  /** By model; while it is fitted, by group of models. */
  readonly shifts: Float64Array;
  readonly slope: number;
}

/** One shift for all models, which keeps their order within a question, or one for each. */
export type ShiftOf = "all" | "model";

/**
 * Scales probabilities to answers by logistic regression on their logits: a temperature, 1/slope, and shifts. A model's
 * own shift has the prior N(0,1), so that one with all answers right stays finite.
 * @param probabilities - `[i·M + m]`, predicted without the answers that they are compared with
 * @param answers - 1, 0, or NaN, which is ignored
 * @see Platt (1999), Advances in Large Margin Classifiers, 61–74; Guo et al. (2017), ICML (temperature)
 */
export function fitProbabilityScale(
  probabilities: Float64Array,
  answers: Float64Array,
  models: number,
  shiftOf: ShiftOf,
): ProbabilityScale {
  const apart = shiftOf === "model";
  const group = Uint32Array.from({ length: models }, (_, m) => (apart ? m : 0));
  const data: ScaleData = { logits: probabilities.map(safeLogit), answers, group, prior: apart ? 1 : 0 };
  let scale: ProbabilityScale = { shifts: new Float64Array(apart ? models : 1), slope: 1 };
  let value = penalizedLoss(data, scale);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const step = newtonStep(data, scale);
    let next = value;
    for (let share = 1; share > 1e-6; share /= 2) {
      const trial = {
        shifts: scale.shifts.map((shift, g) => shift + share * step.shifts[g]!),
        slope: Math.max(LEAST_SLOPE, scale.slope + share * step.slope),
      };
      const loss = penalizedLoss(data, trial);
      if (loss >= value) continue;
      scale = trial;
      next = loss;
      break;
    }
    if (!(value - next > 1e-12 * value)) break;
    value = next;
  }
  return { shifts: Float64Array.from(group, (g) => scale.shifts[g]!), slope: scale.slope };
}

/** Applies a scale. @returns probabilities in (0,1) */
export function scaledProbabilities(probabilities: Float64Array, { shifts, slope }: ProbabilityScale): Float64Array {
  return probabilities.map((p, at) => scaledChance(p, shifts[at % shifts.length]!, slope));
}

interface ScaleData {
  readonly logits: Float64Array;
  readonly answers: Float64Array;
  readonly group: Uint32Array;
  /** Precision of the groups' shifts. */
  readonly prior: number;
}

/** Newton's step; the Hessian is an arrow, as each shift interacts with the slope only. */
function newtonStep(
  { logits, answers, group, prior }: ScaleData,
  { shifts, slope }: ProbabilityScale,
): ProbabilityScale {
  const gradient = shifts.map((shift) => -prior * shift);
  const curvature = new Float64Array(shifts.length).fill(prior + 1e-9);
  const mixed = new Float64Array(shifts.length);
  let [g1, h11] = [0, 1e-9];
  logits.forEach((x, at) => {
    const answer = answers[at]!;
    if (Number.isNaN(answer)) return;
    const g = group[at % group.length]!;
    const fitted = sigmoid(shifts[g]! + slope * x);
    const weight = fitted * (1 - fitted);
    gradient[g] = gradient[g]! + answer - fitted;
    curvature[g] = curvature[g]! + weight;
    mixed[g] = mixed[g]! + weight * x;
    g1 += (answer - fitted) * x;
    h11 += weight * x * x;
  });
  let [schur, right] = [h11, g1];
  shifts.forEach((_, g) => {
    schur -= mixed[g]! ** 2 / curvature[g]!;
    right -= (mixed[g]! * gradient[g]!) / curvature[g]!;
  });
  const free = schur > 1e-12 * h11 ? right / schur : 0;
  // At the smallest slope, only the shifts move where the slope would fall further.
  const change = slope === LEAST_SLOPE && free <= 0 ? 0 : free;
  return { shifts: gradient.map((ascent, g) => (ascent - mixed[g]! * change) / curvature[g]!), slope: change };
}

function penalizedLoss({ logits, answers, group, prior }: ScaleData, { shifts, slope }: ProbabilityScale): number {
  let value = shifts.reduce((sum, shift) => sum + (prior * shift ** 2) / 2, 0);
  logits.forEach((x, at) => {
    const answer = answers[at]!;
    if (Number.isNaN(answer)) return;
    const fitted = sigmoid(shifts[group[at % group.length]!]! + slope * x);
    value -= answer === 1 ? Math.log(fitted) : Math.log1p(-fitted);
  });
  return value;
}
