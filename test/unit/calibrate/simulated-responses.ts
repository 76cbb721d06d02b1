import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { Parameters } from "../../../offline-trainer/src/calibrate/types.ts";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";

export interface SimulatedResponses {
  readonly responses: CodedResponses;
  readonly truth: Parameters;
  readonly dims: number;
}

/** Answers drawn from the 2PL that is fitted: abilities N(0, I), discriminations around 1 (then 0), intercepts N(0, 1.3²). */
export function simulatedResponses({
  subjects,
  items,
  dims,
  missing = 0,
  seed = 1,
}: {
  readonly subjects: number;
  readonly items: number;
  readonly dims: number;
  readonly missing?: number;
  readonly seed?: number;
}): SimulatedResponses {
  const random = createRandom(`simulated responses ${seed}`);
  const theta = Float64Array.from({ length: subjects * dims }, () => random.normal());
  const a = Float64Array.from({ length: items * dims }, (_, k) =>
    k % dims === 0 ? Math.exp(0.3 * random.normal()) : 0.9 * random.normal(),
  );
  const b = Float64Array.from({ length: items }, () => 1.3 * random.normal());
  const truth = { theta, a, b };
  const signs = Int8Array.from({ length: subjects * items }, (_, k) => {
    const right = random.next() < probability(truth, dims, Math.floor(k / items), k % items);
    return random.next() < missing ? 0 : right ? 1 : -1;
  });
  return { responses: { subjects, items, signs }, truth, dims };
}

/** P of subject m on item i. */
export function probability({ theta, a, b }: Parameters, dims: number, m: number, i: number): number {
  let z = -b[i]!;
  for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
  return 1 / (1 + Math.exp(-z));
}

/** Root mean square of a difference over all cells. */
export function cellError(
  left: (m: number, i: number) => number,
  right: (m: number, i: number) => number,
  { subjects, items }: CodedResponses,
): number {
  let squares = 0;
  for (let m = 0; m < subjects; m++) for (let i = 0; i < items; i++) squares += (left(m, i) - right(m, i)) ** 2;
  return Math.sqrt(squares / (subjects * items));
}

export function correlation(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const n = left.length;
  let [x, y, xx, yy, xy] = [0, 0, 0, 0, 0];
  for (let k = 0; k < n; k++) {
    x += left[k]! / n;
    y += right[k]! / n;
  }
  for (let k = 0; k < n; k++) {
    xx += (left[k]! - x) ** 2;
    yy += (right[k]! - y) ** 2;
    xy += (left[k]! - x) * (right[k]! - y);
  }
  return xy / Math.sqrt(xx * yy);
}
