import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import { type AnchorInput, type AnchorMethod } from "../../anchors/anchor-method.ts";
import { equalShares } from "../chosen-items.ts";
import type { ItemInfo } from "../../matrix/response-matrix.ts";
import { ownPlaces, principalAxes } from "../../numeric/principal-axes.ts";
import { textFeatures } from "../../numeric/text-features.ts";
import { itemColumns, weightedScores, columnsOf, meanScores } from "../item-columns.ts";
import {
  type Board,
  CANDIDATES,
  chooseSubset,
  prepareBoard,
  type SubsetChoice,
  LEAST_RANKED,
  valuesOf,
} from "./choose-subset.ts";
import type { Points } from "../kmeans/index.ts";
import { kendall, mean, pearson, spearman } from "../../numeric/statistics.ts";
import { folds } from "../../matrix/splits.ts";
import { DEFAULT_SETTINGS } from "../settings.ts";
import type { Method } from "../method.ts";

/**
 * Chooses, for each size on its own, the one of many candidate subsets with the best predicted rank correlation ({@link
 * chooseSubset}). The choice is purposive, so every draw returns the same anchors, with equal masses.
 */
export const sublimeAnchors: AnchorMethod = {
  name: "sublime",
  source: { module: import.meta.url, name: "sublimeAnchors" },
  drawn: false,
  estimator: "stack",
  know: (items, scenario): Points | null =>
    itemPoints(items, createRandom("item features").fork("points").fork(scenario)),
  prepare: (input: AnchorInput & Partial<Pick<Board, "candidates">>) => {
    const { weights, column, sizes, random, families, candidates = CANDIDATES } = input;
    const points = input.knowledge as Points | null;
    const columns = itemColumns(column, weights.length);
    const full = weightedScores(columns, weights);
    const board: Board = { columns, weights, full, families, points, candidates };
    const choose = () => {
      const prepared = prepareBoard(board, random.fork("items"));
      const choices = sizes.map((size) => [size, chooseSubset(prepared, size, random.fork(`size ${size}`))] as const);
      return { roles: prepared.roles, choices };
    };
    const chosen = remembered(choose); // once, whatever form is drawn
    const setOf = equalShares(input.accuracy);
    return {
      draw: () => ({
        sets: new Map(chosen().choices.map(([size, { subset }]) => [size, setOf(subset.items)])),
        nested: false,
      }),
      notes: () => {
        const { roles, choices } = chosen();
        const untouched = untouchedRankings(board, sizes, random.fork("untouched"));
        const ranking = (size: number, { candidates, subset, predicted, chosen }: SubsetChoice): SubsetRanking => ({
          anchorModels: roles.anchors.length,
          candidates: candidates.length,
          sampler: subset.sampler,
          predictor: "ridge",
          predicted: predicted[chosen]!,
          untouched: untouched.get(size) ?? null,
        });
        const rankings = choices.map(([size, choice]) => [size, ranking(size, choice)] as const);
        return Promise.resolve({ rankings: Object.fromEntries(rankings) });
      },
    };
  },
};

/** Axes of a scenario's space of texts: more hold words of single items. */
const AXES = 16;

/**
 * Items of one scenario as points, similar texts near each other: coordinates on the principal axes of TF-IDF of words and
 * characters, 0 on axes beyond the scenario's rank.
 * @returns null where an item has no text
 */
export function itemPoints(items: readonly ItemInfo[], random: RandomSource): Points | null {
  const texts = items.map(({ text }) => text ?? "");
  if (!texts.every((text) => text.trim())) return null;
  const axes = principalAxes(textFeatures(texts, []).train, AXES, random);
  const places = ownPlaces(axes);
  const values = new Float64Array(items.length * AXES);
  for (let i = 0; i < items.length; i++) values.set(places.subarray(i * axes.rank, (i + 1) * axes.rank), i * AXES);
  return { count: items.length, dims: AXES, values };
}

/** How a subset was chosen, and how well it ranks models. */
export interface SubsetRanking {
  readonly anchorModels: number;
  readonly candidates: number;
  readonly sampler: string;
  readonly predictor: "ridge";
  /** Its predicted rank correlation (Spearman), from all source models. */
  readonly predicted: number;
  /** The same choice measured on held-out models; null where there are too few. */
  readonly untouched: UntouchedRanking | null;
}

/** Parts of the families that are held out in turn. */
const UNTOUCHED_FOLDS = 4;
const LEAST_CHOOSING = 5;

/** How a choice ranks models held out from it; means over parts of the families, held out in turn. */
type UntouchedRanking = ReturnType<typeof averageRankings>;

/**
 * Repeats the whole choice (anchor models, candidates, predictor) without a part of the families, and compares it with the
 * true ranking of their models.
 * @returns by size; empty where no part leaves five models to choose and has three to rank
 */
export function untouchedRankings(
  board: Board,
  sizes: readonly number[],
  random: RandomSource,
): Map<number, UntouchedRanking> {
  const eligible = Array.from(board.families, () => true);
  const parts = folds({ groups: board.families, eligible }, UNTOUCHED_FOLDS, random.fork("parts")).filter(
    ({ sources, targets }) => sources.length >= LEAST_CHOOSING && targets.length >= LEAST_RANKED,
  );
  const prepared = parts.map(({ sources, targets }, p) => {
    const stream = random.fork(`part ${p}`);
    return { stream, board: prepareBoard(boardOf(board, sources), stream), held: boardOf(board, targets) };
  });
  const rankings = sizes.flatMap((size) => {
    const ranked = prepared.flatMap(
      ({ stream, board, held }) => untouchedRanking(chooseSubset(board, size, stream.fork(`size ${size}`)), held) ?? [],
    );
    return ranked.length > 0 ? [[size, averageRankings(ranked)] as const] : [];
  });
  return new Map(rankings);
}

export function boardOf(board: Board, models: readonly number[]): Board {
  return {
    ...board,
    columns: columnsOf(board.columns, models),
    full: valuesOf(board.full, models),
    families: models.map((m) => board.families[m]!),
  };
}

/** Of one part; null where its models all have the same full score. */
export function untouchedRanking({ candidates, predicted, chosen }: SubsetChoice, { columns, full }: Board) {
  if (full.every((score) => score === full[0])) return null;
  const truths = candidates.map(({ items }) => {
    const scores = meanScores(columns, items);
    return { spearman: spearman(scores, full) ?? 0, kendall: kendall(scores, full) ?? 0 };
  });
  const spearmans = Float64Array.from(truths, (truth) => truth.spearman);
  const atRandom = truths.filter((_, c) => candidates[c]!.sampler === "random");
  return {
    models: full.length,
    /** Predicted rank correlation of the chosen subset. */
    predicted: predicted[chosen]!,
    ...truths[chosen]!,
    /** The same of candidates drawn at random. */
    random: meanCorrelations(atRandom),
    /** Correlation over all candidates of the predicted and the measured rank correlation. */
    agreement: pearson(predicted, spearmans) ?? 0,
  };
}

function averageRankings(parts: readonly NonNullable<ReturnType<typeof untouchedRanking>>[]) {
  return {
    /** Models of a part. */
    models: mean(parts.map(({ models }) => models)),
    predicted: mean(parts.map(({ predicted }) => predicted)),
    ...meanCorrelations(parts),
    random: meanCorrelations(parts.map(({ random }) => random)),
    agreement: mean(parts.map(({ agreement }) => agreement)),
  };
}

function meanCorrelations(parts: readonly { readonly spearman: number; readonly kendall: number }[]) {
  return { spearman: mean(parts.map((part) => part.spearman)), kendall: mean(parts.map((part) => part.kendall)) };
}

/** @see Saranathan et al. (2025), SubLIME, ACL */
export const sublime: Method = {
  name: "sublime",
  summary: "of many candidate subsets the one with the best predicted rank correlation",
  settings: { ...DEFAULT_SETTINGS, selection: "sublime" },
  anchors: sublimeAnchors,
};
