import type { EstimateWarning } from "anchoreval";
import { element, type Child } from "../dom.ts";

/** What a reader of the score should know. */
export function warningsContent(warnings: readonly EstimateWarning[]): Child {
  if (warnings.length === 0) return null;
  return element(
    "ul",
    { class: "warnings" },
    warnings.map(({ message }) => element("li", {}, message)),
  );
}
