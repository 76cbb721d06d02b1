import type { ItemInfo } from "../matrix/response-matrix.ts";

/**
 * All items as one scenario, whose subscenarios are the scenarios that they were of: with weights by subscenario its
 * score is the mean of theirs. Their own subscenarios are lost.
 * @returns the items, and sentences that say so
 */
export function poolItems(items: readonly ItemInfo[], scenario: string): { items: ItemInfo[]; remarks: string[] } {
  const divided = [
    ...new Set(items.filter(({ subscenario }) => subscenario !== undefined).map((item) => item.scenario)),
  ];
  return {
    items: items.map((item) => ({ ...item, scenario, subscenario: item.scenario })),
    remarks: divided.map((own) => `${own} is one subscenario of ${scenario}: its own subscenarios are not told apart`),
  };
}
