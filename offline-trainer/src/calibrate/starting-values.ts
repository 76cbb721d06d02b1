import type { RandomSource } from "anchoreval/core";
import { logit } from "anchoreval/core";
import type { CodedResponses, Parameters } from "./types.ts";

/** Share of right answers of every model and item, shrunk by half an answer either way. */
export function shares({ subjects, items, signs }: CodedResponses): {
  subject: Float64Array;
  item: Float64Array;
  answers: Float64Array;
} {
  const right = { subject: new Float64Array(subjects), item: new Float64Array(items) };
  const seen = { subject: new Float64Array(subjects), item: new Float64Array(items) };
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      if (sign === 0) continue;
      seen.subject[m] = seen.subject[m]! + 1;
      seen.item[i] = seen.item[i]! + 1;
      if (sign > 0) {
        right.subject[m] = right.subject[m]! + 1;
        right.item[i] = right.item[i]! + 1;
      }
    }
  return {
    subject: right.subject.map((count, m) => (count + 0.5) / (seen.subject[m]! + 1)),
    item: right.item.map((count, i) => (count + 0.5) / (seen.item[i]! + 1)),
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
  const mean = standing.reduce((sum, value) => sum + value, 0) / subjects;
  const deviation = Math.sqrt(standing.reduce((sum, value) => sum + (value - mean) ** 2, 0) / subjects) || 1;
  const theta = new Float64Array(subjects * dims);
  for (let m = 0; m < subjects; m++)
    for (let d = 0; d < dims; d++)
      theta[m * dims + d] = d === 0 ? (standing[m]! - mean) / deviation : 0.5 * random.normal();
  const a = new Float64Array(items * dims);
  for (let i = 0; i < items; i++)
    for (let d = 0; d < dims; d++) a[i * dims + d] = d === 0 ? 0.8 : 0.2 * random.normal();
  return { theta, a, b: item.map((share) => -logit(share)) };
}
