/** A function of x with its gradient. */
export type ValueAndGradient = (x: Float64Array, gradient: Float64Array) => Promise<number>;

export interface LbfgsOptions {
  /** Gradient evaluations at most. */
  readonly maxEvaluations: number;
  /** Converged when a step lowers the value by less than this share of it, twice in a row. */
  readonly tolerance: number;
  /** Diagonal of an approximate Hessian: the initial scaling. */
  readonly scaling: Float64Array;
  /** Correction pairs kept. @default 8 */
  readonly memory?: number;
  readonly onStep?: (value: number, evaluations: number) => void;
}

export interface LbfgsResult {
  /** The best point; the argument, overwritten. */
  readonly x: Float64Array;
  readonly value: number;
  readonly gradientNorm: number;
  readonly evaluations: number;
  readonly converged: boolean;
}

/**
 * Limited-memory BFGS with a diagonal initial Hessian and an Armijo line search with quadratic interpolation.
 * @param x - start; overwritten with the minimiser
 * @see Nocedal & Wright (2006), Numerical Optimization, algorithm 7.5
 */
export async function minimizeLbfgs(
  evaluate: ValueAndGradient,
  x: Float64Array,
  options: LbfgsOptions,
): Promise<LbfgsResult> {
  const { maxEvaluations, tolerance, scaling, memory = 8, onStep } = options;
  const n = x.length;
  const gradient = new Float64Array(n);
  const nextGradient = new Float64Array(n);
  const trial = new Float64Array(n);
  const direction = new Float64Array(n);
  const pairs: { s: Float64Array; y: Float64Array; rho: number }[] = [];
  let value = await evaluate(x, gradient);
  let evaluations = 1;
  let small = 0;
  let converged = false;

  while (evaluations < maxEvaluations) {
    twoLoop(direction, gradient, pairs, scaling);
    let slope = dot(direction, gradient);
    if (!(slope < 0)) {
      pairs.length = 0;
      for (let k = 0; k < n; k++) direction[k] = -gradient[k]! / scaling[k]!;
      slope = dot(direction, gradient);
      if (!(slope < 0)) {
        converged = true; // the gradient is zero
        break;
      }
    }
    let step = 1;
    let next = Infinity;
    let accepted = false;
    for (let tries = 0; tries < 25 && evaluations < maxEvaluations; tries++) {
      for (let k = 0; k < n; k++) trial[k] = x[k]! + step * direction[k]!;
      next = await evaluate(trial, nextGradient);
      evaluations++;
      if (next <= value + 1e-4 * step * slope) {
        accepted = true;
        break;
      }
      const parabola = Number.isFinite(next) ? (-slope * step * step) / (2 * (next - value - slope * step)) : 0;
      step = Math.min(0.5 * step, Math.max(0.1 * step, parabola));
    }
    if (!accepted) {
      if (pairs.length === 0) {
        converged = small > 0;
        break;
      }
      pairs.length = 0; // the curvature misled: once more along the scaled gradient
      continue;
    }
    const reusable =
      pairs.length === memory ? pairs.shift()! : { s: new Float64Array(n), y: new Float64Array(n), rho: 0 };
    let sy = 0;
    let yy = 0;
    for (let k = 0; k < n; k++) {
      const s = trial[k]! - x[k]!;
      const y = nextGradient[k]! - gradient[k]!;
      reusable.s[k] = s;
      reusable.y[k] = y;
      sy += s * y;
      yy += y * y;
    }
    if (sy > 1e-12 * yy) {
      reusable.rho = 1 / sy;
      pairs.push(reusable);
    }
    const gain = value - next;
    x.set(trial);
    gradient.set(nextGradient);
    value = next;
    onStep?.(value, evaluations);
    small = gain <= tolerance * Math.abs(value) ? small + 1 : 0;
    if (small >= 2) {
      converged = true;
      break;
    }
  }
  return { x, value, gradientNorm: Math.sqrt(dot(gradient, gradient)), evaluations, converged };
}

/** direction = −H·gradient by the two-loop recursion. */
function twoLoop(
  direction: Float64Array,
  gradient: Float64Array,
  pairs: readonly { s: Float64Array; y: Float64Array; rho: number }[],
  scaling: Float64Array,
): void {
  const n = direction.length;
  const alphas: number[] = [];
  for (let k = 0; k < n; k++) direction[k] = -gradient[k]!;
  for (let p = pairs.length - 1; p >= 0; p--) {
    const { s, y, rho } = pairs[p]!;
    const alpha = rho * dot(s, direction);
    alphas[p] = alpha;
    for (let k = 0; k < n; k++) direction[k] = direction[k]! - alpha * y[k]!;
  }
  let factor = 1;
  const last = pairs.at(-1);
  if (last) {
    let scaled = 0;
    for (let k = 0; k < n; k++) scaled += last.y[k]! ** 2 / scaling[k]!;
    factor = 1 / (last.rho * scaled);
  }
  for (let k = 0; k < n; k++) direction[k] = (factor * direction[k]!) / scaling[k]!;
  for (let p = 0; p < pairs.length; p++) {
    const { s, y, rho } = pairs[p]!;
    const beta = rho * dot(y, direction);
    for (let k = 0; k < n; k++) direction[k] = direction[k]! + (alphas[p]! - beta) * s[k]!;
  }
}

/** Four sums at a time: an addition needn't wait for the one before. */
function dot(left: Float64Array, right: Float64Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const even = left.length - (left.length % 4);
  for (let k = 0; k < even; k += 4) {
    first += left[k]! * right[k]!;
    second += left[k + 1]! * right[k + 1]!;
    third += left[k + 2]! * right[k + 2]!;
    fourth += left[k + 3]! * right[k + 3]!;
  }
  for (let k = even; k < left.length; k++) first += left[k]! * right[k]!;
  return first + second + (third + fourth);
}
