import { cholesky, choleskyInverse } from "anchoreval/internal/core/numeric/dense";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { MeanSquares } from "anchoreval/internal/core/person-fit/statistics";
import { beforeAll, describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { calibrate, type Calibration } from "../../../../../offline-trainer/src/calibrate/calibrate.ts";
import {
  abilityCovariances,
  fittedAnswers,
  type FittedAnswers,
  generalAbility,
  generalLoading,
  generalSlope,
  itemAtFit,
  probabilities,
  discriminationPrecision,
  itemCovariance,
  parameterPrecision,
} from "../../../../../features/audit/fit/fitted-answers.ts";
import { residualGroupsTest, scoreDistribution, sX2, withoutItem } from "../../../../../features/audit/fit/item-fit.ts";
import { answerLikeness } from "../../../../../features/audit/fit/near-copies.ts";
import { symmetricEigen } from "../../../../../offline-trainer/src/numeric/eigen.ts";
import { simulatedResponses } from "../../../calibrate/simulated-responses.ts";

const dims = 3;
const { responses } = simulatedResponses({ subjects: 90, items: 160, dims, missing: 0.05, seed: 4 });
let calibration: Calibration;
let answers: FittedAnswers;
let covariances: Float64Array;
let precision: Float64Array;

beforeAll(async () => {
  const random = createRandom("laws");
  calibration = await calibrate(responses, {
    dims,
    backend: typescriptBackend,
    random,
    maxEvaluations: 400,
    tolerance: 1e-9,
  });
  answers = fittedAnswers(responses, calibration);
  covariances = abilityCovariances(answers);
  precision = parameterPrecision(answers, calibration.scales);
});

test("answers are turned from models to items, whatever the shape", () => {
  const { subjects, items, signs } = responses;
  for (let m = 0; m < subjects; m += 7)
    for (let i = 0; i < items; i++) expect(answers.signs[i * subjects + m]).toBe(signs[m * items + i]);
});

describe("the prior in the axes that the fit was turned to", () => {
  test("is recovered from the optimum: its eigenvalues are the learned precisions", () => {
    const learned = Array.from(calibration.scales.aVariance, (variance) => 1 / variance).sort((x, y) => y - x);
    const { values } = symmetricEigen(discriminationPrecision(answers, calibration.scales.aVariance), dims);
    values.forEach((value, d) => expect(value / learned[d]!).toBeCloseTo(1, 2));
  });

  test("in one dimension is the learned one", async () => {
    const one = await calibrate(responses, { dims: 1, backend: typescriptBackend, random: createRandom(2) });
    expect(discriminationPrecision(fittedAnswers(responses, one), one.scales.aVariance)).toEqual(
      Float64Array.of(1 / one.scales.aVariance[0]!),
    );
  });

  test("of fewer items than unknowns is still one, within the learned precisions", async () => {
    const few = { subjects: 90, items: 2, signs: Int8Array.from({ length: 180 }, (_, k) => (k % 3 === 0 ? 1 : -1)) };
    const fit = await calibrate(few, { dims, backend: typescriptBackend, random: createRandom(3) });
    const { values } = symmetricEigen(discriminationPrecision(fittedAnswers(few, fit), fit.scales.aVariance), dims);
    const learned = Array.from(fit.scales.aVariance, (variance) => 1 / variance);
    for (const value of values) {
      expect(value).toBeGreaterThanOrEqual(Math.min(...learned) * (1 - 1e-9));
      expect(value).toBeLessThanOrEqual(Math.max(...learned) * (1 + 1e-9));
    }
  });
});

test("a model's leverages sum to what its answers have taken from the prior's variance, D − tr Cov", () => {
  const sums = new Float64Array(responses.subjects);
  for (let i = 0; i < responses.items; i++)
    itemAtFit(answers, i, covariances).leverage.forEach((own, m) => (sums[m] = sums[m]! + own));
  sums.forEach((sum, m) => {
    let trace = 0;
    for (let d = 0; d < dims; d++) trace += covariances[m * dims * dims + d * (dims + 1)]!;
    expect(sum).toBeCloseTo(dims - trace, 9);
  });
});

test("the second term of an item's covariance is what abilities add, to first order", () => {
  const size = dims + 1;
  for (const item of [0, 40, 159]) {
    const at = itemAtFit(answers, item, covariances);
    const inverse = (matrix: Float64Array): Float64Array => choleskyInverse(cholesky(matrix, size)!, size);
    const information = at.information.map((value, k) => value + precision[k]!);
    const known = inverse(information);
    // The item's block of the inverse of the information on it and on all abilities, by the Schur complement.
    const schur = Float64Array.from(information);
    for (let m = 0; m < answers.models; m++) {
      const weight = at.leverage[m]! * at.p[m]! * (1 - at.p[m]!);
      const x = [...calibration.theta.subarray(m * dims, (m + 1) * dims), -1];
      for (let r = 0; r < size; r++)
        for (let c = 0; c < size; c++) schur[r * size + c] = schur[r * size + c]! - weight * x[r]! * x[c]!;
    }
    const exact = inverse(schur);
    const own = itemCovariance(answers, at, precision);
    for (let d = 0; d < size; d++) {
      const k = d * (size + 1);
      expect(own[k]!).toBeGreaterThan(known[k]!);
      expect((own[k]! - known[k]!) / (exact[k]! - known[k]!)).toBeGreaterThan(0.75);
      expect(own[k]!).toBeLessThanOrEqual(exact[k]! * (1 + 1e-9));
    }
  }
});

describe("another order of the models", () => {
  const order = createRandom("order").shuffle(Array.from({ length: responses.subjects }, (_, m) => m));
  const byModel = <T extends Int8Array | Float64Array>(values: T, width: number): T =>
    values.map((_, k) => values[order[Math.floor(k / width)]! * width + (k % width)]!) as T;
  const turned = (): FittedAnswers =>
    fittedAnswers(
      { ...responses, signs: byModel(responses.signs, responses.items) },
      { ...calibration, theta: byModel(calibration.theta, dims) },
    );

  test("leaves every statistic of an item as it is", () => {
    const other = turned();
    const otherCovariances = abilityCovariances(other);
    for (const item of [3, 77, 120]) {
      const [left, right] = [itemAtFit(answers, item, covariances), itemAtFit(other, item, otherCovariances)];
      const [one, two] = [residualGroupsTest(answers, left), residualGroupsTest(other, right)];
      expect(one === null).toBe(two === null);
      if (one && two) {
        expect(two.statistic).toBeCloseTo(one.statistic, 8);
        expect(two.degrees).toBe(one.degrees);
      }
      const [a, b] = [itemCovariance(answers, left, precision), itemCovariance(other, right, precision)];
      a.forEach((value, k) => expect(b[k]).toBeCloseTo(value, 10));
    }
    const families = Int32Array.from({ length: answers.models }, (_, m) => m % 11);
    const own = answerLikeness(answers, 5, 9, families);
    const its = answerLikeness(
      other,
      5,
      9,
      families.map((_, m) => families[order[m]!]!),
    );
    expect(its.z).toBeCloseTo(own.z, 10);
    expect(its.q3).toBeCloseTo(own.q3, 10);
  });
});

describe("right for wrong, with a and b turned around", () => {
  test("leaves fit and likeness as they are", () => {
    const mirrored: FittedAnswers = {
      ...answers,
      kept: null,
      signs: answers.signs.map((sign) => (sign === 0 ? 0 : -sign)),
      calibration: { ...calibration, a: calibration.a.map((own) => -own), b: calibration.b.map((own) => -own) },
    };
    const families = Int32Array.from({ length: answers.models }, (_, m) => m);
    expect(answerLikeness(mirrored, 1, 2, families).z).toBeCloseTo(answerLikeness(answers, 1, 2, families).z, 10);
    for (const item of [10, 20]) {
      const [one, two] = [answers, mirrored].map((own) => itemAtFit(own, item, abilityCovariances(own)));
      const squares = [one!, two!].map(({ signs, p }) => {
        const sum = new MeanSquares();
        signs.forEach((sign, m) => sign !== 0 && sum.add(Number(sign > 0), p[m]!));
        return sum.fit;
      });
      expect(squares[1]!.infit).toBeCloseTo(squares[0]!.infit, 10);
      expect(squares[1]!.outfitZ).toBeCloseTo(squares[0]!.outfitZ, 10);
    }
  });
});

describe("general ability", () => {
  const slice = {
    id: "s",
    begin: 0,
    count: responses.items,
    subscenarios: [{ id: null, items: responses.items }],
    weights: new Float64Array(responses.items).fill(1 / responses.items),
  };

  test("has mean 0 and standard deviation 1, in the order of the predicted scores", () => {
    const general = generalAbility(answers, slice);
    const mean = general.reduce((sum, own) => sum + own, 0) / general.length;
    expect(mean).toBeCloseTo(0, 12);
    expect(general.reduce((sum, own) => sum + own * own, 0) / general.length).toBeCloseTo(1, 12);
    const score = new Float64Array(answers.models);
    const p = new Float64Array(answers.models);
    for (let i = 0; i < responses.items; i++)
      probabilities(answers, i, p).forEach((own, m) => (score[m] = score[m]! + own));
    const byScore = Array.from(score.keys()).sort((x, y) => score[x]! - score[y]!);
    const byGeneral = Array.from(general.keys()).sort((x, y) => general[x]! - general[y]!);
    expect(byGeneral).toEqual(byScore);
  });

  test("the slope on it is the least-squares slope of the item's logit", () => {
    const general = generalAbility(answers, slice);
    const loading = generalLoading(answers, general);
    for (const item of [0, 99]) {
      let [xy, xx] = [0, 0];
      for (let m = 0; m < answers.models; m++) {
        let z = -calibration.b[item]!;
        for (let d = 0; d < dims; d++) z += calibration.a[item * dims + d]! * calibration.theta[m * dims + d]!;
        xy += general[m]! * z;
        xx += general[m]! * general[m]!;
      }
      const covariance = itemCovariance(answers, itemAtFit(answers, item, covariances), precision);
      const { slope, standardError } = generalSlope(answers, item, loading, covariance);
      expect(slope).toBeCloseTo(xy / xx, 9);
      expect(standardError).toBeGreaterThan(0);
    }
  });
});

describe("distribution of the number of right answers", () => {
  const p = Float64Array.of(0.1, 0.9, 0.5, 0.999, 0.3, 0.0001);

  test("sums to 1, with the mean Σ p", () => {
    const own = scoreDistribution(p);
    expect(own.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 14);
    expect(own.reduce((sum, value, k) => sum + k * value, 0)).toBeCloseTo(
      p.reduce((sum, value) => sum + value, 0),
      13,
    );
  });

  test("an item is taken out to the last digits, from either end", () => {
    const long = Float64Array.from({ length: 400 }, (_, k) => ((k * 37) % 100) / 100 + 0.004);
    const whole = scoreDistribution(long);
    for (const item of [0, 1, 50, 99, 222]) {
      const out = new Float64Array(long.length);
      withoutItem(whole, long[item]!, out);
      const others = scoreDistribution(long.filter((_, k) => k !== item));
      others.forEach((value, k) => expect(Math.abs(out[k]! - value)).toBeLessThan(1e-14));
    }
  });
});

test("S-X² is for one dimension, complete answers and not too many items", () => {
  expect(sX2(answers, { mean: 0, variance: 1 })).toBeNull();
  const { responses: own } = simulatedResponses({ subjects: 30, items: 20, dims: 1, missing: 0.5 });
  const fit = { theta: new Float64Array(30), a: new Float64Array(20).fill(1), b: new Float64Array(20) };
  expect(sX2(fittedAnswers(own, { ...calibration, ...fit, dims: 1 }), { mean: 0, variance: 1 })).toBeNull();
});
