import { dimsFor } from "./configuration.ts";
import { trainBank, type BankTask, type TrainOptions } from "./train-bank.ts";
import { validationError } from "./validation-error.ts";

/** Dimensions tried. */
export const DIMENSION_CANDIDATES = [1, 2, 3, 5] as const;

/** A candidate's validation error: mean absolute error of the mean prediction, a fraction. */
export interface DimensionError {
  readonly dims: number;
  readonly error: number;
}

export interface DimensionOptions extends Omit<TrainOptions, "dims"> {
  /** Replicate group of every model: a group is held out together. */
  readonly groups: ArrayLike<number>;
}

/**
 * Chooses the number of dimensions by held-out models: every fifth source (replicates count as one) is held out, its
 * ability is estimated on the even items, and the weighted mean prediction on the odd items is compared with the truth there; scenarios count the
 * same. The notebook's rule with its faults mended: abilities have the prior, weights are normalised over the items
 * that are compared, missing answers are left out.
 * @param rows - the source models
 * @returns the candidate of least error, and all errors; no choice (1 dimension) below ten models
 * @see Maia Polo et al. (2024), tinyBenchmarks, training notebook
 */
export async function chooseDimension(
  task: BankTask,
  rows: readonly number[],
  options: DimensionOptions,
): Promise<{ dims: number; errors: DimensionError[] }> {
  const order = new Map<number, number>();
  for (const m of rows) if (!order.has(options.groups[m]!)) order.set(options.groups[m]!, order.size);
  if (order.size < 10) return { dims: 1, errors: [] };
  const isHeld = (m: number): boolean => order.get(options.groups[m]!)! % 5 === 0;
  const held = rows.filter(isHeld);
  const kept = rows.filter((m) => !isHeld(m));
  const errors: DimensionError[] = [];
  for (const dims of DIMENSION_CANDIDATES) {
    if (dimsFor(dims, kept.length) !== dims) continue;
    const trained = await trainBank(task, kept, {
      ...options,
      dims,
      random: options.random.fork(`${dims} dimensions`),
    });
    errors.push({ dims, error: validationError(task, held, trained) });
  }
  const best = errors.reduce((least, candidate) => (candidate.error < least.error ? candidate : least));
  return { dims: best.dims, errors };
}

/** The number of dimensions for some sources: the one asked for as far as the models allow it, or chosen on them. */
export async function resolveDimension(
  task: BankTask,
  rows: readonly number[],
  dims: number | "auto",
  options: DimensionOptions,
): Promise<{ dims: number; errors: DimensionError[] }> {
  if (dims !== "auto") return { dims: dimsFor(dims, rows.length), errors: [] };
  return chooseDimension(task, rows, { ...options, random: options.random.fork("dimension") });
}
