import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import { calibrate } from "../../offline-trainer/src/calibrate/calibrate.ts";
import { type CalibrationBackend, type Parameters } from "../../offline-trainer/src/calibrate/types.ts";
import { type CodedResponses } from "../../offline-trainer/src/matrix/code-responses.ts";

interface Problem {
  readonly responses: CodedResponses;
  readonly dims: number;
  readonly at: Parameters;
}

/** Matrices of more than one block on a CPU: wide, and with more models than a block of fewest items has. */
const CACHED_BLOCKS = [
  { subjects: 70, items: 5000 },
  { subjects: 9000, items: 40 },
];

/**
 * How far a backend may stray, by its precision. Sums of some thousand cells; float32 has 24 bits, and below `step`
 * L-BFGS only searches in its noise.
 */
const TOLERANCE = {
  float64: { formula: 1e-12, numeric: 1e-7, reference: 1e-9, optimum: 1e-9, step: 1e-11 },
  float32: { formula: 1e-6, numeric: 1e-5, reference: 1e-5, optimum: 1e-5, step: 1e-8 },
} as const;

export interface ConformanceOptions {
  /** Why the backend doesn't start on this machine; null where it does. */
  readonly unavailable?: string | null;
  /** Models and items that it cuts into several blocks; none where another backend computes the blocks alike. */
  readonly manyBlocks?: readonly { readonly subjects: number; readonly items: number }[];
  /** Whether a whole calibration is tried, which a caller may do himself. @default true */
  readonly calibration?: boolean;
}

/** What every backend of calibration must keep. Called once per implementation. */
export function describeCalibrationBackend(
  label: string,
  backend: CalibrationBackend,
  { unavailable = null, manyBlocks = CACHED_BLOCKS, calibration = true }: ConformanceOptions = {},
): void {
  const tolerance = TOLERANCE[backend.precision];
  const contract = (name: string, run: () => Promise<void>): void => {
    if (unavailable === null) test(name, run);
    else test.skip(`${name} (${unavailable})`, run);
  };

  describe(`${label} conforms`, () => {
    for (const dims of [1, 5]) {
      contract(`value is the sum over the cells, ${dims}-dimensional`, async () => {
        const problem = randomProblem({ dims });
        const { value } = await evaluated(backend, problem);
        expectRelative(value, directValue(problem), tolerance.formula);
      });

      contract(`gradient is the derivative of that sum, ${dims}-dimensional`, async () => {
        const problem = randomProblem({ dims });
        const { gradient } = await evaluated(backend, problem);
        for (const part of ["theta", "a", "b"] as const)
          expectClose(gradient[part], numericGradient(problem, part), tolerance.numeric);
      });

      contract(`agrees with the TypeScript reference at random points, ${dims}-dimensional`, async () => {
        for (let seed = 1; seed <= 5; seed++) {
          const problem = randomProblem({ dims, seed, spread: seed / 2 });
          const own = await evaluated(backend, problem);
          const reference = await evaluated(typescriptBackend, problem);
          expectRelative(own.value, reference.value, tolerance.reference);
          for (const part of ["theta", "a", "b"] as const)
            expectClose(own.gradient[part], reference.gradient[part], tolerance.reference);
        }
      });
    }

    contract("missing cells count for nothing", async () => {
      // Item 3 and subject 2 have no answers at all: what is left is the problem without them.
      const problem = randomProblem({ dims: 2, missing: 0.4 });
      const { subjects, items } = problem.responses;
      const signs = problem.responses.signs.map((sign, k) =>
        k % items === 3 || Math.floor(k / items) === 2 ? 0 : sign,
      );
      const emptied: Problem = { ...problem, responses: { subjects, items, signs } };
      const whole = await evaluated(backend, emptied);
      expectRelative(whole.value, directValue(emptied), tolerance.formula);
      expect(Array.from(whole.gradient.a.subarray(6, 8), Math.abs)).toEqual([0, 0]);
      expect(Math.abs(whole.gradient.b[3]!)).toBe(0);
      expect(Array.from(whole.gradient.theta.subarray(4, 6), Math.abs)).toEqual([0, 0]);
      // Their parameters don't matter either.
      const at = { theta: problem.at.theta.slice(), a: problem.at.a.slice(), b: problem.at.b.slice() };
      at.b[3] = 7;
      at.theta.fill(-3, 4, 6);
      const moved = await evaluated(backend, { ...emptied, at });
      expectRelative(moved.value, whole.value, tolerance.formula);
      expectClose(moved.gradient.a, whole.gradient.a, tolerance.formula);
    });

    contract("no answers at all: value and gradient are zero", async () => {
      const problem = randomProblem({ dims: 2 });
      const empty = { ...problem, responses: { ...problem.responses, signs: new Int8Array(12 * 30) } };
      const { value, gradient } = await evaluated(backend, empty);
      expect(Math.abs(value)).toBeLessThan(360 * 1e-7); // log 2, added and taken off
      for (const part of ["theta", "a", "b"] as const) expect(gradient[part].every((slope) => slope === 0)).toBe(true);
    });

    contract("stays right at logits of ±40, for and against the answer", async () => {
      // One subject of ability 1; the item's slope is the logit.
      const logits = [40, -40, 18, -18, 25, -25, 30, -30, 0];
      for (const sign of [1, -1]) {
        const { value, gradient } = await evaluated(backend, {
          dims: 1,
          responses: { subjects: 1, items: logits.length, signs: new Int8Array(logits.length).fill(sign) },
          at: { theta: Float64Array.of(1), a: Float64Array.from(logits), b: new Float64Array(logits.length) },
        });
        // softplus(−u), u the logit of what was seen: |u| where it is negative, next to nothing where positive.
        const expected = logits.map((z) => Math.max(0, -sign * z) + Math.log1p(Math.exp(-Math.abs(z))));
        expectRelative(value, sum(expected), tolerance.formula);
        const slopes = logits.map((z) => -sign / (1 + Math.exp(sign * z)));
        expectClose(gradient.a, slopes, tolerance.formula);
        expectClose(
          gradient.b,
          slopes.map((slope) => -slope),
          tolerance.formula,
        );
        expectClose(gradient.theta, [sum(slopes.map((slope, i) => slope * logits[i]!))], tolerance.formula);
      }
      for (const z of [-40, 40]) {
        const { value } = await evaluated(backend, {
          dims: 1,
          responses: { subjects: 1, items: 1, signs: Int8Array.of(1) },
          at: { theta: Float64Array.of(1), a: Float64Array.of(z), b: Float64Array.of(0) },
        });
        expect(Math.abs(value - (z < 0 ? 40 : 0))).toBeLessThan(1e-5);
      }
    });

    contract("fills the gradient anew, and reads and writes parts of larger arrays", async () => {
      const problem = randomProblem({ dims: 2 });
      const { theta, a, b } = problem.at;
      const views = (all: Float64Array): Parameters => ({
        theta: all.subarray(1, 1 + theta.length),
        a: all.subarray(1 + theta.length, 1 + theta.length + a.length),
        b: all.subarray(1 + theta.length + a.length, 1 + theta.length + a.length + b.length),
      });
      const length = theta.length + a.length + b.length + 2;
      const point = new Float64Array(length).fill(99);
      views(point).theta.set(theta);
      views(point).a.set(a);
      views(point).b.set(b);
      const slots = new Float64Array(length).fill(NaN);
      const expected = await evaluated(backend, problem);
      const objective = await backend.open(problem.responses, problem.dims);
      try {
        for (let repeat = 0; repeat < 2; repeat++)
          expect(await objective.evaluate(views(point), views(slots))).toBe(expected.value);
      } finally {
        await objective.dispose();
      }
      expect(views(slots)).toEqual(expected.gradient);
      expect([slots[0], slots[length - 1]]).toEqual([NaN, NaN]);
      expect([point[0], point[length - 1]]).toEqual([99, 99]);
    });

    contract("keeps objectives apart, and the others when one is disposed of", async () => {
      const [first, second] = [randomProblem({ dims: 1, seed: 1 }), randomProblem({ dims: 2, seed: 2 })];
      const alone = await evaluated(backend, second);
      const one = await backend.open(first.responses, first.dims);
      const other = await backend.open(second.responses, second.dims);
      try {
        await one.evaluate(first.at, zeros(first));
        const gradient = zeros(second);
        expect(await other.evaluate(second.at, gradient)).toBe(alone.value);
        await one.dispose();
        expect(await other.evaluate(second.at, gradient)).toBe(alone.value);
        expect(gradient).toEqual(alone.gradient);
      } finally {
        await other.dispose();
      }
    });

    contract("reads responses that are part of a larger array", async () => {
      const problem = randomProblem({ dims: 1 });
      const { value } = await evaluated(backend, problem);
      const wide = new Int8Array(problem.responses.signs.length + 5).fill(1);
      wide.set(problem.responses.signs, 5);
      const offset = { ...problem, responses: { ...problem.responses, signs: wide.subarray(5) } };
      expect((await evaluated(backend, offset)).value).toBe(value);
    });

    if (manyBlocks.length > 0)
      contract("agrees with the TypeScript reference on many blocks of responses", async () => {
        for (const [k, shape] of manyBlocks.entries()) {
          const problem = randomProblem({ ...shape, dims: k % 2 === 0 ? 5 : 1 });
          const own = await evaluated(backend, problem);
          const reference = await evaluated(typescriptBackend, problem);
          expectRelative(own.value, reference.value, tolerance.reference);
          for (const part of ["theta", "a", "b"] as const)
            expectClose(own.gradient[part], reference.gradient[part], tolerance.reference);
        }
      });

    if (calibration)
      contract("leads calibrate() to the reference's optimum", async () => {
        const dims = 2;
        const { responses } = randomProblem({ dims, subjects: 20, items: 40, seed: 3 });
        const own = await calibrate(responses, {
          dims,
          tolerance: tolerance.step,
          maxEvaluations: 400,
          backend,
          random: createRandom(1),
        });
        const reference = await calibrate(responses, {
          dims,
          tolerance: TOLERANCE.float64.step,
          maxEvaluations: 400,
          backend: typescriptBackend,
          random: createRandom(1),
        });
        expectRelative(own.value, reference.value, tolerance.optimum);
      });

    contract("says what it is", async () => {
      expect(backend.name).toMatch(/^[a-z]+(-[a-z]+)?$/);
      expect(["float32", "float64"]).toContain(backend.precision);
      await Promise.resolve();
    });
  });
}

function randomProblem({
  dims,
  subjects = 12,
  items = 30,
  missing = 0.2,
  seed = 7,
  spread = 1,
}: {
  readonly dims: number;
  readonly subjects?: number;
  readonly items?: number;
  readonly missing?: number;
  readonly seed?: number;
  readonly spread?: number;
}): Problem {
  const random = createRandom(`backend ${dims} ${seed}`);
  const normal = (count: number): Float64Array => Float64Array.from({ length: count }, () => spread * random.normal());
  const at = { theta: normal(subjects * dims), a: normal(items * dims), b: normal(items) };
  const signs = Int8Array.from({ length: subjects * items }, (_, k) => {
    if (random.next() < missing) return 0;
    const [m, i] = [Math.floor(k / items), k % items];
    return random.next() < 1 / (1 + Math.exp(-logitAt(at, dims, m, i))) ? 1 : -1;
  });
  return { dims, responses: { subjects, items, signs }, at };
}

function logitAt({ theta, a, b }: Parameters, dims: number, m: number, i: number): number {
  let z = -b[i]!;
  for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
  return z;
}

/** The sum over the cells from the textbook's formula: −log P(what was seen). */
function directValue({ responses, dims, at }: Problem): number {
  const { subjects, items } = responses;
  let total = 0;
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const p = 1 / (1 + Math.exp(-logitAt(at, dims, m, i)));
      const sign = responses.signs[m * items + i]!;
      if (sign !== 0) total -= Math.log(sign > 0 ? p : 1 - p);
    }
  return total;
}

/** Central differences of the direct sum. */
function numericGradient(problem: Problem, part: keyof Parameters): number[] {
  const step = 1e-5;
  return Array.from(problem.at[part], (value, k) => {
    const moved = (to: number): Problem => ({
      ...problem,
      at: { ...problem.at, [part]: problem.at[part].with(k, to) },
    });
    return (directValue(moved(value + step)) - directValue(moved(value - step))) / (2 * step);
  });
}

function zeros({ at }: Problem): Parameters {
  return {
    theta: new Float64Array(at.theta.length),
    a: new Float64Array(at.a.length),
    b: new Float64Array(at.b.length),
  };
}

async function evaluated(
  backend: CalibrationBackend,
  problem: Problem,
): Promise<{ value: number; gradient: Parameters }> {
  const objective = await backend.open(problem.responses, problem.dims);
  try {
    const gradient = zeros(problem);
    return { value: await objective.evaluate(problem.at, gradient), gradient };
  } finally {
    await objective.dispose();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function expectRelative(actual: number, expected: number, tolerance: number): void {
  expect(Math.abs(actual - expected), `${actual}, expected ${expected}`).toBeLessThanOrEqual(
    tolerance * Math.abs(expected),
  );
}

/** Every element within `tolerance` of the largest. */
function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  const scale = Math.max(...Array.from(expected, Math.abs));
  for (let k = 0; k < expected.length; k++)
    expect(
      Math.abs(actual[k]! - expected[k]!),
      `element ${k}: ${actual[k]!}, expected ${expected[k]!}`,
    ).toBeLessThanOrEqual(tolerance * scale);
}
