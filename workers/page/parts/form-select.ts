import type { Bundle } from "anchoreval";
import { formTotals } from "anchoreval/charts";
import { counted } from "anchoreval/words";
import { element, freshId } from "../dom.ts";

export interface FormSelect {
  readonly content: HTMLElement;
  /** The form that is chosen; null = as the answers tell. */
  readonly value: () => string | null;
}

/** Which form was asked: chosen, or inferred from the answers. */
export function formSelect(
  { manifest }: Bundle,
  chosen: string | null,
  options: { infer: boolean; onChange?: () => void },
): FormSelect {
  const id = freshId("form");
  const select = element(
    "select",
    { id, ...(options.onChange && { onchange: options.onChange }) },
    options.infer ? element("option", { value: "" }, "as the answers tell") : null,
    manifest.forms.map((form) =>
      element(
        "option",
        { value: form.id, selected: form.id === (chosen ?? (options.infer ? "" : manifest.defaultForm)) },
        `${form.id} (${counted(formTotals(form).items, "item")})`,
      ),
    ),
  );
  return {
    content: element("div", { class: "field" }, element("label", { for: id }, "Form (which items are asked)"), select),
    value: () => (select.value === "" ? null : select.value),
  };
}
