import { logit } from "anchoreval/internal/core/numeric/functions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { mean } from "../numeric/statistics.ts";
import type { Parameters } from "./types.ts";
import type { CodedResponses } from "../matrix/code-responses.ts";

/** Share of right answers of every model and item, shrunk by half an answer either way. */
export function shares(responses: CodedResponses): {
  subject: Float64Array;
  item: Float64Array;
  /** How many answers every item has. */
  answers: Float64Array;
} {
  const { subjects, items, signs } = responses;
  const zeros = () => ({ subject: new Float64Array(subjects), item: new Float64Array(items) });
  const [right, seen] = [zeros(), zeros()];
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      if (sign === 0) continue;
      seen.subject[m]! += 1;
      seen.item[i]! += 1;
      if (sign < 0) continue;
      right.subject[m]! += 1;
      right.item[i]! += 1;
    }
  return {
    subject: right.subject.map((credit, m) => (credit + 0.5) / (seen.subject[m]! + 1)),
    item: right.item.map((credit, i) => (credit + 0.5) / (seen.item[i]! + 1)),
    answers: seen.item,
  };
}

/**
 * Where a calibration begins: the first dimension is the models' overall standing (standardised logits of their
 * shares), the others small random directions that break the symmetry; intercepts are the items' own logits.
 */
export function startingValues(responses: CodedResponses, dims: number, random: RandomSource): Parameters {
  const { subjects, items } = responses;
  const { subject, item } = shares(responses);
  const standing = subject.map(logit);
  const middle = mean(standing);
  const deviation = Math.sqrt(mean(standing.map((value) => (value - middle) ** 2))) || 1;
  const theta = new Float64Array(subjects * dims);
  for (let m = 0; m < subjects; m++)
    for (let d = 0; d < dims; d++)
      theta[m * dims + d] = d === 0 ? (standing[m]! - middle) / deviation : 0.5 * random.normal();
  const a = new Float64Array(items * dims);
  for (let i = 0; i < items; i++)
    for (let d = 0; d < dims; d++) a[i * dims + d] = d === 0 ? 0.8 : 0.2 * random.normal();
  return { theta, a, b: item.map((share) => -logit(share)) };
}
