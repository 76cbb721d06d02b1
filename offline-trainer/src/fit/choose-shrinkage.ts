import type { Split } from "../splits/types.ts";
import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";
import type { DimensionOptions } from "./choose-dimension.ts";
import { sourceSplits } from "./source-splits.ts";
import { trainBank, type BankTask } from "./train-bank.ts";
import { validationError } from "./validation-error.ts";

/** Shares tried. */
export const SHRINKAGE_CANDIDATES = [0.125, 0.25, 0.5, 1] as const;

/** Source models below which there is no choice. */
const LEAST_MODELS = 20;

/**
 * The share of the learned variance of discriminations that is kept: the one asked for, or by `auto` the candidate of
 * least error on held-out sources, like the others and stronger: two random fifths, and the strongest 30 % by the
 * weakest half; the geometric mean of both kinds, since discriminations that are too large do no harm among like models.
 * @param rows - the source models; no other's answers are read
 * @returns the default for fewer than twenty models
 */
export async function resolveShrinkage(
  task: BankTask,
  rows: readonly number[],
  shrinkage: number | "auto",
  options: Omit<DimensionOptions, "shrinkage"> & { readonly dims: number },
): Promise<number> {
  if (shrinkage !== "auto") return shrinkage;
  const random = options.random.fork("shrinkage");
  const splits = sourceSplits([task], rows, options.groups, 5, random.fork("folds"));
  const strong = splits.strong[0]!;
  const like = splits.folds.slice(0, 2).map((own) => own[0]!);
  if (rows.length < LEAST_MODELS || strong.targets.length === 0 || strong.sources.length < 5 || like.length < 2)
    return DISCRIMINATION_SHRINKAGE;
  const error = async (split: Split, candidate: number): Promise<number> => {
    const trained = await trainBank(task, split.sources, {
      ...options,
      shrinkage: candidate,
      random: random.fork(`share ${candidate}`),
    });
    return validationError(task, split.targets, trained);
  };
  let best = { candidate: DISCRIMINATION_SHRINKAGE as number, error: Infinity };
  for (const candidate of SHRINKAGE_CANDIDATES) {
    let interpolating = 0;
    for (const split of like) interpolating += (await error(split, candidate)) / like.length;
    const both = Math.sqrt(interpolating * (await error(strong, candidate)));
    if (both < best.error) best = { candidate, error: both };
  }
  return best.candidate;
}
