import { dot, move, vectorMemory } from "../numeric/vectors.ts";

export type ValueAndGradient = (x: Float64Array, gradient: Float64Array) => Promise<number>;

export interface LbfgsOptions {
  readonly maxEvaluations: number;
  /** Converged when a step lowers the value by less than this share of it, twice in a row. */
  readonly tolerance: number;
  /** Diagonal of an approximate Hessian: the initial scaling. */
  readonly scaling: Float64Array;
  /** The gradient alone, where that takes less time than with the value. */
  readonly slopes?: ((x: Float64Array, gradient: Float64Array) => Promise<void>) | undefined;
  readonly onStep?: (value: number, evaluations: number) => void;
}

/** Correction pairs kept, of the 3 to 20 that Nocedal & Wright (2006), §7.2, advise. */
export const MEMORY = 8;
/** Steps tried in one direction. Chosen, not measured: a step shrinks by 2 to 10 each time. */
export const MOST_TRIES = 25;

/**
 * Share of a step's slope, upward, from which the value decides on the step. Below it the trapezoid of both slopes is a
 * fall that the rule of Armijo takes. Chosen, not measured.
 */
const DOUBTFUL = 0.5;

/**
 * Falls that may be a small one or not, as shares of the least that isn't: trapezoids erred by 7 % of it there
 * (docs/decisions/calibration.md).
 */
const BORDERLINE = [0.8, 1.25] as const;

/**
 * Limited-memory BFGS with a diagonal initial Hessian and an Armijo line search with quadratic interpolation.
 * Where a value costs more than the slopes it is only asked for where a step is in doubt, and at the end: between, the
 * trapezoid of the slopes at both ends of a step says by how much the value fell.
 * @param x - start; overwritten with the minimiser
 * @see Nocedal & Wright (2006), Numerical Optimization, algorithm 7.5
 */
export async function minimizeLbfgs(evaluate: ValueAndGradient, x: Float64Array, options: LbfgsOptions) {
  const memory = vectorMemory(new Array<number>(4 + 2 * MEMORY).fill(x.length));
  try {
    return await minimize(evaluate, x, options, memory.float64);
  } finally {
    memory.release();
  }
}

async function minimize(
  evaluate: ValueAndGradient,
  x: Float64Array,
  options: LbfgsOptions,
  vector: (length: number) => Float64Array,
) {
  const { maxEvaluations, tolerance, scaling, slopes, onStep } = options;
  const n = x.length;
  const gradient = vector(n);
  const nextGradient = vector(n);
  const trial = vector(n);
  const direction = vector(n);
  const pairs = new CurvaturePairs(MEMORY, () => ({ s: vector(n), y: vector(n), rho: 0 }));
  let factor = 1; // sᵀy/yᵀD⁻¹y of the newest pair: by how much the scaling D is too large
  const scaled = (direction: Float64Array): void => {
    divide(direction, factor, scaling);
  };
  let value = await evaluate(x, gradient);
  let isExact = true;
  /** The value at x, where it is only known by trapezoids. */
  const settle = async (): Promise<void> => {
    if (!isExact) value = await evaluate(x, gradient);
    isExact = true;
  };
  let evaluations = 1;
  let small = 0;
  let converged = false;

  while (evaluations < maxEvaluations) {
    negate(direction, gradient);
    let slope = pairs.turn(direction, scaled, gradient);
    if (!(slope < 0)) {
      pairs.clear();
      factor = 1;
      negate(direction, gradient);
      divide(direction, 1, scaling);
      slope = dot(direction, gradient);
      if (!(slope < 0)) {
        converged = true; // the gradient is zero
        break;
      }
    }
    let step = 1;
    let next = Infinity;
    let nextIsExact = true;
    let accepted = false;
    for (let tries = 0; tries < MOST_TRIES && evaluations < maxEvaluations; tries++) {
      walk(trial, x, step, direction);
      evaluations++;
      if (slopes) {
        await slopes(trial, nextGradient);
        const there = dot(nextGradient, direction);
        if (there <= DOUBTFUL * -slope) {
          next = value + (step * (slope + there)) / 2;
          nextIsExact = false;
          accepted = true;
          break;
        }
        await settle();
      }
      next = await evaluate(trial, nextGradient);
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
    subtract(pair.s, trial, x);
    subtract(pair.y, nextGradient, gradient);
    const { sy, yy, yDy } = curvatureOf(pair, scaling);
    if (sy > 1e-12 * yy) {
      pairs.add(pair, sy);
      factor = 1 / (pair.rho * yDy);
    }
    const fall = (value - next) / (tolerance * Math.abs(next));
    if (!nextIsExact && fall > BORDERLINE[0] && fall < BORDERLINE[1]) {
      await settle();
      next = await evaluate(trial, nextGradient);
      nextIsExact = true;
    }
    const gain = value - next;
    x.set(trial);
    gradient.set(nextGradient);
    value = next;
    isExact = nextIsExact;
    onStep?.(value, evaluations);
    small = gain <= tolerance * Math.abs(value) ? small + 1 : 0;
    if (small >= 2) {
      converged = true;
      break;
    }
  }
  await settle();
  return { value, gradientNorm: Math.sqrt(dot(gradient, gradient)), evaluations, converged };
}

// Loops in functions of their own: engines compile those of asynchronous ones badly.

function negate(out: Float64Array, x: Float64Array): void {
  for (let k = 0; k < out.length; k++) out[k] = -x[k]!;
}

/** x = factor·x/by. */
function divide(x: Float64Array, factor: number, by: Float64Array): void {
  for (let k = 0; k < x.length; k++) x[k] = (factor * x[k]!) / by[k]!;
}

function walk(out: Float64Array, x: Float64Array, step: number, direction: Float64Array): void {
  for (let k = 0; k < out.length; k++) out[k] = x[k]! + step * direction[k]!;
}

function subtract(out: Float64Array, x: Float64Array, y: Float64Array): void {
  for (let k = 0; k < out.length; k++) out[k] = x[k]! - y[k]!;
}

/** sᵀy, yᵀy and yᵀD⁻¹y. */
function curvatureOf({ s, y }: Pick<Pair, "s" | "y">, scaling: Float64Array) {
  let [sy, yy, yDy] = [0, 0, 0];
  for (let k = 0; k < s.length; k++) {
    const turned = y[k]!;
    const square = turned * turned;
    sy += s[k]! * turned;
    yy += square;
    yDy += square / scaling[k]!;
  }
  return { sy, yy, yDy };
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
  readonly #memory: number;
  readonly #make: () => Pair;
  readonly #pairs: Pair[] = [];
  readonly #spare: Pair[] = [];
  #room: Pair | null = null;

  /** @param memory - pairs kept @param make - called for as many at most */
  constructor(memory: number, make: () => Pair) {
    this.#memory = memory;
    this.#make = make;
  }

  get isEmpty(): boolean {
    return this.#pairs.length === 0;
  }

  clear(): void {
    this.#spare.push(...this.#pairs.splice(0));
  }

  /** A pair to fill: the oldest one's arrays where the memory is full, the last one again where that wasn't added. */
  room(): Pair {
    const isFull = this.#pairs.length === this.#memory;
    this.#room ??= (isFull ? this.#pairs.shift() : this.#spare.pop()) ?? this.#make();
    return this.#room;
  }

  /** @param sy - sᵀy > 0 */
  add(pair: Pair, sy: number): void {
    pair.rho = 1 / sy;
    this.#pairs.push(pair);
    this.#room = null;
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
