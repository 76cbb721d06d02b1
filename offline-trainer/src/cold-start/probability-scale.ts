import { logit, sigmoid } from "anchoreval/core";

/** A slope that keeps the order of probabilities, however little they say. */
const LEAST_SLOPE = 0.01;
const ITERATIONS = 50;
/** Probabilities are taken this far from 0 and 1. */
const MARGIN = 1e-6;

/** logit p′ = shift + slope·logit p. */
export interface ProbabilityScale {
  readonly shift: number;
  readonly slope: number;
}

/**
 * Scales probabilities to answers by logistic regression on their logits: a temperature, 1/slope, and a shift. One scale
 * for all models, so that it keeps the order of models within a question.
 * @param probabilities - foretold without the answers that they are compared with
 * @param answers - 1, 0, or NaN, which counts nothing
 * @see Platt (1999), Advances in Large Margin Classifiers, 61–74; Guo et al. (2017), ICML (temperature)
 */
export function fitProbabilityScale(probabilities: Float64Array, answers: Float64Array): ProbabilityScale {
  const logits = probabilities.map(safeLogit);
  let scale: ProbabilityScale = { shift: 0, slope: 1 };
  let value = negativeLogLikelihood(logits, answers, scale);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const step = newtonStep(logits, answers, scale);
    let next = value;
    for (let share = 1; share > 1e-6; share /= 2) {
      const trial = {
        shift: scale.shift + share * step.shift,
        slope: Math.max(LEAST_SLOPE, scale.slope + share * step.slope),
      };
      const own = negativeLogLikelihood(logits, answers, trial);
      if (own >= value) continue;
      scale = trial;
      next = own;
      break;
    }
    if (!(value - next > 1e-12 * value)) break;
    value = next;
  }
  return scale;
}

/** Applies a scale. @returns probabilities in (0,1) */
export function scaledProbabilities(probabilities: Float64Array, { shift, slope }: ProbabilityScale): Float64Array {
  return probabilities.map((p) => sigmoid(shift + slope * safeLogit(p)));
}

function safeLogit(p: number): number {
  return logit(Math.min(1 - MARGIN, Math.max(MARGIN, p)));
}

function newtonStep(logits: Float64Array, answers: Float64Array, scale: ProbabilityScale): ProbabilityScale {
  let [g0, g1, h00, h01, h11] = [0, 0, 1e-9, 0, 1e-9];
  logits.forEach((x, at) => {
    const answer = answers[at]!;
    if (Number.isNaN(answer)) return;
    const fitted = sigmoid(scale.shift + scale.slope * x);
    const weight = fitted * (1 - fitted);
    g0 += answer - fitted;
    g1 += (answer - fitted) * x;
    h00 += weight;
    h01 += weight * x;
    h11 += weight * x * x;
  });
  // At the least slope, only the shift can move on where the slope would fall.
  const determinant = h00 * h11 - h01 * h01;
  const slope = determinant > 1e-12 * h00 * h11 ? (h00 * g1 - h01 * g0) / determinant : 0;
  if (scale.slope === LEAST_SLOPE && slope <= 0) return { shift: g0 / h00, slope: 0 };
  return { shift: (g0 - h01 * slope) / h00, slope };
}

function negativeLogLikelihood(
  logits: Float64Array,
  answers: Float64Array,
  { shift, slope }: ProbabilityScale,
): number {
  let value = 0;
  logits.forEach((x, at) => {
    const answer = answers[at]!;
    if (Number.isNaN(answer)) return;
    const fitted = sigmoid(shift + slope * x);
    value -= answer === 1 ? Math.log(fitted) : Math.log1p(-fitted);
  });
  return value;
}
