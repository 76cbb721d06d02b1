import { AnchorEvalError } from "anchoreval/core";
import { featuresOf, type ItemFeatures } from "../methods/sublime/item-features.ts";
import { leavesOutCopies } from "../anchors/types.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { copiedItems } from "../matrix/same-text.ts";
import { scenarioSlices, sliceColumns, type ScenarioSlice } from "../prepare/scenarios.ts";
import { familyNumbers } from "../splits/families.ts";
import type { FitConfiguration } from "./configuration.ts";
import type { BankTask } from "./train-bank.ts";

export interface BankTaskOptions {
  /** These only. @default all */
  readonly scenarios?: readonly string[];
  /** Family by model name; where it has none, the name tells. */
  readonly families?: ReadonlyMap<string, string>;
  /** What is known of the items apart from answers, in the order of the matrix. */
  readonly itemFeatures?: ItemFeatures;
  /** Names of models that describe subsets of items by their scores. */
  readonly anchorModels?: readonly string[];
}

/** The bank tasks of a matrix: one a scenario, or one for all. */
export function bankTasks(
  matrix: ResponseMatrix,
  configuration: FitConfiguration,
  { scenarios, families: table, itemFeatures, anchorModels }: BankTaskOptions = {},
): BankTask[] {
  const all = scenarioSlices(matrix.items, configuration.weighting);
  const unknown = (scenarios ?? []).filter((id) => !all.some((slice) => slice.id === id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unknown_scenario",
      `there is no scenario ${unknown.join(", ")}: there are ${all.map((slice) => slice.id).join(", ")}`,
    );
  const chosen = scenarios && scenarios.length > 0 ? all.filter((slice) => scenarios.includes(slice.id)) : all;
  const families = familyNumbers(matrix.subjects, table);
  const named = anchorModels && anchorModelRows(matrix.subjects, anchorModels);
  const task = (id: string, slices: readonly ScenarioSlice[]): BankTask => {
    let begin = 0;
    const own = slices.map((slice) => {
      const moved = { ...slice, begin };
      begin += slice.count;
      return moved;
    });
    const items = slices.flatMap((slice) => Array.from({ length: slice.count }, (_, i) => slice.begin + i));
    return {
      id,
      matrix: sliceColumns(matrix, slices),
      scenarios: own,
      families,
      ...(itemFeatures && { itemFeatures: featuresOf(itemFeatures, items) }),
      ...(named && { anchorModels: named }),
      ...(leavesOutCopies(configuration.selection) && {
        copies: slices.map(({ begin, count }) => copiedItems(matrix.items.slice(begin, begin + count))),
      }),
    };
  };
  return configuration.joint ? [task("all", chosen)] : chosen.map((slice) => task(slice.id, [slice]));
}

/** @throws AnchorEvalError `invalid_option` for a model that isn't there */
function anchorModelRows(models: readonly string[], named: readonly string[]): number[] {
  const unknown = named.filter((name) => !models.includes(name));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `the responses have no model ${unknown.slice(0, 5).join(", ")}, named as an anchor model`,
    );
  return named.map((name) => models.indexOf(name));
}

/** The tasks whose abilities may be estimated together: all of a benchmark, or each by itself. */
export function linkedTasks(tasks: readonly BankTask[], { linked }: Pick<FitConfiguration, "linked">): BankTask[][] {
  return linked ? [[...tasks]] : tasks.map((task) => [task]);
}
