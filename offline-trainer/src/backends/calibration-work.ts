import { availableParallelism } from "node:os";

/** The calibrations of a command. */
export interface CalibrationWork {
  readonly models: number;
  /** Of all scenarios. */
  readonly items: number;
  readonly dims: number;
  /** Calibrated one after the other: every one asks a device anew. */
  readonly scenarios: number;
  /** Calibrations of that size: one, and one a fold. */
  readonly calibrations: number;
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

/** Seconds of a cell's evaluation on a card: 6349 × 28 659 takes .62 s for 48 evaluations (an H200, docs/gpu.md). */
const CARD_CELL = 6e-11;

/** Seconds that calibrations take on the CPU and on a card, its start counted in, about. */
export function predictedSeconds(
  { models, items, dims, scenarios, calibrations }: CalibrationWork,
  threads = availableParallelism(),
): { readonly cpu: number; readonly cuda: number } {
  const cells = models * items;
  const evaluations = EVALUATIONS * calibrations;
  return {
    cpu: (evaluations * cells * (CELL + dims * CELL_DIMENSION)) / Math.min(threads, MOST_CORES),
    cuda: START + evaluations * (scenarios * LAUNCH + cells * CARD_CELL),
  };
}
