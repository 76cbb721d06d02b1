import { MAP_FEATURES } from "../estimators/score-maps.ts";
import { ALL_ESTIMATORS, BASE_ESTIMATORS, ESTIMATORS, type BaseEstimatorId } from "../estimators/types.ts";
import { PARAMETERIZATION } from "../irt/item-bank.ts";
import { BUNDLE_FILES, ERROR_LEVELS, FORM_ID, FULL_SCORE_PARAMETERIZATION, IRT_MODELS, WEIGHTINGS } from "./names.ts";
// The types are imported so that declaration files name them instead of writing them out.
import {
  anything,
  flag,
  type Infer,
  list,
  nullable,
  type NullableSchema,
  number,
  object,
  oneOf,
  record,
  type Schema,
  text,
} from "./schema.ts";
import { count, id, LARGEST, name, offset, positive, real, reals, sha256, share, size, version } from "./values.ts";

// manifest.json and the lines of anchors.jsonl, written once: types, checks, the Worker's OpenAPI document and the
// tables of docs/bundle-format.md come from these schemas: the exported ones have a name or a table there. Scores and errors are fractions in [0,1].

const formId = text({ pattern: FORM_ID });
const optionalText: NullableSchema<Schema<string>> = nullable(text());

const errorSummary = object({
  /** Mean absolute error. */
  mae: size,
  /** Root mean squared error. */
  rmse: size,
  /** Mean of estimate − truth. */
  bias: real,
});

export const splitErrors = object(
  {
    /** Held-out models behind these figures. */
    models: count,
    estimators: object(
      Object.fromEntries(ESTIMATORS.map((estimator) => [estimator, errorSummary])) as Record<
        (typeof ESTIMATORS)[number],
        typeof errorSummary
      >,
      { "score-map": errorSummary },
    ),
    /** Mean absolute error of as many items drawn at random. */
    randomMae: size,
    /** Share of 95 % intervals that hold the full score; null below 20 models. */
    coverage95: nullable(share),
    /** Mean half-width of those intervals. */
    halfWidth95: nullable(size),
    /**
     * Quantiles of the absolute error of `score` at `ERROR_LEVELS`, with the finite-sample correction of conformal
     * prediction; null where the models are too few for a level.
     */
    absoluteError: list(nullable(size), ERROR_LEVELS.length),
  },
  {
    /** Mean share of the anchors that the models answered; absent where nearly all answered nearly all. */
    answered: share,
    /** Standard error of `coverage95`, clustered by model; null where it isn't measured, absent from older bundles. */
    coverageSe: nullable(size),
    /** Half-width that nine of ten held-out models' 95 % intervals have at most; null and absent as `coverageSe`. */
    halfWidth95P90: nullable(size),
  },
);

/** Errors measured on source models that were held out of every step; null where the models are too few. */
export const measuredErrors = object({
  /** Random fifths of the models held out (replicates together). */
  interpolation: nullable(splitErrors),
  /** The weakest half fitted, or more of few models; the strongest 30 % held out, or fewer of many. */
  extrapolation: nullable(splitErrors),
});

export const stack = object(
  Object.fromEntries(BASE_ESTIMATORS.map((estimator) => [estimator, share])) as Record<BaseEstimatorId, typeof share>,
);

/** The weights that blend the estimators, and the errors of the blends. */
const measuredBlend = {
  /** Weight λ of `gp-irt`. */
  lambda: share,
  /** Weights of the estimators, summing to 1. */
  stack,
  /** Error of the partly corrected mean on held-out models, which the gate looks out of. */
  rmse: size,
  /** The same of its mean over all scenarios. */
  overallRmse: nullable(size),
  /** Half-widths of the gate's intervals relative to the design-based ones, inside and outside of the range seen. */
  tightening: object({ inside: positive, outside: number({ min: 1e-6, max: 1 }) }),
  measured: measuredErrors,
};

const laterBlend = {
  /** Worth c of the recalibrated mean outside of the range seen; absent from older bundles, whose c is 1. */
  recalibration: share,
};

export const patternThresholds = object({
  models: count,
  lzStar: real,
  preknowledge: real,
  stronger: nullable(object({ lzStar: real, preknowledge: real }, { leap: real })),
  brokenRun: size,
  infit: size,
  outfit: size,
});

/** An additive score map; its curves are rows of a tensor, in the order of the terms. */
export const scoreMap = object({
  intercept: real,
  terms: list(object({ feature: oneOf(MAP_FEATURES), scenario: nullable(id) }), 1),
});

const scoreMaps = object({
  /** Reads the scenario's own answers. */
  alone: scoreMap,
  /** Reads the answers to all scenarios; null where it needs no others. */
  together: nullable(scoreMap),
});

const bank = object({
  id,
  /** The one scenario whose items these are. */
  scenarios: list(id, 1),
  irtModel: oneOf(IRT_MODELS),
  dims: count,
  /** The ability prior N(mean, scale²·covariance) of every estimate. */
  prior: object(
    { mean: reals, covariance: reals, scale: positive },
    {
      /**
       * L, D×G: what this scenario's ability shares with the others', whose covariance with it is scale²·L·L′ᵀ. All
       * scenarios have it or none; where they do, their factors are the same.
       */
      loadings: reals,
    },
  ),
});

/** From S, the mean over a scenario's items, to its full score: level + slope·(S − mean). */
const fullScore = object({
  /** Source models whose full scores are known. */
  models: count,
  /** Their mean of S, and the full score there. */
  mean: share,
  level: share,
  slope: size,
  /** Root mean square error of each model's full score by the line of the others. */
  error: size,
  /** Σ(S − mean)² and λ, which the error grows by: error²·(1 + (S − mean)²/spread). */
  spread: number({ min: 1e-12, max: LARGEST }),
  /** Lowest S of the source models. */
  worst: share,
});

export const scenario = object(
  {
    id,
    /** Weight in the overall score, relative. */
    weight: size,
    /** Items N, stored by subscenario in this order. */
    items: count,
    subscenarios: list(object({ id: nullable(id), items: count }), 1),
    /** Scores above this counted as right in the fit; null where scores are 0 and 1. */
    threshold: nullable(share),
    /** Monotone map from response probability to score, where scores were binarised. */
    scoreMap: nullable(object({ x: reals, y: reals })),
  },
  {
    /** Of all scenarios of a bundle or of none. */
    fullScore,
  },
);

const formScenario = object(
  {
    items: count,
    /** Every item is asked, and there are no others: the score is exact. */
    whole: flag,
    // The blends and errors of the scenario's own answers alone.
    ...measuredBlend,
    /** The same where every scenario is answered and all answers count; null where that errs no less. */
    together: nullable(object(measuredBlend, laterBlend)),
  },
  {
    ...laterBlend,
    /** Where an answer pattern becomes suspicious; null where the held-out models are too few, absent from older bundles. */
    pattern: nullable(patternThresholds),
    /** Of all scenarios of a form or of none. */
    map: scoreMaps,
  },
);

export const form = object(
  {
    id: formId,
    /** How the anchors were chosen. */
    selection: text(),
    /** SHA-256 of the form's ordered item ids (`formDigest`); an array of answers must name it. */
    digest: sha256,
    /** The estimator of `score`. */
    estimator: oneOf(ALL_ESTIMATORS),
    /** Where intervals come from: the draw of the anchors, or errors measured on held-out models. */
    interval: oneOf(["design", "cross-validated"]),
    scenarios: record(formScenario),
    /** Errors of the overall score on held-out source models; null where they weren't measured. */
    overall: nullable(
      object({
        /** κ ≥ 1: half-width of overall intervals relative to that of scenarios whose errors are independent. */
        inflation: number({ min: 1, max: LARGEST }),
        /** Overall scores of the worst and the best source model; null where scenarios aren't estimated together. */
        seen: nullable(object({ worst: share, best: share })),
        measured: measuredErrors,
      }),
    ),
  },
  {
    /** A form of as many items with none of these, chosen in the same way. */
    disjointFrom: formId,
    /** Figures of differences, from held-out pairs of models; absent where they are too few, and from older bundles. */
    pairs: object({
      /** s ≥ 0 of `pairedScores`: by how much the difference of two scores is drawn to 0. */
      shrinkage: size,
      /** τ, half-width of a scenario's difference relative to that by its draw and both scores. */
      tightening: positive,
      /** κ: the same of the overall difference, relative to that of scenarios whose errors are independent. */
      inflation: positive,
    }),
  },
);

/** A file of the bundle, with what it is checked by. */
export const file = object(
  { name: oneOf<string>(BUNDLE_FILES), bytes: offset, sha256 },
  {
    /** Byte ranges with digests of their own, so that a reader of one scenario can check what it reads. */
    segments: list(
      object({
        begin: offset,
        /** Exclusive. */
        end: offset,
        sha256,
        /** The scenario that the bytes belong to; null = needed by all. */
        scenario: nullable(id),
      }),
    ),
  },
);

export const manifestSchema = object(
  {
    formatVersion: text({ pattern: /^\d+\.\d+$/ }),
    benchmark: name,
    /** Semver of the bundle: major = items or scoring changed, minor = other fit or anchors, patch = metadata. */
    version,
    /** The benchmark's own version, where it has one. */
    benchmarkVersion: optionalText,
    /** ISO 8601; given, never the clock's. */
    created: text({ pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/ }),
    description: optionalText,
    /** The second where scenarios have a `fullScore`. */
    parameterization: oneOf<string>([PARAMETERIZATION, FULL_SCORE_PARAMETERIZATION]),
    weighting: oneOf(WEIGHTINGS),
    /** How each scenario was calibrated. */
    banks: list(bank, 1),
    scenarios: list(scenario, 1),
    forms: list(form, 1),
    defaultForm: formId,
    sources: object({
      /** Source models M. */
      models: count,
      /** Names only where they were asked for. */
      names: nullable(list(text())),
      /** Date or order facts worth keeping, free text. */
      note: optionalText,
    }),
    /** Harness and task version, n-shot, chat template, metric, filter: a value each, or "mixed". */
    protocol: record(text({ or: ["number", "boolean"] })),
    /** Everything that the fit was asked for, seed and provider included. */
    fit: record(anything),
    data: object({ licence: optionalText, source: optionalText }),
    files: list(file, 1),
  },
  {
    /** SHA-256 of the bytes of manifest.json after this field, the first; absent from bundles before format 1.4. */
    checksum: sha256,
    /** Parts that features add, by name; a reader that lacks one on which scores bear refuses the bundle. */
    parts: record(object({ bears: oneOf(["score", "beside"]), value: anything })),
  },
);

export const anchorSchema = object(
  {
    item_id: id,
    scenario: id,
    /** Position among the scenario's items, in parameter order. */
    index: offset,
    /** Ids of the forms that it is in. */
    forms: list(formId),
  },
  {
    subscenario: id,
    /** Content hash, where items have one. */
    hash: sha256,
    task: text(),
    doc_id: text({ or: ["number"] }),
    text: text(),
  },
);

/** manifest.json; docs/bundle-format.md explains every field. @interface */
export type Manifest = Infer<typeof manifestSchema>;
/** A bank: how a scenario's items and its ability were calibrated. @interface */
export type BankManifest = Infer<typeof bank>;
/** A scenario: its items and its weight. @interface */
export type ScenarioManifest = Infer<typeof scenario>;
/** A form: which anchors are asked, what is made of the answers, and its measured errors. @interface */
export type FormManifest = Infer<typeof form>;
/** One scenario of a form. @interface */
export type FormScenarioManifest = Infer<typeof formScenario>;
/** The weights that blend the estimators, and the errors of the blends. @interface */
export type MeasuredBlend = NonNullable<FormScenarioManifest["together"]>;
/** Errors measured on source models that were held out of every step. @interface */
export type MeasuredErrors = Infer<typeof measuredErrors>;
/** Errors measured on one kind of held-out models. Fractions. @interface */
export type SplitErrors = Infer<typeof splitErrors>;
/** Errors of one estimator on held-out models. Fractions. @interface */
export type ErrorSummary = Infer<typeof errorSummary>;
/** The score maps of a scenario; their curves are tensors. @interface */
export type ScoreMapManifest = Infer<typeof scoreMaps>;
/** An additive score map. @interface */
export type MapManifest = Infer<typeof scoreMap>;
/** A file of the bundle. @interface */
export type FileManifest = Infer<typeof file>;
/** A part of a file that can be read and checked by itself; offsets in bytes. @interface */
export type SegmentManifest = NonNullable<FileManifest["segments"]>[number];

/** One line of anchors.jsonl. @interface */
export type AnchorRecord = Infer<typeof anchorSchema>;

/** One line of items.jsonl. */
export type ItemRecord = Pick<AnchorRecord, "item_id" | "scenario" | "subscenario" | "hash">;
