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
  const pairs: Pair[] = [];
  let value = await evaluate(x, gradient);
  let evaluations = 1;
  let small = 0;
  let converged = false;

  while (evaluations < maxEvaluations) {
    let slope = twoLoop(direction, gradient, pairs, scaling);
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
      pairs.length === memory ? pairs.shift()! : { s: new Float64Array(n), y: new Float64Array(n), rho: 0, factor: 1 };
    const { s, y } = reusable;
    let sy = 0;
    let yy = 0;
    let scaled = 0;
    for (let k = 0; k < n; k++) {
      const moved = trial[k]! - x[k]!;
      const turned = nextGradient[k]! - gradient[k]!;
      s[k] = moved;
      y[k] = turned;
      sy += moved * turned;
      yy += turned * turned;
      scaled += (turned * turned) / scaling[k]!;
    }
    if (sy > 1e-12 * yy) {
      reusable.rho = 1 / sy;
      reusable.factor = 1 / (reusable.rho * scaled);
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

/** A step with what it did to the gradient. */
interface Pair {
  readonly s: Float64Array;
  readonly y: Float64Array;
  /** 1/sᵀy. */
  rho: number;
  /** sᵀy/yᵀD⁻¹y: by how much the initial scaling D is too large. */
  factor: number;
}

/**
 * direction = −H·gradient by the two-loop recursion. Each loop goes over the direction once a pair: it is moved along one
 * vector and multiplied by the next at the same time.
 * @returns its product with the gradient
 */
function twoLoop(
  direction: Float64Array,
  gradient: Float64Array,
  pairs: readonly Pair[],
  scaling: Float64Array,
): number {
  const n = direction.length;
  const last = pairs.length - 1;
  const alphas: number[] = [];
  for (let k = 0; k < n; k++) direction[k] = -gradient[k]!;
  let product = last >= 0 ? dot(pairs[last]!.s, direction) : 0;
  for (let p = last; p >= 0; p--) {
    const { y, rho } = pairs[p]!;
    alphas[p] = rho * product;
    product = move(direction, -alphas[p]!, y, p > 0 ? pairs[p - 1]!.s : y); // not read after the first pair
  }
  const factor = pairs[last]?.factor ?? 1;
  for (let k = 0; k < n; k++) direction[k] = (factor * direction[k]!) / scaling[k]!;
  product = dot(direction, pairs[0]?.y ?? gradient);
  for (let p = 0; p <= last; p++) {
    const { s, rho } = pairs[p]!;
    product = move(direction, alphas[p]! - rho * product, s, p < last ? pairs[p + 1]!.y : gradient);
  }
  return product;
}

/** Moves x by weight·along. @returns x·other there, summed as {@link dot} does */
function move(x: Float64Array, weight: number, along: Float64Array, other: Float64Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  const even = x.length - (x.length % 4);
  for (let k = 0; k < even; k += 4) {
    const a = x[k]! + weight * along[k]!;
    const b = x[k + 1]! + weight * along[k + 1]!;
    const c = x[k + 2]! + weight * along[k + 2]!;
    const d = x[k + 3]! + weight * along[k + 3]!;
    x[k] = a;
    x[k + 1] = b;
    x[k + 2] = c;
    x[k + 3] = d;
    first += a * other[k]!;
    second += b * other[k + 1]!;
    third += c * other[k + 2]!;
    fourth += d * other[k + 3]!;
  }
  for (let k = even; k < x.length; k++) {
    x[k] = x[k]! + weight * along[k]!;
    first += x[k]! * other[k]!;
  }
  return first + second + (third + fourth);
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
