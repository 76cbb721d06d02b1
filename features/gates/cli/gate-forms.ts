import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import { option, rare } from "../../../cli/src/program/command.ts";
import type { FitOptionPart } from "../../../cli/src/options/fit.ts";
import { readScale } from "../../../cli/src/options/scale.ts";

/** Forms whose items are drawn for what they tell of a drop. */
export const gateForms: FitOptionPart = {
  options: {
    Extensions: rare({
      "gate-form": option(
        "N[,N…]",
        "add a form gate-N for check: items that flip between runs of one model are in it more",
      ),
      repeats: option(
        "FILE",
        "two or more runs of the model to be gated, a row each, for --gate-form to learn flips from",
      ),
    }),
  },
  read({ options }) {
    const sizes = options.numbers("gate-form", { min: 1, integer: true }, []);
    if (sizes.length === 0) {
      options.refuse(["repeats"], "needs --gate-form, which isn't given");
      return null;
    }
    options.refuse(["second-form"], "doesn't go with --gate-form, whose items are drawn anew from all: leave one out");
    const file = options.text("repeats");
    const scale = readScale(options);
    return async ({ matrix: board }) => {
      const { withGateForms } = await import("anchoreval-trainer/internal/features/gates/fit/gate-forms");
      if (file === undefined) return { part: withGateForms(board, sizes) };
      const { matrix } = await readResponses(file, { ...scale, oneScenario: true, leastModels: 1 });
      return { part: withGateForms(board, sizes, { file, matrix }) };
    };
  },
};
