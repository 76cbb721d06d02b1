import { createRandom } from "anchoreval/internal/core/numeric/random";
import { MeanSquares } from "anchoreval/internal/core/person-fit/statistics";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { calibrate } from "../../../../../offline-trainer/src/calibrate/calibrate.ts";
import { correlationInterval } from "../../../../../features/audit/fit/audit-records.ts";
import {
  abilityCovariances,
  fittedAnswers,
  itemAtFit,
  itemCovariance,
  itemLeverage,
  parameterPrecision,
} from "../../../../../features/audit/fit/fitted-answers.ts";
import {
  benjaminiHochberg,
  chiSquareTail,
  residualGroupsTest,
  sX2,
} from "../../../../../features/audit/fit/item-fit.ts";
import { largestDifference, readFixture, relativeError } from "../../../../support/fixture.ts";
import { simulatedResponses } from "../../../calibrate/simulated-responses.ts";

/** Largest distance of p-values from the uniform distribution (Kolmogorov & Smirnov). */
function distanceFromUniform(p: readonly number[]): number {
  const sorted = [...p].sort((x, y) => x - y);
  return Math.max(...sorted.map((own, k) => Math.max((k + 1) / sorted.length - own, own - k / sorted.length)));
}

/** What is tested of a model that holds: answers are drawn from it, and it is fitted to them. */
async function tested(subjects: number, items: number, dims: number, fitted: number) {
  const { responses } = simulatedResponses({
    subjects,
    items,
    dims,
    missing: dims === 1 ? 0 : 0.03,
    seed: subjects + dims,
  });
  const calibration = await calibrate(responses, { dims: fitted, backend: typescriptBackend, random: createRandom(1) });
  const answers = fittedAnswers(responses, calibration);
  const covariances = abilityCovariances(answers);
  const precision = parameterPrecision(answers, calibration.scales);
  const z: number[] = [];
  const groups = Array.from({ length: items }, (_, i) => {
    const at = itemAtFit(answers, i, covariances);
    const own = itemLeverage(answers, at, itemCovariance(answers, at, precision));
    const squares = new MeanSquares();
    at.signs.forEach((sign, m) => {
      if (sign !== 0) squares.add(Number(sign > 0), at.p[m]!, Math.min(0.9, at.leverage[m]! + own[m]!));
    });
    z.push(squares.fit.infitZ);
    return residualGroupsTest(answers, at)?.p ?? NaN;
  });
  const mean = calibration.theta.reduce((sum, own) => sum + own / subjects, 0);
  const variance =
    calibration.theta.reduce((sum, own) => sum + (own - mean) ** 2 / subjects, 0) +
    covariances.reduce((sum, own) => sum + own / subjects, 0);
  const scores = fitted === 1 ? sX2(answers, { mean, variance }) : null;
  return {
    answers,
    groups: groups.filter((p) => !Number.isNaN(p)),
    scores: scores?.flatMap((own) => (own === null ? [] : [own.p])) ?? [],
    z: z.filter((own) => !Number.isNaN(own)),
  };
}

describe.each([
  { subjects: 150, items: 400, dims: 1, fitted: 1 },
  { subjects: 200, items: 400, dims: 2, fitted: 2 },
  { subjects: 80, items: 500, dims: 2, fitted: 8 },
])("where the model holds: $subjects models, $dims dimensions, fitted $fitted", (shape) => {
  const run = tested(shape.subjects, shape.items, shape.dims, shape.fitted);

  test("p-values of the residual χ² are uniform, near enough", async () => {
    const { groups } = await run;
    expect(groups.length).toBeGreaterThan(300);
    const below = groups.filter((p) => p < 0.05).length / groups.length;
    expect(below).toBeGreaterThan(0.015);
    expect(below).toBeLessThan(0.08);
    expect(distanceFromUniform(groups)).toBeLessThan(0.1);
  });

  test("z of infit has mean about 0, and is no wider than a standard normal", async () => {
    const { z } = await run;
    const mean = z.reduce((sum, own) => sum + own, 0) / z.length;
    expect(Math.abs(mean)).toBeLessThan(shape.fitted > shape.dims ? 0.7 : 0.3);
    expect(Math.sqrt(z.reduce((sum, own) => sum + (own - mean) ** 2, 0) / z.length)).toBeLessThan(1.1);
  });

  if (shape.fitted > 1) return; // S-X² is for one dimension
  test("so are those of S-X²", async () => {
    const { scores } = await run;
    expect(scores.length).toBeGreaterThan(300);
    expect(scores.filter((p) => p < 0.05).length / scores.length).toBeLessThan(0.08);
    expect(distanceFromUniform(scores)).toBeLessThan(0.12);
  });
});

test("where a curve doesn't hold, both tests say so", async () => {
  const { answers } = await tested(400, 120, 1, 1);
  const { models, calibration } = answers;
  // Item 0: right for the middle half of the models, wrong for the others, each with a tenth of exceptions.
  const order = Array.from({ length: models }, (_, m) => m).sort(
    (x, y) => calibration.theta[x]! - calibration.theta[y]!,
  );
  const random = createRandom("exceptions");
  order.forEach((m, rank) => {
    const middle = rank > models / 4 && rank < (3 * models) / 4;
    answers.signs[m] = middle === random.next() > 0.1 ? 1 : -1;
  });
  calibration.a[0] = 0.01; // about what a fit makes of it
  calibration.b[0] = 0;
  expect(residualGroupsTest(answers, itemAtFit(answers, 0, abilityCovariances(answers)))!.p).toBeLessThan(1e-20);
  expect(sX2(answers, { mean: 0, variance: 1 })![0]!.p).toBeLessThan(1e-10);
});

test("of few models, or answers of one kind, there is no test", async () => {
  const { responses } = simulatedResponses({ subjects: 12, items: 40, dims: 1, seed: 9 });
  responses.signs.forEach((_, k) => k % 40 === 0 && (responses.signs[k] = 1));
  const calibration = await calibrate(responses, { dims: 1, backend: typescriptBackend, random: createRandom(1) });
  const answers = fittedAnswers(responses, calibration);
  const covariances = abilityCovariances(answers);
  for (let i = 0; i < 40; i++) expect(residualGroupsTest(answers, itemAtFit(answers, i, covariances))).toBeNull();
});

const fixture = readFixture<{
  readonly tolerance: number;
  readonly tails: readonly { readonly x: number; readonly degrees: number; readonly p: number }[];
  readonly rates: readonly { readonly p: readonly number[]; readonly q: readonly number[] }[];
  readonly correlations: readonly {
    readonly r: number;
    readonly n: number;
    readonly low: number;
    readonly high: number;
  }[];
}>("audit/distributions.json");

describe("χ²", () => {
  test("the upper tail is SciPy's", () => {
    for (const { x, degrees, p } of fixture.tails) {
      const own = chiSquareTail(x, degrees);
      // Far out relative, since nothing is subtracted there.
      expect(Math.min(Math.abs(own - p), relativeError(own, p)), `${x}, ${degrees}`).toBeLessThan(fixture.tolerance);
      if (x > 2 * degrees && p > 0) expect(relativeError(own, p), `${x}, ${degrees}`).toBeLessThan(1e-10);
    }
  });

  test("at the ends, and where there is none", () => {
    expect(chiSquareTail(0, 3)).toBe(1);
    expect(chiSquareTail(Infinity, 3)).toBe(0);
    expect(chiSquareTail(1, 0)).toBeNaN();
    expect(chiSquareTail(NaN, 2)).toBeNaN();
  });
});

describe("Benjamini & Hochberg's rates", () => {
  test("are SciPy's", () => {
    for (const { p, q } of fixture.rates) expect(largestDifference(benjaminiHochberg(p), q)).toBeLessThan(1e-12);
  });

  test("NaN is no test, and no q exceeds 1 or lies below its p", () => {
    const own = benjaminiHochberg([0.01, NaN, 0.04, 0.9, NaN]);
    expect(Array.from(own)).toEqual([
      expect.closeTo(0.03, 12),
      NaN,
      expect.closeTo(0.06, 12),
      expect.closeTo(0.9, 12),
      NaN,
    ]);
    expect(benjaminiHochberg([]).length).toBe(0);
    expect(Array.from(benjaminiHochberg([1, 1, 0.99]))).toEqual([1, 1, 1]);
  });
});

describe("intervals of correlations", () => {
  test("are those of the normal distribution of artanh r", () => {
    for (const { r, n, low, high } of fixture.correlations) {
      const own = correlationInterval(r, n);
      expect(own.low).toBeCloseTo(low, 12);
      expect(own.high).toBeCloseTo(high, 12);
    }
  });

  test("of few pairs there is none", () => {
    expect(correlationInterval(0.3, 3)).toEqual({ low: NaN, high: NaN });
    expect(correlationInterval(NaN, 30).low).toBeNaN();
  });
});
