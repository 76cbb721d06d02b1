import { type AbilityPrior, AnchorEvalError, itemBank, mapAbility } from "anchoreval/core";
import type { Parameters } from "./types.ts";
import type { Responses } from "../matrix/code-responses.ts";

/** Items whose parameters stand, say by a published bundle: the others, and all models, are put on their scale. */
export interface KnownItems {
  /** 1 where an item's parameters are known, N numbers. */
  readonly known: Uint8Array;
  /** Discriminations, N×D; read where known. */
  readonly a: Float64Array;
  /** Intercepts, N; read where known. */
  readonly b: Float64Array;
  /** Of abilities, on that scale. */
  readonly prior: AbilityPrior;
}

/**
 * Puts a start onto the known items' scale: their parameters, and abilities by the models' answers to them (MAP).
 * New items begin along the known ones' mean discrimination.
 * @param start - overwritten
 * @throws AnchorEvalError `invalid_option` where no item is known, or arrays don't fit
 */
export function startFromKnown(start: Parameters, responses: Responses, dims: number, items: KnownItems): void {
  const { known, a, b, prior } = items;
  const { subjects, items: count } = responses;
  const own = Array.from(known.keys()).filter((i) => known[i] !== 0);
  if (own.length === 0 || known.length !== count || a.length !== count * dims || b.length !== count)
    throw new AnchorEvalError(
      "invalid_option",
      `known items: ${own.length} of ${known.length} are known, with ${a.length} discriminations; ${count} items in ${dims} dimensions are calibrated`,
    );
  const direction = new Float64Array(dims);
  for (const i of own) for (let d = 0; d < dims; d++) direction[d] = direction[d]! + a[i * dims + d]! / own.length;
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dims; d++) start.a[i * dims + d] = known[i] ? a[i * dims + d]! : direction[d]!;
    if (known[i]) start.b[i] = b[i]!;
  }
  const bank = itemBank(
    Float64Array.from(own.flatMap((i) => Array.from(a.subarray(i * dims, (i + 1) * dims)))),
    Float64Array.from(own, (i) => b[i]!),
  );
  const positions = own.map((_, j) => j);
  for (let m = 0; m < subjects; m++) {
    const scores = own.map((i) => scoreOf(responses, m * count + i));
    const answered = positions.filter((j) => !Number.isNaN(scores[j]!));
    const { theta } = mapAbility(bank, { items: answered, scores: answered.map((j) => scores[j]!) }, prior);
    start.theta.set(theta, m * dims);
  }
}

/** A known item's gradient is nothing: it stays. */
export function holdKnown(gradient: Parameters, { known }: KnownItems): void {
  const dims = gradient.a.length / gradient.b.length;
  for (let i = 0; i < known.length; i++) {
    if (known[i] === 0) continue;
    gradient.a.fill(0, i * dims, (i + 1) * dims);
    gradient.b[i] = 0;
  }
}

/** NaN = missing. */
function scoreOf(responses: Responses, k: number): number {
  if ("signs" in responses) {
    const sign = responses.signs[k]!;
    return sign === 0 ? NaN : sign > 0 ? 1 : 0;
  }
  return responses.weights[k] === 0 ? NaN : responses.scores[k]!;
}
