import type { BundlePart } from "../../sdk/core/bundle/part.ts";
import { type Infer, number, object, record, text } from "../../sdk/core/bundle/schema.ts";

const variance = number({ min: 0 });
const components = object({
  /** σ²_m, between models. */
  model: variance,
  /** σ²_i, between items. */
  item: variance,
  /** σ²_mi: that an item is harder for one model than for another, beyond both. */
  modelItem: variance,
  /** σ²_ε, between trials of one model on one item. */
  trial: variance,
  /** Trials a cell, R: the harmonic mean over models and items. */
  trials: variance,
  /** Cells that were tried twice or more: σ²_ε rests on them. */
  repeated: number({ min: 0, integer: true }),
});

/** Variance components of one scenario's scores over models, items and trials, fractions squared, at least 0. */
export type VarianceComponents = Infer<typeof components>;

/** The variance components that a fit on repeated trials leaves, by scenario. */
export const componentsPart: BundlePart<Readonly<Record<string, VarianceComponents>>> = {
  key: "varianceComponents",
  at: "fit",
  bears: "beside",
  schema: record(components),
  problems: (noted, { scenarios }) =>
    Object.keys(noted).flatMap((id) =>
      scenarios.some((scenario) => scenario.id === id) ? [] : [`there is no scenario ${id}`],
    ),
};

/** The score of several trials that a bundle was fitted on, such as `pass@16`: its scores are of that. */
export const trialMetricPart: BundlePart<string> = {
  key: "trialMetric",
  at: "fit",
  bears: "score",
  schema: text({ pattern: /^(?:pass@|pass\^|best-of-)[1-9]\d*$/ }),
};
