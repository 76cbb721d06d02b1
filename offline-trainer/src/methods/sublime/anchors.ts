import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import { equalShares, type AnchorInput, type AnchorMethod } from "../../anchors/anchor-method.ts";
import { itemColumns, weightedScores } from "../item-columns.ts";
import { type Board, CANDIDATES, chooseSubset, prepareBoard, type SubsetChoice } from "./choose-subset.ts";
import { itemFeatures, type ItemFeatures } from "./item-features.ts";
import { type SubsetRanking, untouchedRankings } from "./untouched-ranking.ts";

/** A scenario's item features, and the source models that describe its subsets. */
export interface SublimeKnowledge {
  readonly features: ItemFeatures;
  /** Names; fewer than two that are among the sources: models spread over the range of scores. */
  readonly anchorModels: readonly string[];
}

/**
 * Chooses, for each size on its own, the one of many candidate subsets with the best predicted rank correlation
 * ({@link chooseSubset}); item features are from texts and subscenarios. The choice is purposive, so every draw returns the
 * same anchors, with equal masses.
 */
export const sublimeAnchors: AnchorMethod = {
  name: "sublime",
  source: { module: import.meta.url, name: "sublimeAnchors" },
  drawn: false,
  estimator: "stack",
  know: (items): SublimeKnowledge => ({
    features: itemFeatures(items, { random: createRandom("item features") }),
    anchorModels: [],
  }),
  check: ({ id, count }, size, knowledge) => {
    const { strata } = (knowledge as SublimeKnowledge).features;
    const groups = new Set(strata?.labels).size;
    if (strata && size < count && groups > size)
      throw new AnchorEvalError(
        "invalid_option",
        `--strata ${strata.name} has ${groups} strata in ${id}, more than the ${size} items asked for: ask for ${groups} at least, or name a coarser column`,
      );
  },
  prepare: (input: AnchorInput & Partial<Pick<Board, "candidates">>) => {
    const { weights, column, sizes, random, families, models, candidates = CANDIDATES } = input;
    const { features, anchorModels } = input.knowledge as SublimeKnowledge;
    const columns = itemColumns(column, weights.length);
    const named = anchorModels.map((name) => models.indexOf(name)).filter((m) => m >= 0);
    const full = weightedScores(columns, weights);
    const board: Board = { columns, weights, full, families, named, features, candidates };
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
          strata: features.strata?.name ?? null,
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
