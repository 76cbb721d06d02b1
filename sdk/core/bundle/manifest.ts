import type { FeatureName } from "../estimators/additive-map.ts";
import type { Blend, ByEstimator, EstimatorId, SeenScores } from "../estimators/types.ts";
import type { PatternThresholds } from "../person-fit/answer-pattern.ts";

/** Version of the bundle format: a reader refuses a newer major, and ignores fields that it doesn't know. */
export const FORMAT_VERSION = "1.2";

/** What counts the same in a scenario's score, by name. */
export const WEIGHTINGS = ["subscenarios", "items"] as const;
/** Whether each subscenario or each item counts the same in a scenario's score. */
export type Weighting = (typeof WEIGHTINGS)[number];

/** manifest.json: docs/bundle-format.md explains every field. Scores and errors are fractions in [0,1]. */
export interface Manifest {
  readonly formatVersion: string;
  readonly benchmark: string;
  /** Semver of the bundle: major = items or scoring changed, minor = other fit or anchors, patch = metadata. */
  readonly version: string;
  /** The benchmark's own version, where it has one. */
  readonly benchmarkVersion: string | null;
  /** ISO 8601; given, never the clock's. */
  readonly created: string;
  readonly description: string | null;
  readonly parameterization: string;
  readonly weighting: Weighting;
  readonly banks: readonly BankManifest[];
  readonly scenarios: readonly ScenarioManifest[];
  readonly forms: readonly FormManifest[];
  readonly defaultForm: string;
  readonly sources: SourcesManifest;
  /** Where items without answers got parameters, or routes are carried: what from. Absent from most bundles. */
  readonly coldStart?: ColdStartManifest;
  /** Where adaptive evaluations are kept from giving some items too often. */
  readonly exposure?: ExposureManifest;
  /** Where it was put on an earlier version's scale: which, what stood, and how scores go over. */
  readonly base?: BaseManifest;
  /** Harness and task version, n-shot, chat template, metric, filter: a value each, or "mixed". */
  readonly protocol: Readonly<Record<string, string | number | boolean>>;
  /** Everything that the fit was asked for, seed and provider included. */
  readonly fit: Readonly<Record<string, unknown>>;
  readonly data: { readonly licence: string | null; readonly source: string | null };
  readonly files: readonly FileManifest[];
}

/** Items that share one ability. */
/** Response models of a bank; `2pl` may have several dimensions. */
export const IRT_MODELS = ["1pl", "2pl", "3pl", "4pl"] as const;

/** A response model, by the number of its items' parameters. */
export type IrtModel = (typeof IRT_MODELS)[number];

/** A bank as the manifest has it: scenarios that share an ability, and how they were calibrated. */
export interface BankManifest {
  readonly id: string;
  readonly scenarios: readonly string[];
  readonly irtModel: IrtModel;
  readonly dims: number;
  /** The ability prior N(mean, scale²·covariance) of every estimate. */
  readonly prior: {
    readonly mean: readonly number[];
    readonly covariance: readonly number[];
    readonly scale: number;
    /**
     * L, D×G: what this bank's ability shares with the other banks', whose covariance with it is scale²·L·L′ᵀ. All
     * banks have it or none; where they do, scenarios' factors are the same.
     */
    readonly loadings?: readonly number[];
  };
}

/** A scenario as the manifest has it: its items and its weight. */
export interface ScenarioManifest {
  readonly id: string;
  /** Weight in the overall score, relative. */
  readonly weight: number;
  /** Items N, stored by subscenario in this order. */
  readonly items: number;
  readonly subscenarios: readonly { readonly id: string | null; readonly items: number }[];
  /** Scores above this counted as right in the fit; null where scores are 0 and 1. */
  readonly threshold: number | null;
  /** Monotone map from response probability to score, where scores were binarised. */
  readonly scoreMap: { readonly x: readonly number[]; readonly y: readonly number[] } | null;
}

/** A form as the manifest has it: which anchors are asked, what is made of the answers, and its measured errors. */
export interface FormManifest {
  readonly id: string;
  /** How the anchors were chosen. */
  readonly selection: string;
  /** SHA-256 of the form's ordered item ids ({@link formDigest}); an array of answers must name it. */
  readonly digest: string;
  /** The estimator of `score`. */
  readonly estimator: EstimatorId;
  /** Where intervals come from: the draw of the anchors, or errors measured on held-out models. */
  readonly interval: "design" | "cross-validated";
  /** A form of as many items with none of these, chosen in the same way; absent from forms without. */
  readonly disjointFrom?: string;
  readonly scenarios: Readonly<Record<string, FormScenarioManifest>>;
  /** Errors of the overall score on held-out source models; null where they weren't measured. */
  readonly overall: {
    /** κ ≥ 1: half-width of overall intervals relative to that of scenarios whose errors are independent. */
    readonly inflation: number;
    /** Overall scores of the worst and the best source model; null where scenarios aren't estimated together. */
    readonly seen: SeenScores | null;
    readonly measured: MeasuredErrors;
  } | null;
}

/** What blends the estimators, and what the blends err by. */
export interface MeasuredBlend extends Blend {
  readonly measured: MeasuredErrors;
}

/** One scenario of a form; blends and errors are those of its own answers alone. */
export interface FormScenarioManifest extends MeasuredBlend {
  readonly items: number;
  /** Every item is asked: the score is exact. */
  readonly whole: boolean;
  /** The same where every scenario is answered and all answers count; null where that errs no less. */
  readonly together: MeasuredBlend | null;
  /** Where an answer pattern becomes suspicious; null where the held-out models are too few, absent from older bundles. */
  readonly pattern?: PatternThresholds | null;
  /** The score map; absent from forms without one, then from all scenarios of the form. */
  readonly map?: ScoreMapManifest;
}

/** What a scenario's score map reads; its curves are tensors. */
export interface ScoreMapManifest {
  /** From the scenario's own answers. */
  readonly alone: MapManifest;
  /** From the answers to all scenarios; null where it needs no others. */
  readonly together: MapManifest | null;
}

/** An additive score map: what it adds up, and where its curves lie. */
export interface MapManifest {
  readonly intercept: number;
  /** A curve each, in the order of the tensor's rows. */
  readonly terms: readonly FeatureName[];
}

/** Errors measured on source models that were held out of every step; null where the models are too few. */
export interface MeasuredErrors {
  /** Random fifths of the models held out (replicates together). */
  readonly interpolation: SplitErrors | null;
  /** The weakest half fitted, the strongest 30 % held out. */
  readonly extrapolation: SplitErrors | null;
}

/** Errors measured on one kind of held-out models. Fractions. */
export interface SplitErrors {
  /** Held-out models behind these figures. */
  readonly models: number;
  readonly estimators: ByEstimator<ErrorSummary>;
  /** Mean absolute error of as many items drawn at random. */
  readonly randomMae: number;
  /** Share of 95 % intervals that hold the full score; null below 20 models. */
  readonly coverage95: number | null;
  /** Its standard error, clustered by model; null where it isn't measured, absent from older bundles. */
  readonly coverageSe?: number | null;
  /** Mean half-width of those intervals. */
  readonly halfWidth95: number | null;
  /** Quantiles of the absolute error of `score` at {@link ERROR_LEVELS}, with the finite-sample correction of conformal prediction; null where the models are too few for a level. */
  readonly absoluteError: readonly (number | null)[];
}

/** Levels at which a bundle keeps quantiles of the absolute error. */
export const ERROR_LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99] as const;

/** Errors of one estimator on held-out models. Fractions. */
export interface ErrorSummary {
  readonly mae: number;
  readonly rmse: number;
  /** Mean of estimate − truth. */
  readonly bias: number;
}

/** How parameters of questions without answers are foretold: cold-items.jsonl and routing.safetensors. */
export interface ColdStartManifest {
  /** What questions are compared by: terms of their texts, or vectors that the caller brings. */
  readonly features: "tf-idf" | "embeddings";
  /** Coordinates of a question C; with embeddings, the numbers of a vector. */
  readonly width: number;
  /** Lines of cold-items.jsonl. */
  readonly items: number;
  /** Their parameters are means of those of the k nearest items with answers; absent: foretold by regressions. */
  readonly neighbours?: { readonly k: number; readonly weighted: boolean };
  readonly scenarios: Readonly<Record<string, ColdStartScenario>>;
}

/** What a scenario's questions without answers are foretold from. */
export interface ColdStartScenario {
  /** Questions with answers that it was learned from. */
  readonly questions: number;
  /** Where chances come from: foretold item parameters, or each model's answers themselves. */
  readonly method: "ridge" | "answer-ridge";
  /** Index, among the source models, of the one with most right answers to them. */
  readonly single: number;
  /** Of those questions, each foretold by the others (at most {@link questions} of them): shares right and errors. */
  readonly leftOut: {
    readonly questions: number;
    readonly brier: number;
    /** Nats. */
    readonly logLoss: number;
    readonly calibrationError: number;
    /** Share right of the picks, and of always asking `single`. */
    readonly right: number;
    readonly singleRight: number;
  };
}

/** One line of cold-items.jsonl: an item without answers, parameters foretold with their standard errors. */
export interface ColdItemRecord extends ItemRecord {
  readonly a: readonly number[];
  readonly b: number;
  readonly aError: readonly number[];
  readonly bError: number;
}

/** In what share of adaptive evaluations an item is given at most, by factors that are tensors. */
export interface ExposureManifest {
  /** The share that was asked for, in (0,1]. */
  readonly limit: number;
  /** The largest share of any item: with the factors, and without; of the simulated evaluations. */
  readonly reached: number;
  readonly unlimited: number;
  /** Evaluations for the score, of all scenarios, one model each: source models, by their known answers. */
  readonly simulated: {
    /** Items of an evaluation, and of a batch. */
    readonly budget: number;
    readonly batch: number;
    readonly models: number;
    readonly evaluations: number;
  };
}

/** The earlier version on whose scale a bundle is. Items that are the same have the same parameters in both. */
export interface BaseManifest {
  readonly benchmark: string;
  readonly version: string;
  /** Of its bundle, `sha256:…`. */
  readonly digest: string;
  /** Items whose parameters are the base's, and items that were placed among them. */
  readonly items: { readonly standing: number; readonly placed: number };
  /** Source models with answers to placed items. */
  readonly rerun: number;
  /** Share, in [0,1], of the answers to placed items that no model gave and that were drawn from their chances. */
  readonly drawn: number;
  /** Whether texts helped to place items. */
  readonly texts: boolean;
  /** By form: anchors that are the base's, of all. */
  readonly anchors: Readonly<Record<string, { readonly kept: number; readonly of: number }>>;
  /** From a score in this version to the base's; null where too few models have both. */
  readonly bridge: {
    readonly overall: BridgeManifest | null;
    readonly scenarios: Readonly<Record<string, BridgeManifest | null>>;
  };
}

/** Score in the base ≈ intercept + slope·score, fractions. */
export interface BridgeManifest {
  /** Source models behind the line. */
  readonly models: number;
  readonly slope: number;
  readonly intercept: number;
  /** Standard deviation of a model's score about the line. */
  readonly error: number;
}

/** The source models, as far as a bundle tells of them. */
export interface SourcesManifest {
  /** Source models M. */
  readonly models: number;
  /** Names only where they were asked for. */
  readonly names: readonly string[] | null;
  /** Date or order facts worth keeping, free text. */
  readonly note: string | null;
}

/** A file of the bundle, with what it is checked by. */
export interface FileManifest {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Byte ranges with digests of their own, so that a reader of one scenario can check what it reads. */
  readonly segments?: readonly SegmentManifest[];
}

/** A part of a file that can be read and checked by itself. @unit bytes */
export interface SegmentManifest {
  readonly begin: number;
  readonly end: number;
  readonly sha256: string;
  /** The scenario that the bytes belong to; null = needed by all. */
  readonly scenario: string | null;
}

/** File names of the format; nothing else may be in a bundle. */
export const BUNDLE_FILES = [
  "manifest.json",
  "parameters.safetensors",
  "anchors.jsonl",
  "items.jsonl",
  "cold-items.jsonl",
  "routing.safetensors",
  "report.html",
] as const;

/** Name of a file of a bundle. */
export type BundleFileName = (typeof BUNDLE_FILES)[number];

/** One line of anchors.jsonl. */
export interface AnchorRecord {
  readonly item_id: string;
  readonly scenario: string;
  /** Position among the scenario's items, in parameter order. */
  readonly index: number;
  readonly subscenario?: string;
  /** Content hash, where items have one. */
  readonly hash?: string;
  readonly task?: string;
  readonly doc_id?: number | string;
  readonly text?: string;
  /** Ids of the forms that it is in. */
  readonly forms: readonly string[];
}

/** One line of items.jsonl. */
export interface ItemRecord {
  readonly item_id: string;
  readonly scenario: string;
  readonly subscenario?: string;
  readonly hash?: string;
}
