import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { kendall, mean, pearson, spearman } from "../../numeric/statistics.ts";
import { folds } from "../../matrix/splits.ts";
import { columnsOf, meanScores } from "../item-columns.ts";
import { type Board, chooseSubset, LEAST_RANKED, prepareBoard, type SubsetChoice, valuesOf } from "./choose-subset.ts";

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
