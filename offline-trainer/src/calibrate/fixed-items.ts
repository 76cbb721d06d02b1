import { mapAbility } from "anchoreval/internal/core/ability/map";
import type { AbilityPrior } from "anchoreval/internal/core/ability/prior";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import type { Parameters } from "./types.ts";
import type { CodedResponses } from "../matrix/code-responses.ts";

/** Items that keep their parameters, for example a published bundle's: the others, and all models, are put on their scale. */
export interface FixedItems {
  /** 1 where an item is fixed, N numbers. */
  readonly isFixed: Uint8Array;
  /** Discriminations, N×D; read where fixed. */
  readonly a: Float64Array;
  /** Intercepts, N; read where fixed. */
  readonly b: Float64Array;
  /** Of abilities, on that scale. */
  readonly prior: AbilityPrior;
}

/**
 * Puts a start onto the fixed items' scale, in place: their parameters, and abilities by the models' answers to them
 * (MAP). New items begin along the fixed ones' mean discrimination.
 * @throws AnchorEvalError `invalid_option` where no item is fixed, or arrays don't fit
 */
export function startFromFixed(start: Parameters, responses: CodedResponses, dims: number, items: FixedItems): void {
  const { isFixed, a, b, prior } = items;
  const { subjects, items: count } = responses;
  const fixed = Array.from(isFixed.keys()).filter((i) => isFixed[i] !== 0);
  if (fixed.length === 0 || isFixed.length !== count || a.length !== count * dims || b.length !== count)
    throw new AnchorEvalError(
      "invalid_option",
      `fixed items: ${fixed.length} of ${isFixed.length} are fixed, with ${a.length} discriminations; ${count} items in ${dims} dimensions are calibrated`,
    );
  const direction = new Float64Array(dims);
  for (const i of fixed) for (let d = 0; d < dims; d++) direction[d]! += a[i * dims + d]! / fixed.length;
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dims; d++) start.a[i * dims + d] = isFixed[i] ? a[i * dims + d]! : direction[d]!;
    if (isFixed[i]) start.b[i] = b[i]!;
  }
  const bank = itemBank(
    Float64Array.from(fixed.flatMap((i) => Array.from(a.subarray(i * dims, (i + 1) * dims)))),
    Float64Array.from(fixed, (i) => b[i]!),
  );
  for (let m = 0; m < subjects; m++) {
    const all = fixed.map((i) => scoreOf(responses, m * count + i));
    const answered = [...all.keys()].filter((j) => !Number.isNaN(all[j]!));
    const { theta } = mapAbility(bank, { items: answered, scores: answered.map((j) => all[j]!) }, prior);
    start.theta.set(theta, m * dims);
  }
}

/** Sets a fixed item's gradient to 0, so that it stays. */
export function holdFixed(gradient: Parameters, { isFixed }: FixedItems): void {
  const dims = gradient.a.length / gradient.b.length;
  for (let i = 0; i < isFixed.length; i++) {
    if (isFixed[i] === 0) continue;
    gradient.a.fill(0, i * dims, (i + 1) * dims);
    gradient.b[i] = 0;
  }
}

/** NaN = missing. */
function scoreOf(responses: CodedResponses, k: number): number {
  const sign = responses.signs[k]!;
  return sign === 0 ? NaN : sign > 0 ? 1 : 0;
}
