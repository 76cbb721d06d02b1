import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { equalShares, type AnchorInput, type AnchorMethod, type ChosenAnchors } from "../../anchors/anchor-method.ts";
import { itemColumns, weightedScores } from "../item-columns.ts";
import { type Board, CANDIDATES, chooseSubset, prepareBoard } from "./choose-subset.ts";
import { describeItems, type ItemFeatures } from "./item-features.ts";
import { checkStrata } from "./samplers.ts";
import { type SubsetRanking, untouchedRankings } from "./untouched-ranking.ts";

/** A scenario's item features, and the source models that describe its subsets. */
export interface SublimeKnowledge {
  readonly features: ItemFeatures;
  /** Names; fewer than two that are among the sources: models spread over the range of scores. */
  readonly anchorModels: readonly string[];
}

/** {@link prepareSublime} as a way to choose anchors, its item features from texts and subscenarios. */
export const sublimeAnchors: AnchorMethod = {
  name: "sublime",
  source: { module: import.meta.url, name: "sublimeAnchors" },
  drawn: false,
  estimator: "stack",
  know: (items): SublimeKnowledge => ({
    features: describeItems(items, { random: createRandom("item features") }),
    anchorModels: [],
  }),
  check: ({ id, count }, size, knowledge) => {
    if (size < count) checkStrata((knowledge as SublimeKnowledge).features.strata, size, ` in ${id}`);
  },
  prepare: ({ knowledge, ...input }) => {
    const { features, anchorModels } = knowledge as SublimeKnowledge;
    const named = anchorModels.map((name) => input.models.indexOf(name)).filter((m) => m >= 0);
    const { draw, rankings } = prepareSublime({ ...input, features, anchorModels: named });
    return { draw, notes: () => Promise.resolve({ rankings: Object.fromEntries(rankings()) }) };
  },
};

/** Input of {@link prepareSublime}. */
interface SublimeInput extends Pick<AnchorInput, "weights" | "accuracy" | "column" | "sizes" | "random"> {
  /** Family of every source model. @default each is one of its own */
  readonly families?: ArrayLike<number>;
  readonly features?: ItemFeatures;
  /** Positions of the source models that describe subsets. @default spread over the range of scores */
  readonly anchorModels?: ArrayLike<number>;
  /** Subsets drawn of each size. @default 200 */
  readonly candidates?: number;
}

/** Subsets chosen once, whatever form is drawn. */
interface PreparedSubsets {
  readonly draw: (random: RandomSource) => ChosenAnchors;
  /** How each size was chosen, and how that choice ranks models held out from it. */
  readonly rankings: () => ReadonlyMap<number, SubsetRanking>;
}

/**
 * Chooses, for each size on its own, the one of many candidate subsets with the best predicted rank correlation
 * ({@link chooseSubset}). The choice is purposive, so every draw returns the same anchors, with equal masses.
 */
export function prepareSublime({
  weights,
  accuracy,
  column,
  sizes,
  random,
  families,
  features,
  anchorModels = [],
  candidates = CANDIDATES,
}: SublimeInput): PreparedSubsets {
  const columns = itemColumns(column, weights.length);
  const board: Board = {
    columns,
    weights,
    full: weightedScores(columns, weights),
    families: families ?? Array.from({ length: columns.models }, (_, m) => m),
    named: Array.from(anchorModels),
    ...(features && { features }),
    candidates,
  };
  const choose = () => {
    const prepared = prepareBoard(board, random.fork("items"));
    return {
      roles: prepared.roles,
      choices: new Map(sizes.map((size) => [size, chooseSubset(prepared, size, random.fork(`size ${size}`))])),
    };
  };
  let found: ReturnType<typeof choose> | undefined;
  const chosen = (): ReturnType<typeof choose> => (found ??= choose());
  const setOf = equalShares(accuracy);
  return {
    draw: () => {
      const { choices } = chosen();
      const sets = Array.from(
        choices,
        ([size, { candidates: drawn, chosen: at }]) => [size, setOf(drawn[at]!.items)] as const,
      );
      return { sets: new Map(sets), nested: false };
    },
    rankings: () => {
      const { roles, choices } = chosen();
      const untouched = untouchedRankings(board, sizes, random.fork("untouched"));
      return new Map(
        Array.from(choices, ([size, choice]): [number, SubsetRanking] => [
          size,
          {
            anchorModels: roles.anchors.length,
            candidates: choice.candidates.length,
            strata: features?.strata?.name ?? null,
            sampler: choice.candidates[choice.chosen]!.sampler,
            predictor: "ridge",
            predicted: choice.predicted[choice.chosen]!,
            untouched: untouched.get(size) ?? null,
          },
        ]),
      );
    },
  };
}
