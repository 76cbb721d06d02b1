import { AnchorEvalError } from "anchoreval/core";
import { SECOND_FORM_SELECTIONS, type Selection } from "../anchors/types.ts";
import type { BankTask } from "./train-bank.ts";

/**
 * Whether every scenario has room for two forms of every size, and the selection can choose them. A drawn form's estimates
 * rest on every item's chance to be in it, which a form drawn from what another left doesn't have; anchors that stand for a
 * cluster stand for the first form's items too.
 * @throws AnchorEvalError `unsupported` for another selection, `invalid_option` for too few items
 */
export function checkSecondForms(tasks: readonly BankTask[], selection: Selection, sizes: readonly number[]): void {
  if (!SECOND_FORM_SELECTIONS.includes(selection))
    throw new AnchorEvalError(
      "unsupported",
      `a second form is chosen by ${SECOND_FORM_SELECTIONS.join(", ")} alone, not by ${selection}: give another --selection or recipe, or leave out --second-form`,
    );
  const most = Math.max(...sizes);
  const small = tasks.flatMap(({ scenarios }) => scenarios).find(({ count }) => 2 * most > count);
  if (small)
    throw new AnchorEvalError(
      "invalid_option",
      `two forms of ${most} items without a common one need ${2 * most}, ${small.id} has ${small.count}: give fewer --anchors, or leave out --second-form`,
    );
}
