import type { ItemRecord } from "../../../sdk/core/bundle/manifest.ts";
import type { BundlePart } from "../../../sdk/core/bundle/part.ts";
import { flag, type Infer, object, oneOf, record } from "../../../sdk/core/bundle/schema.ts";
import { count, offset, share, size } from "../../../sdk/core/bundle/values.ts";

/** How parameters of questions without answers are predicted: cold-items.jsonl and routing.safetensors. */
const coldStart = object(
  {
    /** How questions are compared: by terms of their texts, or by vectors that the caller brings. */
    features: oneOf(["tf-idf", "embeddings"]),
    /** Coordinates of a question C; with embeddings, the numbers of a vector. */
    width: count,
    /** Lines of cold-items.jsonl. */
    items: offset,
    scenarios: record(
      object({
        /** Questions with answers that it was learned from. */
        questions: count,
        /** Where chances come from: predicted item parameters, or each model's answers themselves. */
        method: oneOf(["ridge", "answer-ridge"]),
        /** Index, among the source models, of the one with most right answers to them. */
        single: offset,
        /** Shares right and errors of `questions` of them at most, each predicted by the others. */
        leftOut: object({
          questions: count,
          brier: share,
          /** Nats. */
          logLoss: size,
          calibrationError: share,
          /** Share right of the picks. */
          right: share,
          /** Share right of always asking `single`. */
          singleRight: share,
        }),
      }),
    ),
  },
  {
    /** Parameters are means of those of the k nearest items with answers; absent: predicted by regressions. */
    neighbours: object({ k: count, weighted: flag }),
  },
);

/** The source of parameters for items without answers, and the routes carried. @interface */
export type ColdStartManifest = Infer<typeof coldStart>;

/** The routes of one scenario, and what picks were worth on the questions with answers. @interface */
export type ColdStartScenario = ColdStartManifest["scenarios"][string];

/** Where parameters of items without answers come from, and what routes are worth. */
export const coldStartPart: BundlePart<ColdStartManifest> = {
  key: "coldStart",
  at: "manifest",
  bears: "beside",
  title: "ColdStart",
  schema: coldStart,
  problems: ({ scenarios }, manifest) =>
    Object.keys(scenarios).flatMap((id) =>
      manifest.scenarios.some((scenario) => scenario.id === id) ? [] : [`there is no scenario ${id}`],
    ),
};

/** One line of cold-items.jsonl: an item without answers, its predicted parameters and their standard errors. */
export interface ColdItemRecord extends ItemRecord {
  readonly a: readonly number[];
  readonly b: number;
  readonly aError: readonly number[];
  readonly bError: number;
}
