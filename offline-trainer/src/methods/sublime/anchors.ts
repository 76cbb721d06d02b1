import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import { equalShares, type AnchorInput, type AnchorMethod } from "../../anchors/anchor-method.ts";
import type { ItemInfo } from "../../matrix/response-matrix.ts";
import { ownPlaces, principalAxes } from "../../numeric/principal-axes.ts";
import { textFeatures } from "../../numeric/text-features.ts";
import { itemColumns, weightedScores } from "../item-columns.ts";
import { type Board, CANDIDATES, chooseSubset, prepareBoard, type SubsetChoice } from "./choose-subset.ts";
import type { Points } from "../kmeans/clusters.ts";
import { type SubsetRanking, untouchedRankings } from "./untouched-ranking.ts";

/**
 * Chooses, for each size on its own, the one of many candidate subsets with the best predicted rank correlation
 * ({@link chooseSubset}). The choice is purposive, so every draw returns the
 * same anchors, with equal masses.
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
