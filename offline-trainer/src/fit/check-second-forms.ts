import { AnchorEvalError } from "anchoreval/core";
import { SECOND_FORM_SELECTIONS, type Selection } from "../anchors/types.ts";
import { anchorsIn, type FormPlan } from "./form-plans.ts";

/**
 * Whether every scenario has room for two forms of every size, and the selection can choose them. A drawn form's estimates
 * rest on every item's chance to be in it, which a form drawn from what another left doesn't have; anchors that stand for a
 * cluster stand for the first form's items too.
 * @throws AnchorEvalError `unsupported` for another selection, `invalid_option` for too few items
 */
export function checkSecondForms(
  forms: readonly FormPlan[],
  scenarios: readonly { readonly id: string; readonly count: number }[],
  selection: Selection,
): void {
  if (!SECOND_FORM_SELECTIONS.includes(selection))
    throw new AnchorEvalError(
      "unsupported",
      `a second form is chosen by ${SECOND_FORM_SELECTIONS.join(", ")} alone, not by ${selection}: give another --selection or recipe, or leave out --second-form`,
    );
  for (const { id, count } of scenarios) {
    const most = Math.max(...forms.map((form) => anchorsIn(form, id)));
    if (2 * most > count)
      throw new AnchorEvalError(
        "invalid_option",
        `two forms of ${most} items without a common one need ${2 * most}, ${id} has ${count}: give fewer anchors, or leave out --second-form`,
      );
  }
}
