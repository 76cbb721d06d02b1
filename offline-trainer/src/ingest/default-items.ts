import { firstFew } from "anchoreval/node";
import type { ItemInfo } from "../matrix/response-matrix.ts";

/**
 * Items where nothing describes them: the scenario is the part of the id before its last "/" if every id has one, else
 * all are one scenario `all`.
 * @returns the items, and a sentence that says what was assumed
 */
export function defaultItems(ids: readonly string[]): { items: ItemInfo[]; remark: string } {
  if (ids.some((id) => id.lastIndexOf("/") < 1))
    return {
      items: ids.map((id) => ({ item_id: id, scenario: "all" })),
      remark: `no items file was given: all ${ids.length} items are one scenario, "all"`,
    };
  const items = ids.map((id) => ({ item_id: id, scenario: id.slice(0, id.lastIndexOf("/")) }));
  const scenarios = [...new Set(items.map((item) => item.scenario))];
  return {
    items,
    remark: `no items file was given: an item's scenario is the part of its id before the last "/", ${scenarios.length} in all: ${firstFew(scenarios)}`,
  };
}
