import { equalShares } from "../../anchors/equal-shares.ts";
import type { PreparedSelection, SelectionInput } from "../../anchors/types.ts";
import { itemColumns, weightedScores } from "../item-columns.ts";
import { type Board, CANDIDATES, chooseSubset, prepareBoard } from "./choose-subset.ts";
import { type SubsetRanking, untouchedRankings } from "./untouched-ranking.ts";

/**
 * `sublime`: of many candidate subsets from several samplers the one with the best predicted rank correlation
 * ({@link chooseSubset}), for every size by itself. A purposive choice, the same whatever form is drawn: each anchor
 * stands for the same share.
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
}: SelectionInput): PreparedSelection {
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
