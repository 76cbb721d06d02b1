import { AnchorEvalError } from "../errors.ts";

/** A smooth function to be maximised, and where to go from a point. */
interface NewtonObjective {
  /** Its name in error messages. */
  readonly name: string;
  /** Its value at a point; it need not be finite away from the maximum. */
  readonly value: (at: Float64Array) => number;
  /** The Newton step δ at a point and its decrement gᵀδ ≥ 0; null where the curvature isn't positive definite. */
  readonly step: (at: Float64Array) => { readonly step: Float64Array; readonly decrement: number } | null;
}

/** When a search ends. */
export interface NewtonOptions {
  /** Newton steps at most. @default 100 */
  readonly maxIterations?: number;
  /** Converged when the Newton decrement gᵀH⁻¹g falls below this. @default 1e-16 */
  readonly tolerance?: number;
}

/** Halvings of a step that doesn't rise. Chosen, not measured. */
const MOST_HALVINGS = 40;
/** Share of the decrement that a step must gain (Armijo): Nocedal & Wright (2006), §3.1. */
const SUFFICIENT = 1e-4;
/** Decrement below which a search that can't rise has ended at the maximum. Chosen, not measured. */
const STALLED = 1e-6;

/**
 * Maximises by damped Newton steps with halving.
 * @param at - where the search begins; it ends there too
 * @throws AnchorEvalError `numeric_failure` where the value or the curvature is no number
 * @see Nocedal & Wright (2006), Numerical Optimization, §3.1 and §3.3
 */
export function dampedNewton(
  at: Float64Array,
  { name, value: valueOf, step: stepAt }: NewtonObjective,
  { maxIterations = 100, tolerance = 1e-16 }: NewtonOptions = {},
): { status: "converged" | "max-iterations"; iterations: number } {
  const trial = new Float64Array(at.length);
  let value = valueOf(at);
  let iterations = 0;
  for (; iterations <= maxIterations; iterations++) {
    const direction = Number.isFinite(value) ? stepAt(at) : null;
    if (direction === null)
      throw new AnchorEvalError(
        "numeric_failure",
        `${name} is not finite: item parameters, the prior or scores are not numbers`,
      );
    const { step, decrement } = direction;
    if (decrement <= tolerance) return { status: "converged", iterations };
    let length = 1;
    let moved = false;
    // The sum's rounding: near the mode a good step may seem to lose that much.
    const rounding = 1e-12 * (1 + Math.abs(value));
    for (let halving = 0; halving < MOST_HALVINGS && !moved; halving++, length /= 2) {
      for (let d = 0; d < at.length; d++) trial[d] = at[d]! + length * step[d]!;
      const risen = valueOf(trial);
      if (!(risen >= value + SUFFICIENT * length * decrement - rounding)) continue;
      at.set(trial);
      value = risen;
      moved = true;
    }
    // No step rises above rounding: this is the maximum to the last digits that the sum has.
    if (!moved) return { status: decrement < STALLED ? "converged" : "max-iterations", iterations };
  }
  return { status: "max-iterations", iterations };
}
