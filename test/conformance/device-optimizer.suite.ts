import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import {
  calibrate,
  type CalibrateOptions,
  type FixedItems,
  standardPrior,
} from "../../offline-trainer/src/calibrate/calibrate.ts";
import {
  initialScales,
  curvature,
  itemWeights,
  shares,
  startingValues,
} from "../../offline-trainer/src/calibrate/scales.ts";
import { steppedOptimizer } from "../../offline-trainer/src/calibrate/stepped-optimizer.ts";
import type { CalibrationBackend, Optimizer, Parameters, Round } from "../../offline-trainer/src/calibrate/types.ts";
import type { CodedResponses } from "../../offline-trainer/src/matrix/code-responses.ts";

/** How far whole rounds may stray from the reference's, by precision: in float32 the search may take another step. */
const TOLERANCE = {
  float64: { value: 1e-12, parameters: 1e-9, evaluations: 0 },
  float32: { value: 1e-5, parameters: 0.05, evaluations: Infinity },
} as const;

const PARTS = ["theta", "a", "b"] as const;

/** What every device's whole rounds must keep: they are `minimizeLbfgs`, step by step. Called once per implementation. */
export function describeDeviceOptimizer(
  label: string,
  backend: CalibrationBackend,
  { unavailable = null, runs = 25 }: { readonly unavailable?: string | null; readonly runs?: number } = {},
): void {
  const tolerance = TOLERANCE[backend.precision];
  const contract = (name: string, run: () => Promise<void>): void => {
    if (unavailable === null) test(name, run);
    else test.skip(`${name} (${unavailable})`, run);
  };
  const expectAlike = async (
    responses: CodedResponses,
    options: Pick<CalibrateOptions, "dims" | "fixed" | "rounds" | "maxEvaluations" | "tolerance">,
  ): Promise<void> => {
    const result = await calibrate(responses, { ...options, backend, random: createRandom(1) });
    const reference = await calibrate(responses, { ...options, backend: typescriptBackend, random: createRandom(1) });
    expect(Math.abs(result.value - reference.value)).toBeLessThanOrEqual(
      tolerance.value * Math.max(1, Math.abs(reference.value)),
    );
    expect(Math.abs(result.evaluations - reference.evaluations)).toBeLessThanOrEqual(tolerance.evaluations);
    if (tolerance.evaluations === 0) expect(result.converged).toBe(reference.converged);
    for (const part of PARTS) expectClose(result[part], reference[part], tolerance.parameters);
  };

  describe(`${label} optimises`, () => {
    for (const [subjects, items, dims] of [
      [1, 40, 1],
      [40, 1, 1],
      [1, 1, 1],
      [12, 64, 5],
      [31, 33, 2],
    ] as const)
      contract(`${subjects} models × ${items} items in ${dims} dimensions as the reference does`, () =>
        expectAlike(drawn({ subjects, items, dims }), { dims }),
      );

    contract("a matrix with models and items that have no answers", async () => {
      const { subjects, items, signs } = drawn({ subjects: 14, items: 50, dims: 2 });
      const emptied = signs.map((sign, k) => (k % items === 3 || Math.floor(k / items) % 7 === 2 ? 0 : sign));
      await expectAlike({ subjects, items, signs: emptied }, { dims: 2 });
    });

    contract("no answers at all", () =>
      expectAlike({ subjects: 5, items: 6, signs: new Int8Array(30) }, { dims: 2, rounds: 1 }),
    );

    contract("with items that keep their parameters, to the last bit", async () => {
      const responses = drawn({ subjects: 30, items: 40, dims: 2 });
      const fixed = fixedItems(40, 2, 3);
      await expectAlike(responses, { dims: 2, fixed });
      const { a, b } = await calibrate(responses, { dims: 2, fixed, backend, random: createRandom(1) });
      for (let i = 0; i < 40; i++) {
        if (fixed.isFixed[i] === 0) continue;
        const round = backend.precision === "float32" ? Math.fround : Number;
        expect(b[i]).toBe(round(fixed.b[i]!));
        for (let d = 0; d < 2; d++) expect(a[2 * i + d]).toBe(round(fixed.a[2 * i + d]!));
      }
    });

    contract("until its evaluations are spent, and until no step is a gain", async () => {
      const responses = drawn({ subjects: 20, items: 30, dims: 2 });
      await expectAlike(responses, { dims: 2, rounds: 1, maxEvaluations: 1 });
      await expectAlike(responses, { dims: 2, rounds: 1, maxEvaluations: 7 });
      if (backend.precision === "float64")
        await expectAlike(responses, { dims: 2, rounds: 1, maxEvaluations: 300, tolerance: 1e-11 });
    });

    contract("random small problems as the reference does", () =>
      fc.assert(
        fc.asyncProperty(
          fc.record({
            dims: fc.integer({ min: 1, max: 4 }),
            subjects: fc.integer({ min: 6, max: 24 }),
            items: fc.integer({ min: 8, max: 48 }),
            missing: fc.constantFrom(0, 0.2, 0.5),
            seed: fc.nat(1000),
            every: fc.constantFrom(0, 2, 5),
          }),
          ({ every, ...problem }) =>
            expectAlike(drawn(problem), {
              dims: problem.dims,
              ...(every > 0 && { fixed: fixedItems(problem.items, problem.dims, every) }),
            }),
        ),
        { numRuns: runs, seed: 46 },
      ),
    );

    contract("some models alone, whatever the others answered", async () => {
      const dims = 2;
      const whole = drawn({ subjects: 23, items: 37, dims });
      const rows = [0, 2, 3, 5, 8, 9, 10, 11, 15, 16, 20, 22];
      const submatrix = rowsOf(whole, rows);
      const start = (): Parameters => startingValues(shares(submatrix), dims, createRandom(2));
      const reference = start();
      const round = roundAt(reference, submatrix, dims);
      const expected = await steppedOptimizer(await typescriptBackend.open(submatrix, dims), {
        onStep: () => undefined,
      }).optimize(reference, round);
      const found: Parameters[] = [];
      for (const others of [undefined, 1, -1, 0, "other"] as const) {
        const random = createRandom("scrambled");
        const signs = whole.signs.map((sign, k) => {
          if (others === undefined || rows.includes(Math.floor(k / whole.items))) return sign;
          return others === "other" ? Math.floor(3 * random.next()) - 1 : others;
        });
        const device = await backend.openOptimizer!({ ...whole, signs }, dims);
        try {
          const at = start();
          const result = await device.among(rows).optimize(at, round);
          expect(Math.abs(result.evaluations - expected.evaluations)).toBeLessThanOrEqual(tolerance.evaluations);
          expect(Math.abs(result.value / expected.value - 1)).toBeLessThan(tolerance.value);
          for (const part of PARTS) expectClose(at[part], reference[part], tolerance.parameters);
          found.push(at);
        } finally {
          await device.dispose();
        }
      }
      for (const at of found.slice(1)) for (const part of PARTS) expect(bits(at[part])).toEqual(bits(found[0]![part]));
    });

    contract("one matrix's models in turn, and all of them after some", async () => {
      const dims = 1;
      const whole = drawn({ subjects: 12, items: 20, dims });
      const device = await backend.openOptimizer!(whole, dims);
      const optimized = async (from: Optimizer, responses: CodedResponses) => {
        const at = startingValues(shares(responses), dims, createRandom(3));
        const { value } = await from.optimize(at, roundAt(at, responses, dims));
        return { value, at };
      };
      try {
        const all = await optimized(device, whole);
        const folds = [0, 1, 2].map((fold) => Array.from({ length: 12 }, (_, m) => m).filter((m) => m % 3 !== fold));
        const values: number[] = [];
        for (const rows of folds) values.push((await optimized(device.among(rows), rowsOf(whole, rows))).value);
        expect(new Set(values).size).toBe(3);
        expect(await optimized(device, whole)).toEqual(all);
      } finally {
        await device.dispose();
      }
    });
  });
}

function drawn({
  subjects,
  items,
  dims,
  missing = 0.2,
  seed = 7,
}: {
  readonly subjects: number;
  readonly items: number;
  readonly dims: number;
  readonly missing?: number;
  readonly seed?: number;
}): CodedResponses {
  const random = createRandom(`rounds ${seed}`);
  const normal = (count: number): Float64Array => Float64Array.from({ length: count }, () => random.normal());
  const [theta, a, b] = [normal(subjects * dims), normal(items * dims), normal(items)];
  const signs = Int8Array.from({ length: subjects * items }, (_, k) => {
    const [m, i] = [Math.floor(k / items), k % items];
    let z = -b[i]!;
    for (let d = 0; d < dims; d++) z += a[i * dims + d]! * theta[m * dims + d]!;
    if (random.next() < missing) return 0;
    return random.next() < 1 / (1 + Math.exp(-z)) ? 1 : -1;
  });
  return { subjects, items, signs };
}

/** Every so many items stay, with a prior that is neither standard nor diagonal. */
function fixedItems(items: number, dims: number, every: number): FixedItems {
  const random = createRandom(`fixed ${items} ${dims}`);
  const precision = new Float64Array(dims * dims);
  for (let r = 0; r < dims; r++) for (let c = 0; c < dims; c++) precision[r * dims + c] = r === c ? 1.5 + r / 4 : 0.2;
  return {
    isFixed: Uint8Array.from({ length: items }, (_, i) => (i % every === 0 ? 1 : 0)),
    a: Float64Array.from({ length: items * dims }, (_, k) => (k % dims === 0 ? 1 : 0.4 * random.normal())),
    b: Float64Array.from({ length: items }, () => random.normal()),
    prior: { mean: Float64Array.from({ length: dims }, (_, d) => 0.3 - d / 5), precision },
  };
}

function rowsOf({ items, signs }: CodedResponses, rows: readonly number[]): CodedResponses {
  const kept = rows.flatMap((m) => Array.from(signs.subarray(m * items, (m + 1) * items)));
  return { subjects: rows.length, items, signs: Int8Array.from(kept) };
}

function roundAt(at: Parameters, responses: CodedResponses, dims: number): Round {
  const scales = initialScales(dims);
  const prior = standardPrior(dims);
  const scaling = { theta: at.theta.slice(), a: at.a.slice(), b: at.b.slice() };
  curvature(at, scales, prior, itemWeights(shares(responses)), scaling);
  return { scales, prior, scaling, isFixed: null, maxEvaluations: 60, tolerance: 1e-6 };
}

function bits(values: Float64Array): bigint[] {
  return Array.from(new BigUint64Array(values.slice().buffer));
}

/** Every element within `tolerance` of the largest, or of 1. */
function expectClose(actual: Float64Array, expected: Float64Array, tolerance: number): void {
  const scale = Math.max(1, ...Array.from(expected, Math.abs));
  for (let k = 0; k < expected.length; k++)
    expect(
      Math.abs(actual[k]! - expected[k]!),
      `element ${k}: ${actual[k]!}, expected ${expected[k]!}`,
    ).toBeLessThanOrEqual(tolerance * scale);
}
