import type { RandomSource } from "anchoreval/core";
import { spearman } from "../../ranking/rank-correlation.ts";
import { columnsOf, meanScores, type ItemColumns } from "../essence/item-columns.ts";
import { featureTable } from "./feature-table.ts";
import type { ItemFeatures } from "./item-features.ts";
import { itemProfile, type ItemProfile } from "./item-profile.ts";
import { pickAnchorModels, type ModelRoles } from "./pick-anchor-models.ts";
import { ridgePredictor } from "./predictor.ts";
import { samplers, type Sampler } from "./samplers.ts";
import { subsetFeatures } from "./subset-features.ts";

/** Subsets that are drawn for each size; a quarter of them at random, the other samplers share the rest. */
export const CANDIDATES = 200;
const RANDOM_SHARE = 0.25;

/** Models below which a ranking says nothing. */
export const LEAST_RANKED = 3;
/** Rank correlations are kept within ±this before Fisher's transformation. */
const MOST_CORRELATION = 0.999;

/** Models with their answers to one scenario. */
export interface Board {
  readonly columns: ItemColumns;
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** The models' full scores. */
  readonly full: Float64Array;
  /** Family of every model. */
  readonly families: ArrayLike<number>;
  /** Models named as anchor models. */
  readonly named: readonly number[];
  readonly features?: ItemFeatures;
  readonly candidates: number;
}

/** A board with what subsets of any size are drawn by and described with. */
export interface PreparedBoard extends Board {
  readonly roles: ModelRoles;
  readonly profile: ItemProfile;
  readonly samplers: readonly Sampler[];
}

/** A subset that was drawn. */
export interface Candidate {
  readonly sampler: string;
  /** Ascending. */
  readonly items: Uint32Array;
}

/** All candidates of one size, and the one of the best predicted rank correlation. */
export interface SubsetChoice {
  readonly candidates: readonly Candidate[];
  /** The judging models' rank correlation (Spearman) of score on the subset and full score. */
  readonly measured: Float64Array;
  /** `measured` as ridge regression predicts it from the candidates' features. */
  readonly predicted: Float64Array;
  /** The first candidate of the highest predicted correlation. */
  readonly chosen: number;
}

export function prepareBoard(board: Board, random: RandomSource): PreparedBoard {
  const { columns, weights, full, features } = board;
  const roles = pickAnchorModels(full, board.named);
  const profile = itemProfile({
    weights,
    anchors: columnsOf(columns, roles.anchors),
    full: valuesOf(full, roles.anchors),
    ...(features && { features }),
    random,
  });
  return { ...board, roles, profile, samplers: samplers(profile) };
}

/**
 * SubLIME's choice of k items: many candidates from several samplers; a predictor of the rank correlation with the full
 * ranking, fed with the subset's features and the anchor models' scores, learned from the judging models; the candidate
 * with the highest prediction. SubLIME compares ridge regression with a neural network; ridge predicted better here
 * (decision 0028).
 * @see Saranathan et al. (2025), SubLIME, ACL
 */
export function chooseSubset(board: PreparedBoard, k: number, random: RandomSource): SubsetChoice {
  const candidates = drawCandidates(board, k, random.fork("candidates"));
  const { anchors, judges } = board.roles;
  const described = {
    profile: board.profile,
    anchors: columnsOf(board.columns, anchors),
    full: valuesOf(board.full, anchors),
  };
  const table = featureTable(candidates.map(({ items }) => subsetFeatures(described, items)));
  const predict = ridgePredictor(table, random.fork("axes"));
  const scores = candidates.map(({ items }) => meanScores(board.columns, items));
  const measured = Float64Array.from(scores, (own) => rankCorrelation(own, board.full, judges));
  const predicted = predict(measured.map(fisher)).map(Math.tanh);
  return { candidates, measured, predicted, chosen: predicted.indexOf(Math.max(...predicted)) };
}

function drawCandidates(
  { samplers: known, candidates: count }: PreparedBoard,
  k: number,
  random: RandomSource,
): Candidate[] {
  const [plain, ...others] = known as [Sampler, ...Sampler[]];
  const atRandom = Math.ceil(RANDOM_SHARE * count);
  return Array.from({ length: count }, (_, c) => {
    const { name, draw } = c < atRandom ? plain : others[(c - atRandom) % others.length]!;
    return { sampler: name, items: draw(k, random.fork(String(c))) };
  });
}

/** Spearman's ρ over some models; 0 where one side doesn't vary. */
function rankCorrelation(scores: Float64Array, full: Float64Array, models: readonly number[]): number {
  return spearman(valuesOf(scores, models), valuesOf(full, models)) ?? 0;
}

/** Fisher's z, of a correlation within ±.999. */
function fisher(correlation: number): number {
  return Math.atanh(Math.max(-MOST_CORRELATION, Math.min(MOST_CORRELATION, correlation)));
}

export function valuesOf(values: Float64Array, models: ArrayLike<number>): Float64Array {
  return Float64Array.from(models, (m) => values[m]!);
}
