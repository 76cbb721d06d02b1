import { checkStrata } from "../methods/sublime/samplers.ts";
import type { FitConfiguration } from "./configuration.ts";
import type { BankTask } from "./train-bank.ts";

/**
 * Refuses sizes that can't keep the strata that were asked for, before anything is fitted. A scenario that a size takes
 * whole keeps all.
 * @throws AnchorEvalError `invalid_option`
 */
export function checkTaskStrata(
  { itemFeatures, scenarios }: BankTask,
  sizes: readonly number[],
  { selection }: Pick<FitConfiguration, "selection">,
): void {
  if (selection !== "sublime") return;
  const all = itemFeatures?.strata ?? null;
  for (const { id, begin, count } of scenarios) {
    const own = all && { name: all.name, labels: all.labels.subarray(begin, begin + count) };
    for (const size of sizes) if (size < count) checkStrata(own, size, ` in ${id}`);
  }
}
