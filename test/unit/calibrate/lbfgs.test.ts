import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  CurvaturePairs,
  minimizeLbfgs,
  type LbfgsOptions,
  type LbfgsResult,
} from "../../../offline-trainer/src/calibrate/lbfgs.ts";
import { dot } from "../../../offline-trainer/src/numeric/vectors.ts";

/** A function that fills its gradient. */
type Smooth = (x: Float64Array, gradient: Float64Array) => number;

const rosenbrock: Smooth = (x, gradient) => {
  const [u, v] = [x[0]!, x[1]!];
  gradient[0] = -400 * u * (v - u * u) - 2 * (1 - u);
  gradient[1] = 200 * (v - u * u);
  return 100 * (v - u * u) ** 2 + (1 - u) ** 2;
};

/** ½(x−c)ᵀQ(x−c) + 1, Q = RᵀΛR with eigenvalues spread evenly in the logarithm from 1 to `condition`. */
function quadratic(n: number, condition: number): { f: Smooth; centre: Float64Array; diagonal: Float64Array } {
  const random = createRandom("quadratic");
  const matrix = new Float64Array(n * n);
  for (let k = 0; k < n; k++) matrix[k * n + k] = condition ** (k / (n - 1));
  // Reflections along random directions turn the axes and keep the eigenvalues.
  for (let turn = 0; turn < 3; turn++) {
    const v = Float64Array.from({ length: n }, () => random.normal());
    const length = Math.hypot(...v);
    for (let k = 0; k < n; k++) v[k] = v[k]! / length;
    const product = Float64Array.from({ length: n }, (_, r) =>
      v.reduce((sum, value, c) => sum + matrix[r * n + c]! * value, 0),
    );
    const inner = v.reduce((sum, value, k) => sum + value * product[k]!, 0);
    for (let r = 0; r < n; r++)
      for (let c = 0; c < n; c++)
        matrix[r * n + c]! += 4 * inner * v[r]! * v[c]! - 2 * (v[r]! * product[c]! + product[r]! * v[c]!);
  }
  const centre = Float64Array.from({ length: n }, () => random.normal());
  const f: Smooth = (x, gradient) => {
    let value = 1;
    for (let r = 0; r < n; r++) {
      let row = 0;
      for (let c = 0; c < n; c++) row += matrix[r * n + c]! * (x[c]! - centre[c]!);
      gradient[r] = row;
      value += 0.5 * row * (x[r]! - centre[r]!);
    }
    return value;
  };
  return { f, centre, diagonal: Float64Array.from({ length: n }, (_, k) => matrix[k * n + k]!) };
}

async function minimized(
  f: Smooth,
  start: readonly number[],
  options: Partial<LbfgsOptions> = {},
): Promise<LbfgsResult & { x: Float64Array; calls: number }> {
  let calls = 0;
  const x = Float64Array.from(start);
  const result = await minimizeLbfgs(
    (at, gradient) => {
      calls++;
      return Promise.resolve(f(at, gradient));
    },
    x,
    { maxEvaluations: 500, tolerance: 1e-14, scaling: new Float64Array(start.length).fill(1), ...options },
  );
  return { ...result, x, calls };
}

const farthest = (x: ArrayLike<number>, from: ArrayLike<number>): number =>
  Math.max(...Array.from(x, (value, k) => Math.abs(value - from[k]!)));

describe("the minimum", () => {
  test("of Rosenbrock's valley, from the customary start", async () => {
    const { x, value, evaluations } = await minimized(rosenbrock, [-1.2, 1], { maxEvaluations: 120 });
    expect(farthest(x, [1, 1])).toBeLessThan(1e-6);
    expect(value).toBeLessThan(1e-12);
    expect(evaluations).toBeLessThanOrEqual(120);
  });

  test.each([
    [1e3, 1e-8],
    [1e6, 1e-4],
  ])("of a quadratic of condition %d in 40 turned dimensions", async (condition, near) => {
    const { f, centre, diagonal } = quadratic(40, condition);
    const { x, value, gradientNorm } = await minimized(f, new Array<number>(40).fill(0), {
      maxEvaluations: 1500,
      scaling: diagonal,
    });
    const gradient = new Float64Array(40);
    expect(value - 1).toBeLessThan(near * (f(new Float64Array(40), gradient) - 1));
    expect(gradientNorm).toBeLessThan(near * Math.hypot(...gradient));
    expect(farthest(x, centre)).toBeLessThan(condition === 1e3 ? 1e-4 : 0.1); // the flattest direction has curvature 1
  });

  test("is found by the same way where values are only asked for in doubt", async () => {
    for (const [f, start, tolerance, isQuadratic] of [
      [(x: Float64Array, gradient: Float64Array) => rosenbrock(x, gradient) + 1, [-1.2, 1], 1e-9, false],
      [quadratic(40, 1e3).f, new Array<number>(40).fill(0), 1e-9, true],
    ] as const) {
      const whole = await minimized(f, start, { tolerance });
      let asked = 0;
      const x = Float64Array.from(start);
      const lean = await minimizeLbfgs(
        (at, gradient) => {
          asked++;
          return Promise.resolve(f(at, gradient));
        },
        x,
        {
          maxEvaluations: 500,
          tolerance,
          scaling: new Float64Array(start.length).fill(1),
          slopes: (at, gradient) => {
            f(at, gradient);
            return Promise.resolve();
          },
        },
      );
      expect(asked).toBeLessThan(whole.evaluations / 2);
      expect(lean.value).toBe(f(x, new Float64Array(x.length)));
      expect(farthest(x, whole.x)).toBeLessThan(1e-3);
      if (isQuadratic) expect(lean.evaluations).toBe(whole.evaluations); // trapezoids are exact there
    }
  });

  test("is one step away where the scaling is the Hessian", async () => {
    const curvature = Float64Array.of(1, 1e3, 1e6);
    const f: Smooth = (x, gradient) =>
      x.reduce((sum, value, k) => {
        gradient[k] = curvature[k]! * (value - k);
        return sum + 0.5 * curvature[k]! * (value - k) ** 2;
      }, 0);
    const { x, evaluations, converged, gradientNorm } = await minimized(f, [5, 5, 5], { scaling: curvature });
    expect(farthest(x, [0, 1, 2])).toBeLessThan(1e-12);
    expect([evaluations, converged]).toEqual([2, true]);
    expect(gradientNorm).toBeLessThan(1e-9);
  });

  test("is not farther where the scaling is wrong by a common factor", async () => {
    const { f, diagonal } = quadratic(40, 1e3);
    const run = (factor: number): Promise<LbfgsResult> =>
      minimized(f, new Array<number>(40).fill(0), {
        scaling: diagonal.map((value) => factor * value),
        tolerance: 1e-10,
        maxEvaluations: 2000,
      });
    const right = await run(1);
    for (const factor of [1e-4, 1e4]) {
      const { value, evaluations } = await run(factor);
      expect(value / right.value).toBeCloseTo(1, 8);
      expect(evaluations).toBeLessThan(1.5 * right.evaluations + 20);
    }
  });

  test("is found behind a wall where the function is infinite or not a number", async () => {
    for (const wall of [Infinity, NaN]) {
      const f: Smooth = (x, gradient) => {
        if (!(x[0]! > 0)) return wall;
        gradient[0] = 1 - 2 / x[0]!;
        return x[0]! - 2 * Math.log(x[0]!);
      };
      const { x, converged } = await minimized(f, [20], { scaling: Float64Array.of(0.01) });
      expect(x[0]).toBeCloseTo(2, 5);
      expect(converged).toBe(true);
    }
  });

  test("at the start is known from one evaluation", async () => {
    const { evaluations, converged, value } = await minimized(rosenbrock, [1, 1]);
    expect({ evaluations, converged, value }).toEqual({ evaluations: 1, converged: true, value: 0 });
  });
});

describe("the result", () => {
  test("is the argument overwritten with the best point, with its own value and gradient", async () => {
    const start = Float64Array.of(-1.2, 1);
    const gradient = new Float64Array(2);
    for (let maxEvaluations = 1; maxEvaluations <= 60; maxEvaluations++) {
      const x = start.slice();
      let calls = 0;
      const seen: number[] = [];
      const result = await minimizeLbfgs(
        (point, slot) => {
          calls++;
          const value = rosenbrock(point, slot);
          seen.push(value);
          return Promise.resolve(value);
        },
        x,
        { maxEvaluations, tolerance: 1e-14, scaling: Float64Array.of(1, 1) },
      );
      expect(calls).toBe(result.evaluations);
      expect(calls).toBeLessThanOrEqual(maxEvaluations);
      expect(result.value).toBe(rosenbrock(x, gradient));
      expect(result.value).toBe(Math.min(...seen));
      expect(result.gradientNorm).toBeCloseTo(Math.hypot(...gradient), 12);
      // Out of evaluations is not converged.
      if (result.gradientNorm > 1e-3) expect(result.converged).toBe(false);
    }
  });

  test("steps never rise, and are told with the evaluations so far", async () => {
    const steps: [number, number][] = [];
    const { value, evaluations } = await minimized(rosenbrock, [-1.2, 1], {
      onStep: (at, count) => steps.push([at, count]),
    });
    expect(steps.length).toBeGreaterThan(10);
    for (let k = 1; k < steps.length; k++) {
      expect(steps[k]![0]).toBeLessThanOrEqual(steps[k - 1]![0]);
      expect(steps[k]![1]).toBeGreaterThan(steps[k - 1]![1]);
    }
    expect(steps.at(-1)![0]).toBe(value);
    expect(steps.at(-1)![1]).toBeLessThanOrEqual(evaluations);
  });

  test("is not better with a looser tolerance, and takes no longer", async () => {
    const { f, diagonal } = quadratic(20, 1e4);
    const run = (tolerance: number): Promise<LbfgsResult> =>
      minimized(f, new Array<number>(20).fill(3), { tolerance, scaling: diagonal });
    const [loose, tight] = [await run(1e-2), await run(1e-12)];
    expect(loose.converged && tight.converged).toBe(true);
    expect(loose.value).toBeGreaterThan(tight.value);
    expect(loose.evaluations).toBeLessThan(tight.evaluations);
  });

  test("of a value that rounds coarsely is still the minimum to rounding", async () => {
    // Float32 values, as backends of that precision give them.
    const { f, diagonal } = quadratic(20, 1e3);
    const rough: Smooth = (x, gradient) => Math.fround(f(x, gradient));
    const { value, evaluations } = await minimized(rough, new Array<number>(20).fill(3), {
      tolerance: 1e-6,
      scaling: diagonal,
    });
    expect(value).toBeLessThan(1 + 1e-4);
    expect(evaluations).toBeLessThan(200);
  });
});

describe("curvature pairs", () => {
  const size = 6;
  const random = createRandom("pairs");
  const draw = (): Float64Array => Float64Array.from({ length: size }, () => random.normal());
  const identity = (): void => undefined;
  /** A positive definite matrix: what the gradient of a quadratic changes by over a step. */
  const columns = Array.from({ length: size }, draw);
  const curvature = (s: Float64Array): Float64Array => {
    const out = s.slice();
    for (const c of columns) {
      const product = dot(c, s);
      c.forEach((value, k) => (out[k] = out[k]! + product * value));
    }
    return out;
  };
  const add = (pairs: CurvaturePairs, s: Float64Array, y: Float64Array): void => {
    const pair = pairs.room();
    pair.s.set(s);
    pair.y.set(y);
    pairs.add(pair, dot(s, y));
  };

  const emptyPair = () => ({ s: new Float64Array(size), y: new Float64Array(size), rho: 0 });

  test("without any, cleared or not yet there, the direction is the first guess", () => {
    const pairs = new CurvaturePairs(3, emptyPair);
    const [gradient, direction, s] = [draw(), draw(), draw()];
    for (const fill of [false, true]) {
      if (fill) add(pairs, s, curvature(s));
      pairs.clear();
      expect(pairs.isEmpty).toBe(true);
      direction.set(gradient);
      const halve = (v: Float64Array): void => v.forEach((value, k) => (v[k] = value / 2));
      expect(pairs.turn(direction, halve, gradient)).toBe(dot(direction, gradient));
      expect(direction).toEqual(gradient.map((value) => value / 2));
    }
  });

  test("the newest pair is reproduced: H·y = s", () => {
    const pairs = new CurvaturePairs(3, emptyPair);
    for (let k = 0; k < 5; k++) {
      const [s, other] = [draw(), draw()];
      const y = curvature(s);
      add(pairs, s, y);
      const direction = y.slice();
      expect(pairs.turn(direction, identity, other)).toBeCloseTo(dot(s, other), 11);
      direction.forEach((value, n) => {
        expect(value).toBeCloseTo(s[n]!, 11);
      });
    }
  });
});
