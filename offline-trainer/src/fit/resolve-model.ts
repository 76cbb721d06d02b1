import type { AnchorDesign } from "../methods/metabench/information.ts";
import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";
import { resolveDimension, type DimensionError, type DimensionOptions } from "./choose-dimension.ts";
import { resolveLink } from "./choose-link.ts";
import { resolveShrinkage } from "./choose-shrinkage.ts";
import type { FitConfiguration } from "./configuration.ts";
import type { DesignSearchOptions } from "../methods/method.ts";
import { searchDesign, type SearchedDesign } from "../methods/metabench/design-search.ts";
import type { BankTask, TrainOptions } from "./train-bank.ts";

/** What of a model may be left to its source models: `auto` chooses. */
export type WantedModel = Pick<FitConfiguration, "dims" | "link" | "shrinkage" | "search">;
/** What was asked for or chosen. */
export interface ResolvedModel extends Pick<TrainOptions, "dims" | "link" | "shrinkage" | "irtModel"> {
  /** How anchors are chosen by their information; null where that was not searched for. */
  readonly design: AnchorDesign | null;
  /** Of the design on held-out source models, and the candidates that were judged. */
  readonly searched: Pick<SearchedDesign, "error" | "judged"> | null;
}

export interface ResolveOptions
  extends Omit<DimensionOptions, "link" | "shrinkage">, Pick<DesignSearchOptions, "sizes" | "priorScale"> {}

/**
 * Resolves what is left to the data, one after the other: the link, the number of dimensions, the shrinkage, the response
 * model with the design of the anchors.
 * @param rows - the source models; no other's answers are read
 * @returns the model, and the candidates' errors where the dimension was chosen
 */
export async function resolveModel(
  task: BankTask,
  rows: readonly number[],
  wanted: WantedModel,
  options: ResolveOptions,
): Promise<{ model: ResolvedModel; dimensionErrors: DimensionError[] }> {
  const link = await resolveLink(task, rows, wanted.link, options);
  const learned = { ...options, link, shrinkage: DISCRIMINATION_SHRINKAGE };
  const { dims, errors } = await resolveDimension(task, rows, wanted.dims, learned);
  const shrinkage = await resolveShrinkage(task, rows, wanted.shrinkage, { ...learned, dims });
  const model = { link, dims, shrinkage };
  if (wanted.search === 0)
    return { model: { ...model, irtModel: options.irtModel, design: null, searched: null }, dimensionErrors: errors };
  const { irtModel, design, error, judged } = await searchDesign(task, rows, {
    ...options,
    ...model,
    budget: wanted.search,
    random: options.random.fork("design search"),
  });
  return { model: { ...model, irtModel, design, searched: { error, judged } }, dimensionErrors: errors };
}
