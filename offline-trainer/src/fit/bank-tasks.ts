import { AnchorEvalError } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { scenarioSlices, sliceColumns, type ScenarioSlice } from "../prepare/scenarios.ts";
import { familyNumbers } from "../splits/families.ts";
import type { FitConfiguration } from "./configuration.ts";
import type { BankTask } from "./train-bank.ts";

export interface BankTaskOptions {
  /** These only. @default all */
  readonly scenarios?: readonly string[];
  /** Family by model name; where it has none, the name tells. */
  readonly families?: ReadonlyMap<string, string>;
}

/** The bank tasks of a matrix: one a scenario, or one for all. */
export function bankTasks(
  matrix: ResponseMatrix,
  configuration: FitConfiguration,
  { scenarios, families: table }: BankTaskOptions = {},
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
  const task = (id: string, slices: readonly ScenarioSlice[]): BankTask => {
    let begin = 0;
    const own = slices.map((slice) => {
      const moved = { ...slice, begin };
      begin += slice.count;
      return moved;
    });
    return { id, matrix: sliceColumns(matrix, slices), scenarios: own, families };
  };
  return configuration.joint ? [task("all", chosen)] : chosen.map((slice) => task(slice.id, [slice]));
}

/** The tasks whose abilities may be estimated together: all of a benchmark, or each by itself. */
export function linkedTasks(tasks: readonly BankTask[], { linked }: Pick<FitConfiguration, "linked">): BankTask[][] {
  return linked ? [[...tasks]] : tasks.map((task) => [task]);
}
