import { AnchorEvalError } from "anchoreval/core";
import { firstFew } from "anchoreval/node";
import type { ItemInfo } from "../matrix/response-matrix.ts";

const LISTED = 20;

/**
 * Checks that the described items and those with responses are the same.
 * @throws AnchorEvalError `invalid_data` naming how many of which are not, and the first of them
 */
export function matchItems(
  described: readonly ItemInfo[],
  responded: readonly string[],
  files: { readonly items: string; readonly responses: string },
): void {
  const descriptions = new Set(described.map((item) => item.item_id));
  const undescribed = responded.filter((id) => !descriptions.has(id));
  if (undescribed.length > 0)
    refuse(
      files.responses,
      undescribed,
      "undescribed_item",
      `${items(undescribed.length)} of the responses ${verb(undescribed.length)} not described in ${files.items}`,
      `not described in ${files.items}`,
    );
  const columns = new Set(responded);
  const unanswered = described.map((item) => item.item_id).filter((id) => !columns.has(id));
  if (unanswered.length > 0)
    refuse(
      files.items,
      unanswered,
      "item_without_responses",
      `${items(unanswered.length)} described here ${verb(unanswered.length)} not in ${files.responses}`,
      `not in ${files.responses}`,
    );
}

function items(count: number): string {
  return count === 1 ? "1 item" : `${count} items`;
}

function verb(count: number): string {
  return count === 1 ? "is" : "are";
}

/** @param each - what is told of one of them */
function refuse(file: string, ids: readonly string[], rule: string, message: string, each: string): never {
  throw new AnchorEvalError("invalid_data", `${file}: ${message}: ${firstFew(ids)}`, {
    issues: ids.slice(0, LISTED).map((id) => ({ path: [file, id], code: rule, message: each })),
  });
}
