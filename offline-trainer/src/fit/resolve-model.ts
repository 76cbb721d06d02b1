import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";
import { resolveDimension, type DimensionError, type DimensionOptions } from "./choose-dimension.ts";
import { resolveLink } from "./choose-link.ts";
import { resolveShrinkage } from "./choose-shrinkage.ts";
import type { FitConfiguration } from "./configuration.ts";
import type { BankTask, TrainOptions } from "./train-bank.ts";

/** What of a model may be left to its source models: `auto` chooses. */
export type WantedModel = Pick<FitConfiguration, "dims" | "link" | "shrinkage">;
/** What was asked for or chosen. */
export type ResolvedModel = Pick<TrainOptions, "dims" | "link" | "shrinkage">;

/**
 * Resolves what is left to the data, one after the other: the link, the number of dimensions, the shrinkage.
 * @param rows - the source models; no other's answers are read
 * @returns the model, and the candidates' errors where the dimension was chosen
 */
export async function resolveModel(
  task: BankTask,
  rows: readonly number[],
  wanted: WantedModel,
  options: Omit<DimensionOptions, "link" | "shrinkage">,
): Promise<{ model: ResolvedModel; dimensionErrors: DimensionError[] }> {
  const link = await resolveLink(task, rows, wanted.link, options);
  const learned = { ...options, link, shrinkage: DISCRIMINATION_SHRINKAGE };
  const { dims, errors } = await resolveDimension(task, rows, wanted.dims, learned);
  const shrinkage = await resolveShrinkage(task, rows, wanted.shrinkage, { ...learned, dims });
  return { model: { link, dims, shrinkage }, dimensionErrors: errors };
}
