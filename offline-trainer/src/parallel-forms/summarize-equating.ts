import { AnchorEvalError } from "anchoreval/core";
import { rounded } from "../fit/held-out-scores.ts";
import type { ParallelForms } from "./build-parallel-forms.ts";
import { equatedScores } from "./equating.ts";
import { answeredAmong } from "./form-curves.ts";
import type { EquatingSummary } from "./summary-types.ts";

/**
 * Equated scores of every form.
 * @param everything - all items of the pool
 * @throws AnchorEvalError `invalid_data` where a form has no item with answers
 */
export function equatingSummary({ forms, difficulty }: ParallelForms, everything: Uint32Array): EquatingSummary {
  const { answered, source } = difficulty;
  if (source.kind !== "responses" || answered === null)
    return {
      method: "identity",
      verified: false,
      note: "no model's answers to these items are known: a form's score stands for the pool's as it is",
      poolScores: forms.map(({ items }) =>
        Array.from({ length: items.length + 1 }, (_, x) => rounded(x / items.length)),
      ),
    };
  if (forms.some(({ items }) => answeredAmong(answered, items).length === 0))
    throw new AnchorEvalError(
      "invalid_data",
      "a form has no item with answers: larger forms, or more answers, are needed",
    );
  return {
    method: "irt-true-score",
    verified: source.borrowed === "no",
    note: EQUATING_NOTES[source.borrowed],
    poolScores: forms.map(({ items }) => Array.from(equatedScores(answered, items, everything), rounded)),
  };
}

const EQUATING_NOTES = {
  no: "from answers to these very items",
  yes: "from answers to other texts than these, none to these",
  unknown: "from answers that aren't known to be to these very texts",
} as const;
