import type { Calibration } from "../../../../../offline-trainer/src/calibrate/calibrate.ts";
import { fittedAnswers, type FittedAnswers } from "../../../../../features/audit/fit/fitted-answers.ts";
import { responseMatrix, type ResponseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";

/** A bank as `test/fixtures/audit/generate.py` writes it; `answers` are M×N, null where missing. */
export interface ReferenceBank {
  readonly tolerance: number;
  readonly models: number;
  readonly items: number;
  readonly dims: number;
  readonly theta: readonly number[];
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly answers: readonly (number | null)[];
}

/** Given parameters as a calibration; its scales are those of a standard normal prior. */
export function calibrationOf(
  parameters: Pick<ReferenceBank, "theta" | "a" | "b" | "dims">,
  aVariance?: readonly number[],
): Calibration {
  const { dims } = parameters;
  return {
    theta: Float64Array.from(parameters.theta),
    a: Float64Array.from(parameters.a),
    b: Float64Array.from(parameters.b),
    dims,
    scales: {
      aMean: new Float64Array(dims),
      aVariance: Float64Array.from(aVariance ?? new Array<number>(dims).fill(1)),
      bMean: 0,
      bVariance: 1,
    },
    value: 0,
    gradientNorm: 0,
    evaluations: 0,
    converged: true,
  };
}

export function answersOf(bank: ReferenceBank): FittedAnswers {
  const signs = Int8Array.from(bank.answers, (y) => (y === null ? 0 : y > 0 ? 1 : -1));
  return fittedAnswers({ subjects: bank.models, items: bank.items, signs }, calibrationOf(bank));
}

export function matrixOf({ models, items, answers }: ReferenceBank): ResponseMatrix {
  return responseMatrix(
    Array.from({ length: models }, (_, m) => `m${m}`),
    Array.from({ length: items }, (_, i) => ({ item_id: `i${i}`, scenario: "s" })),
    Float64Array.from(answers, (y) => y ?? NaN),
  );
}
