import type { ResponseMatrix } from "../matrix/response-matrix.ts";

/** The calibrations of a command. */
export interface CalibrationWork {
  readonly models: number;
  /** Of all scenarios. */
  readonly items: number;
  /** Of the calibration that has most. */
  readonly dims: number;
  /** Calibrated one after the other: every one asks a device anew. */
  readonly scenarios: number;
  /** Of all models and items, how many; those of a fold count as one, too. */
  readonly calibrations: number;
  /** Cores that they use at most. @default 5, of one calibration at a time */
  readonly cores?: number;
}

/**
 * The work of calibrating a matrix.
 * @param counts - `scenarios` where not each of the matrix is calibrated by itself
 */
export function calibrationWork(
  { subjects, items }: Pick<ResponseMatrix, "subjects" | "items">,
  counts: Pick<CalibrationWork, "dims" | "calibrations" | "cores"> & { readonly scenarios?: number },
): CalibrationWork {
  const scenarios = new Set(items.map(({ scenario }) => scenario)).size;
  return { models: subjects.length, items: items.length, scenarios, ...counts };
}

/** Evaluations of a calibration, of 48 to 78 that were counted on the boards of docs/gpu.md. */
const EVALUATIONS = 75;

/**
 * Seconds of a cell's evaluation on one core, a fixed share and one a dimension: 400 × 28 659 in 10 dimensions and
 * 6349 × 28 659 in 2 took 12.4 and 102 CPU seconds (docs/gpu.md).
 */
const [CELL, CELL_DIMENSION] = [9e-9, 5e-10];

/** Cores that a calibration uses at most: of 16 it used 2.6 and 4.8 (CPU seconds over seconds, docs/gpu.md). */
const MOST_CORES = 5;

/** Seconds until CUDA's libraries are loaded and a first session runs. Chosen, not measured: no card was at hand. */
const START = 2;

/** Seconds of an evaluation on a card, whatever it evaluates: 83 × 3504 takes .18 s for 78 (an H200, docs/gpu.md). */
const LAUNCH = 2.3e-3;

/**
 * Seconds of a cell's evaluation on a card, a dimension: beside its launches 6349 × 28 659 in 2 dimensions takes 2.9e-11,
 * 400 × 28 659 in 10 takes 2.8e-11 (an H200, docs/gpu.md).
 */
const CARD_CELL_DIMENSION = 2.9e-11;

/** Seconds that calibrations take on the CPU and on a card, its start counted in, about. */
export function predictedSeconds(
  work: CalibrationWork,
  threads: number,
): { readonly cpu: number; readonly cuda: number } {
  const { models, items, dims, calibrations, cores = MOST_CORES } = work;
  const seconds = EVALUATIONS * calibrations * models * items * (CELL + dims * CELL_DIMENSION);
  return { cpu: seconds / Math.min(threads, cores), cuda: START + cardSeconds(work) };
}

/** Seconds that calibrations take on a card that has started, about. */
export function cardSeconds({ models, items, dims, scenarios, calibrations }: CalibrationWork): number {
  return EVALUATIONS * calibrations * (scenarios * LAUNCH + models * items * dims * CARD_CELL_DIMENSION);
}
