import type { Weighting } from "anchoreval/internal/core/bundle/names";
import type { EstimatorId } from "anchoreval/internal/core/estimators/types";
import type { ResponseModel } from "../calibrate/bank.ts";
import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";

/** How λ of gp-irt is chosen: learned on held-out sources, or by the reference's rule. */
export const LAMBDA_RULES = ["learned", "reference"] as const;

export type LambdaRule = (typeof LAMBDA_RULES)[number];

/** The inputs of a score map: the anchors' mean; or that, the ability, and all scenarios' of both; or there is none. */
export const SCORE_MAPS = ["none", "mean", "additive"] as const;
export type ScoreMapKind = (typeof SCORE_MAPS)[number];

/**
 * How scores between 0 and 1 are calibrated: cut at a threshold, with a map from probability back to score. Earlier
 * trainers had other links, whose score was the same; manifests name it.
 */
export const GRADED_LINK = "binarize";

/** Everything that defines what is fitted, apart from the data and the sizes. */
export interface FitSettings extends ResponseModel {
  /** Name of the way to choose anchors. */
  readonly selection: string;
  /** Which estimate is the score; `auto` goes by the anchors. */
  readonly estimator: EstimatorId | "auto";
  /** `auto` goes by the anchors and the score. */
  readonly scoreMap: ScoreMapKind | "auto";
  /**
   * Latent dimensions at most, few models get fewer, one for each five; of several numbers the one that predicts held-out
   * models best, `auto`: of 1, 2, 3 and 5, and of more on a device where these are cheap and get better.
   */
  readonly dims: number | "auto" | readonly number[];
  /** Share of the learned variance of discriminations that is kept. */
  readonly shrinkage: number;
  /** Candidates that a search for the response model and the design of the anchors judges; 0 searches for nothing. */
  readonly search: number;
  /** k of the ability prior N(μ, k²Σ). */
  readonly priorScale: number;
  readonly lambda: LambdaRule;
  readonly weighting: Weighting;
  /** Scenarios lend one another strength: their answers are pooled where that errs less on held-out models. */
  readonly linked: boolean;
  /** Folds of the cross-validation, and forms drawn on each. */
  readonly folds: number;
  readonly draws: number;
}

/** Latent dimensions at most, by default. */
export const DEFAULT_DIMS = 8;

/** The most dimensions that are taken: three times as many as any seed tries (tinyBenchmarks: 2, 5, 10, 15). */
export const MOST_DIMENSIONS = 50;

/** The recommended settings: fixed in code, the same for every split and every target. */
export const DEFAULT_SETTINGS: FitSettings = {
  selection: "screened",
  estimator: "auto",
  scoreMap: "auto",
  irtModel: "2pl",
  estimation: "penalised",
  dims: DEFAULT_DIMS,
  shrinkage: DISCRIMINATION_SHRINKAGE,
  search: 0,
  priorScale: 2,
  lambda: "learned",
  weighting: "subscenarios",
  linked: true,
  folds: 5,
  draws: 4,
};

/** Settings as manifests and digests of methods have had them, also from when scenarios could share one ability. */
export function notedSettings(settings: FitSettings) {
  const { selection, estimator, scoreMap, irtModel, estimation, linked, folds, draws, ...others } = settings;
  const model = { selection, estimator, scoreMap, irtModel, estimation, link: GRADED_LINK };
  return { ...model, ...others, joint: false, linked, folds, draws };
}
