import { sha256Text, type Weighting } from "anchoreval/bundle";
import type { EstimatorId } from "anchoreval/core";
import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";
import { LINKS } from "../calibrate/types.ts";
import type { BankModel } from "./calibrate-bank.ts";
import type { Selection } from "../anchors/types.ts";

/** How λ of gp-irt is chosen: learned on held-out sources, or by the reference's rule. */
export const LAMBDA_RULES = ["learned", "reference"] as const;

/** A rule for λ, by name. */
export type LambdaRule = (typeof LAMBDA_RULES)[number];

/**
 * How scores between 0 and 1 are calibrated: cut at a threshold, with a map from probability back to score; or as they
 * are, by one of the {@link LINKS}. Scores that are all 0 or 1 are calibrated the same by each.
 */
export const SCORE_LINKS = ["binarize", ...LINKS] as const;
export type ScoreLink = (typeof SCORE_LINKS)[number];

/**
 * What a score map reads of the answers: the anchors' mean; or that, the ability, and all scenarios' of both; or there is
 * none.
 */
export const SCORE_MAPS = ["none", "mean", "additive"] as const;
export type ScoreMapKind = (typeof SCORE_MAPS)[number];

/** Everything that defines what is fitted, apart from the data and the sizes. */
export interface FitConfiguration extends BankModel {
  readonly selection: Selection;
  /** Which estimate is the score; `auto` goes by the kind of anchors. */
  readonly estimator: EstimatorId | "auto";
  /** `auto` goes by the kind of anchors and the score. */
  readonly scoreMap: ScoreMapKind | "auto";
  /** `auto` chooses by the likelihood of held-out cells. */
  readonly link: ScoreLink | "auto";
  /** Latent dimensions at most, few models get fewer, one for each five; or chosen on held-out models. */
  readonly dims: number | "auto";
  /** Share of the learned variance of discriminations that is kept; `auto` chooses on held-out models. */
  readonly shrinkage: number | "auto";
  /** Candidates that a search for the response model and the design of the anchors judges; 0 searches for nothing. */
  readonly search: number;
  /** k of the ability prior N(μ, k²Σ). */
  readonly priorScale: number;
  readonly lambda: LambdaRule;
  readonly weighting: Weighting;
  /** One ability for all scenarios. */
  readonly joint: boolean;
  /** Scenarios lend one another strength: abilities of all are estimated together where that errs less on held-out models. */
  readonly linked: boolean;
  /** Folds of the cross-validation, and forms drawn on each. */
  readonly folds: number;
  readonly draws: number;
}

/** Latent dimensions at most, unless told. */
export const DEFAULT_DIMS = 8;

/** The recommended configuration: fixed in code, the same for every split and every target. */
export const DEFAULT_CONFIGURATION: FitConfiguration = {
  selection: "screened",
  estimator: "auto",
  scoreMap: "auto",
  irtModel: "2pl",
  estimation: "penalised",
  link: "binarize",
  dims: DEFAULT_DIMS,
  shrinkage: DISCRIMINATION_SHRINKAGE,
  search: 0,
  priorScale: 2,
  lambda: "learned",
  weighting: "subscenarios",
  joint: false,
  linked: true,
  folds: 5,
  draws: 4,
};

/** What decides which estimate is the score, and where its intervals come from. */
export type ScoreChoice = Pick<FitConfiguration, "selection" | "estimator">;

/**
 * The estimator of `score`. Where none was asked for, the kind of anchors decides: what the gate trusts outside the range
 * needs a draw; items chosen for what they say of the others under a covariance are best read by it.
 */
export function headlineEstimator({ selection, estimator }: ScoreChoice): EstimatorId {
  if (estimator !== "auto") return estimator;
  if (selection === "fisher-information") return "score-map";
  if (["greedy-variance", "essence", "sublime"].includes(selection)) return "stack";
  return isDrawn(selection) ? "gate" : "gp-irt";
}

/** The score map that is fitted: EssenceBench's own score for its anchors, an additive one where that is the score. */
export function scoreMapKind({ scoreMap, ...choice }: ScoreChoice & Pick<FitConfiguration, "scoreMap">): ScoreMapKind {
  if (scoreMap !== "auto") return scoreMap;
  if (choice.selection === "essence") return "mean";
  return headlineEstimator(choice) === "score-map" ? "additive" : "none";
}

/** Where intervals come from: the draw of the anchors, of an estimate whose error the draw tells; or held-out models. */
export function intervalKind(choice: ScoreChoice): "design" | "cross-validated" {
  return isDrawn(choice.selection) && DRAW_CORRECTED.includes(headlineEstimator(choice)) ? "design" : "cross-validated";
}

/** Corrected by the answers' residuals, which the design-based variance is of. */
const DRAW_CORRECTED: readonly EstimatorId[] = ["gate", "p-irt-dr"];

/** Whether anchors have known inclusion probabilities. */
function isDrawn(selection: Selection): boolean {
  return ["stratified", "random", "hybrid", "screened"].includes(selection);
}

/** Dimensions for a number of source models: at least five models each. */
export function dimsFor(dims: number, models: number): number {
  return Math.max(1, Math.min(dims, Math.floor(models / 5)));
}

/** What defines the method as it is given; what `auto` stands for in the other fields is added resolved. */
const METHOD = [
  "selection",
  "irtModel",
  "estimation",
  "link",
  "dims",
  "shrinkage",
  "search",
  "priorScale",
  "lambda",
  "joint",
  "linked",
  "folds",
  "draws",
] as const satisfies readonly (keyof FitConfiguration)[];

/** Digest of a configuration: equal where the same thing is fitted. The weighting is the estimand's, not the method's. */
export function configurationDigest(configuration: FitConfiguration): string {
  return sha256Text(
    JSON.stringify({
      ...Object.fromEntries(METHOD.map((field) => [field, configuration[field]])),
      estimator: headlineEstimator(configuration),
      scoreMap: scoreMapKind(configuration),
      interval: intervalKind(configuration),
    }),
  );
}
