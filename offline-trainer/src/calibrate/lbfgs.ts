export type ValueAndGradient = (x: Float64Array, gradient: Float64Array) => Promise<number>;

export interface LbfgsOptions {
  readonly maxEvaluations: number;
  /** Converged when a step lowers the value by less than this share of it, twice in a row. */
  readonly tolerance: number;
  /** Diagonal of an approximate Hessian: the initial scaling. */
  readonly scaling: Float64Array;
  readonly onStep?: (value: number, evaluations: number) => void;
}

/** Correction pairs kept, of the 3 to 20 that Nocedal & Wright (2006), §7.2, advise. */
export const MEMORY = 8;
/** Steps tried in one direction. Chosen, not measured: a step shrinks by 2 to 10 each time. */
export const MOST_TRIES = 25;

/**
 * Limited-memory BFGS with a diagonal initial Hessian and an Armijo line search with quadratic interpolation.
 * @param x - start; overwritten with the minimiser
 * @see Nocedal & Wright (2006), Numerical Optimization, algorithm 7.5
 */
export async function minimizeLbfgs(evaluate: ValueAndGradient, x: Float64Array, options: LbfgsOptions) {
  const { maxEvaluations, tolerance, scaling, onStep } = options;
  const n = x.length;
  const gradient = new Float64Array(n);
  const nextGradient = new Float64Array(n);
  const trial = new Float64Array(n);
  const direction = new Float64Array(n);
  const pairs = new CurvaturePairs(n, MEMORY);
  let factor = 1; // sᵀy/yᵀD⁻¹y of the newest pair: by how much the scaling D is too large
  const scaled = (direction: Float64Array): void => {
    const by = factor;
    for (let k = 0; k < n; k++) direction[k] = (by * direction[k]!) / scaling[k]!;
  };
  let value = await evaluate(x, gradient);
  let evaluations = 1;
  let small = 0;
  let converged = false;

  while (evaluations < maxEvaluations) {
    for (let k = 0; k < n; k++) direction[k] = -gradient[k]!;
    let slope = pairs.turn(direction, scaled, gradient);
    if (!(slope < 0)) {
      pairs.clear();
      factor = 1;
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
    for (let tries = 0; tries < MOST_TRIES && evaluations < maxEvaluations; tries++) {
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
      if (pairs.isEmpty) {
        converged = small > 0;
        break;
      }
      pairs.clear(); // the curvature misled: once more along the scaled gradient
      factor = 1;
      continue;
    }
    const pair = pairs.room();
    const { s, y } = pair;
    let sy = 0;
    let yy = 0;
    let yDy = 0;
    for (let k = 0; k < n; k++) {
      const moved = (s[k] = trial[k]! - x[k]!);
      const turned = (y[k] = nextGradient[k]! - gradient[k]!);
      sy += moved * turned;
      yy += turned * turned;
      yDy += (turned * turned) / scaling[k]!;
    }
    if (sy > 1e-12 * yy) {
      pairs.add(pair, sy);
      factor = 1 / (pair.rho * yDy);
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
  return { value, gradientNorm: Math.sqrt(dot(gradient, gradient)), evaluations, converged };
}

export type LbfgsResult = Awaited<ReturnType<typeof minimizeLbfgs>>;

/** A step s, and y, by how much it changed the gradient. */
interface Pair {
  readonly s: Float64Array;
  readonly y: Float64Array;
  /** 1/sᵀy. */
  rho: number;
}

/** L-BFGS's memory of the curvature: the last steps with what they did to the gradient, oldest first. */
export class CurvaturePairs {
  readonly #size: number;
  readonly #memory: number;
  readonly #pairs: Pair[] = [];

  constructor(size: number, memory: number) {
    this.#size = size;
    this.#memory = memory;
  }

  get isEmpty(): boolean {
    return this.#pairs.length === 0;
  }

  clear(): void {
    this.#pairs.length = 0;
  }

  /** A pair to fill: the oldest one's arrays where the memory is full. */
  room(): Pair {
    if (this.#pairs.length === this.#memory) return this.#pairs.shift()!;
    return { s: new Float64Array(this.#size), y: new Float64Array(this.#size), rho: 0 };
  }

  /** @param sy - sᵀy > 0 */
  add(pair: Pair, sy: number): void {
    pair.rho = 1 / sy;
    this.#pairs.push(pair);
  }

  /**
   * direction = H·direction by the two-loop recursion. Each loop goes over the direction once a pair: it is moved along
   * one vector and multiplied by the next at the same time.
   * @param initial - turns the direction by the H that is known beforehand
   * @returns the direction's product with `other`
   * @see Nocedal & Wright (2006), Numerical Optimization, algorithm 7.4
   */
  turn(direction: Float64Array, initial: (direction: Float64Array) => void, other: Float64Array): number {
    const pairs = this.#pairs;
    const last = pairs.length - 1;
    const alphas: number[] = [];
    let product = last >= 0 ? dot(pairs[last]!.s, direction) : 0;
    for (let p = last; p >= 0; p--) {
      const { y, rho } = pairs[p]!;
      alphas[p] = rho * product;
      product = move(direction, -alphas[p]!, y, p > 0 ? pairs[p - 1]!.s : y); // not read after the first pair
    }
    initial(direction);
    product = dot(direction, pairs[0]?.y ?? other);
    for (let p = 0; p <= last; p++) {
      const { s, rho } = pairs[p]!;
      product = move(direction, alphas[p]! - rho * product, s, p < last ? pairs[p + 1]!.y : other);
    }
    return product;
  }
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
export function dot(left: Float64Array, right: Float64Array): number {
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
