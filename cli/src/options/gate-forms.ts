import type { FormPlan } from "anchoreval-trainer/internal/fit/form-plans";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { option, type OptionReader, type OptionSpecs } from "../command.ts";
import { readScale } from "./scale.ts";

/** Options of the forms that a gate asks. */
export const GATE_OPTIONS = {
  "gate-form": option(
    "N[,N…]",
    "add a form gate-N for check: items that flip between runs of one model are in it more",
  ),
  repeats: option("FILE", "two or more runs of the model to be gated, a row each, for --gate-form to learn flips from"),
} as const satisfies OptionSpecs;

/** Whether --gate-form is given. @throws AnchorEvalError `invalid_option` for options that it doesn't go with */
export function checkGateOptions(options: OptionReader): void {
  if (options.numbers("gate-form", { min: 1, integer: true }, undefined) === undefined)
    options.refuse(["repeats"], "needs --gate-form, which isn't given");
  else
    options.refuse(
      ["second-form", "base"],
      "doesn't go with --gate-form, whose items are drawn anew from all: leave one out",
    );
}

/** The forms of --gate-form; none without it. @param board - the answers of the fit */
export async function readGateForms(options: OptionReader, board: ResponseMatrix): Promise<readonly FormPlan[]> {
  const sizes = options.numbers("gate-form", { min: 1, integer: true }, []);
  if (sizes.length === 0) return [];
  const { gateForms } = await import("anchoreval-trainer/internal/extensions/gate-forms/gate-forms");
  const file = options.text("repeats");
  if (file === undefined) return gateForms(board, sizes, null);
  const { matrix } = await readResponses(file, { ...readScale(options), oneScenario: true, leastModels: 1 });
  return gateForms(board, sizes, { file, matrix });
}
