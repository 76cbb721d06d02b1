import { AnchorEvalError } from "anchoreval/core";
import type { ItemInfo } from "../matrix/response-matrix.ts";

/**
 * Refuses anchors per scenario that no scenario has the items for; one that is smaller than others is taken whole.
 * @throws AnchorEvalError `invalid_option`
 */
export function checkAnchors(anchors: readonly number[], items: readonly ItemInfo[]): void {
  const counts = new Map<string, number>();
  for (const { scenario } of items) counts.set(scenario, (counts.get(scenario) ?? 0) + 1);
  const largest = Math.max(...counts.values());
  const asked = anchors.find((size) => size > largest);
  if (asked !== undefined)
    throw new AnchorEvalError(
      "invalid_option",
      `--anchors ${asked} is more than there are: the largest scenario has ${largest} items`,
    );
}
