/** Steps and what they changed of the gradient: L-BFGS's memory of the curvature, newest last. */
export interface CurvaturePairs {
  /** Takes in a step s and the fall of the gradient y over it, unless the objective bends upward there. */
  add(s: Float64Array, y: Float64Array): void;
  clear(): void;
  /**
   * The two-loop recursion, out = H·gradient with `step` for the H that is known beforehand.
   * @param correction - added to what that gives for the gradient itself
   */
  direction(
    gradient: Float64Array,
    step: (v: Float64Array, out: Float64Array) => void,
    correction: Float64Array | null,
    out: Float64Array,
  ): void;
}

/** @see Nocedal & Wright (2006), Numerical Optimization, algorithm 7.4 */
export function curvaturePairs(size: number, memory: number): CurvaturePairs {
  const pairs: { readonly s: Float64Array; readonly y: Float64Array; rho: number }[] = [];
  const rest = new Float64Array(size);
  const alphas = new Float64Array(memory);
  return {
    add(s, y) {
      const product = dot(s, y);
      if (!(product > 1e-14 * dot(y, y))) return;
      const full = pairs.length === memory ? pairs.shift() : undefined;
      const pair = full ?? { s: new Float64Array(size), y: new Float64Array(size), rho: 0 };
      pair.s.set(s);
      pair.y.set(y);
      pair.rho = 1 / product;
      pairs.push(pair);
    },
    clear() {
      pairs.length = 0;
    },
    direction(gradient, step, correction, out) {
      rest.set(gradient);
      for (let p = pairs.length - 1; p >= 0; p--) {
        const { s, y, rho } = pairs[p]!;
        alphas[p] = rho * dot(s, rest);
        addScaled(rest, -alphas[p]!, y);
      }
      step(rest, out);
      if (correction) addScaled(out, 1, correction);
      for (let p = 0; p < pairs.length; p++) {
        const { s, y, rho } = pairs[p]!;
        addScaled(out, alphas[p]! - rho * dot(y, out), s);
      }
    },
  };
}

export function dot(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < left.length; k++) sum += left[k]! * right[k]!;
  return sum;
}

/** target += factor·v. */
export function addScaled(target: Float64Array, factor: number, v: Float64Array): void {
  for (let k = 0; k < target.length; k++) target[k] = target[k]! + factor * v[k]!;
}
