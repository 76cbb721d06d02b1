import { itemWeights, type Weighting } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import { submatrix, type ItemInfo, type ResponseMatrix } from "../matrix/response-matrix.ts";

/** A run of columns that is one scenario. */
export interface ScenarioSlice {
  readonly id: string;
  /** First column. */
  readonly begin: number;
  /** Items N. */
  readonly count: number;
  /** Runs of subscenarios, in order. */
  readonly subscenarios: readonly { readonly id: string | null; readonly items: number }[];
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
}

/**
 * The scenarios of a matrix whose columns are grouped by scenario and, within it, by subscenario.
 * @throws AnchorEvalError `invalid_data` where they are not grouped
 */
export function scenarioSlices(items: readonly ItemInfo[], weighting: Weighting): ScenarioSlice[] {
  const slices: ScenarioSlice[] = [];
  const scenarios = runs(items, (item) => item.scenario);
  if (new Set(scenarios.map(({ id }) => id)).size !== scenarios.length)
    throw new AnchorEvalError("invalid_data", "the items are not grouped by scenario: group them first");
  for (const { id, begin, items: count } of scenarios) {
    const subscenarios = runs(items.slice(begin, begin + count), (item) => item.subscenario ?? null).map((run) => ({
      id: run.id,
      items: run.items,
    }));
    if (new Set(subscenarios.map((run) => run.id)).size !== subscenarios.length)
      throw new AnchorEvalError("invalid_data", `the items of ${id} are not grouped by subscenario: group them first`);
    slices.push({
      id: id!,
      begin,
      count,
      subscenarios,
      weights: itemWeights({ items: count, subscenarios }, weighting),
    });
  }
  return slices;
}

/** The columns of some scenarios as a matrix of its own. */
export function sliceColumns(matrix: ResponseMatrix, slices: readonly ScenarioSlice[]): ResponseMatrix {
  const columns = slices.flatMap(({ begin, count }) => Array.from({ length: count }, (_, i) => begin + i));
  return submatrix(
    matrix,
    Array.from({ length: matrix.subjects.length }, (_, m) => m),
    columns,
  );
}

function runs(
  items: readonly ItemInfo[],
  key: (item: ItemInfo) => string | null,
): { id: string | null; begin: number; items: number }[] {
  const out: { id: string | null; begin: number; items: number }[] = [];
  items.forEach((item, index) => {
    const id = key(item);
    const last = out.at(-1);
    if (last && last.id === id) last.items++;
    else out.push({ id, begin: index, items: 1 });
  });
  return out;
}
