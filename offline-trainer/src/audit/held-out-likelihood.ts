import { softplus, type RandomSource } from "anchoreval/core";
import { calibrate } from "../calibrate/calibrate.ts";
import type { CalibrationBackend, CodedResponses } from "../calibrate/types.ts";

/** How well answers are foretold that a calibration has not seen. Log-likelihoods are in nats an answer. */
export interface HeldOutLikelihood {
  /** Answers held out. */
  readonly answers: number;
  readonly model: number;
  /** Of every item's share of right answers among the others, shrunk by half an answer either way. */
  readonly itemMeans: number;
  /** model − itemMeans, and its standard error, models as the units that were drawn. */
  readonly gain: number;
  readonly gainError: number;
}

export interface HeldOutLikelihoodOptions {
  readonly dims: number;
  readonly backend: CalibrationBackend;
  readonly random: RandomSource;
  /** Share of the answers that are held out. @default 0.1 */
  readonly share?: number;
  readonly signal?: AbortSignal;
}

/**
 * Holds answers out at random, calibrates on the others, and takes the mean log-likelihood of those held out: cells, not
 * models, so that it tells how well the items' curves describe these models.
 * @returns null where no answer was drawn
 * @throws AnchorEvalError `aborted`
 */
export async function heldOutLikelihood(
  responses: CodedResponses,
  { dims, backend, random, share = 0.1, signal }: HeldOutLikelihoodOptions,
): Promise<HeldOutLikelihood | null> {
  const { subjects, items, signs } = responses;
  const draw = random.fork("cells");
  const seen = signs.map((sign) => (draw.next() < share ? 0 : sign));
  const { theta, a, b } = await calibrate(
    { subjects, items, signs: seen },
    { dims, backend, random: random.fork("calibration"), ...(signal && { signal }) },
  );
  const right = new Float64Array(items);
  const answered = new Float64Array(items);
  seen.forEach((sign, at) => {
    if (sign === 0) return;
    answered[at % items]!++;
    if (sign > 0) right[at % items]!++;
  });
  const totals = { model: new Float64Array(subjects), means: new Float64Array(subjects), answers: 0 };
  const counts = new Float64Array(subjects);
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      if (sign === 0 || seen[m * items + i] !== 0) continue;
      let z = -b[i]!;
      for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
      const mean = (right[i]! + 0.5) / (answered[i]! + 1);
      totals.model[m]! -= softplus(-sign * z);
      totals.means[m]! += Math.log(sign > 0 ? mean : 1 - mean);
      counts[m]!++;
      totals.answers++;
    }
  const n = totals.answers;
  if (n === 0) return null;
  const model = sum(totals.model) / n;
  const itemMeans = sum(totals.means) / n;
  const gain = model - itemMeans;
  const squares = totals.model.map((own, m) => (own - totals.means[m]! - gain * counts[m]!) ** 2);
  return { answers: n, model, itemMeans, gain, gainError: Math.sqrt(sum(squares)) / n };
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
