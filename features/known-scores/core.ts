import { partAt, type PartPlace } from "../../sdk/core/bundle/part.ts";
import { type Infer, nullable, number, object, record } from "../../sdk/core/bundle/schema.ts";
import { positive, real } from "../../sdk/core/bundle/values.ts";

/** Source models with both scores below which no line is fitted. Chosen, not measured. */
export const LEAST_KNOWN = 8;

/** The line φ(S) = α + β·φ(x) of source models' full scores S on their scores x elsewhere, φ the logit of a score. */
const line = /* @__PURE__ */ object({
  /** M, source models with both. */
  models: /* @__PURE__ */ number({ min: LEAST_KNOWN, max: 2 ** 31, integer: true }),
  /** α, β. */
  intercept: real,
  slope: real,
  /** Standard deviation of φ(S) about the line, M − 2 degrees of freedom. */
  deviation: positive,
  /** Mean of φ(x), and Σ(φ(x) − mean)². */
  mean: real,
  spread: positive,
});

/** The line of source models' full scores on their scores elsewhere. @interface */
export type KnownLine = Infer<typeof line>;

const knownScores = /* @__PURE__ */ record(
  /* @__PURE__ */ object({
    /** Of the overall score; null where too few models have one. */
    overall: /* @__PURE__ */ nullable(line),
    /** By scenario. */
    scenarios: /* @__PURE__ */ record(line),
  }),
);

/** By benchmark: how source models' scores on it tell their scores here. @interface */
export type KnownScoresManifest = Infer<typeof knownScores>;

/** Where a manifest has them. */
export const knownScoresPlace: PartPlace<KnownScoresManifest> = { key: "knownScores", at: "parts" };

/** Scores on other benchmarks that source models' are known of. */
export const knownScoresPart = /* @__PURE__ */ partAt(knownScoresPlace, {
  bears: "beside",
  schema: knownScores,
  problems: (noted, manifest) =>
    Object.values(noted).flatMap(({ scenarios }) =>
      Object.keys(scenarios)
        .filter((id) => !manifest.scenarios.some((scenario) => scenario.id === id))
        .map((id) => `there is no scenario ${id}`),
    ),
});
