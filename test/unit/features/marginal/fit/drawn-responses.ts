import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponse } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { MarginalModel } from "../../../../../features/marginal/fit/problem.ts";
import type { CodedResponses } from "../../../../../offline-trainer/src/matrix/code-responses.ts";

export interface DrawnResponses {
  readonly responses: CodedResponses;
  readonly bank: ItemBank;
  readonly theta: Float64Array;
}

/** Answers drawn from a one-dimensional model: a about 1, b N(0, 1), asymptotes where the model has them. */
export function drawnResponses({
  model,
  subjects,
  items,
  missing = 0,
  mean = 0,
  sd = 1,
  seed = 1,
}: {
  readonly model: MarginalModel;
  readonly subjects: number;
  readonly items: number;
  readonly missing?: number;
  readonly mean?: number;
  readonly sd?: number;
  readonly seed?: number;
}): DrawnResponses {
  const random = createRandom(`drawn responses ${seed}`);
  const each = (draw: () => number): Float64Array => Float64Array.from({ length: items }, draw);
  const bank = itemBank(
    each(() => (model === "1pl" ? 1.2 : Math.exp(0.25 * random.normal()))),
    each(() => random.normal()),
    {
      lower: each(() => (model === "3pl" || model === "4pl" ? 0.1 + 0.15 * random.next() : 0)),
      upper: each(() => (model === "4pl" ? 0.9 + 0.08 * random.next() : 1)),
    },
  );
  const theta = Float64Array.from({ length: subjects }, () => mean + sd * random.normal());
  const signs = Int8Array.from({ length: subjects * items }, (_, k) => {
    const right = random.next() < itemResponse(theta.subarray(Math.floor(k / items)), bank, k % items);
    return random.next() < missing ? 0 : right ? 1 : -1;
  });
  return { responses: { subjects, items, signs }, bank, theta };
}
