import type { ExposureInput } from "anchoreval-trainer/internal/extensions/adaptive/with-exposure";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { type OptionReader, type OptionSpecs, option, invalidOption } from "../program/command.ts";
import type { Progress } from "../program/output.ts";
import type { FitExtension } from "./fit.ts";

/** Options of the exposure limits that a bundle holds. */
const EXPOSURE_OPTIONS = {
  "max-exposure": option("R", "give no item in more than this share of the adaptive evaluations (default: no limit)"),
  "exposure-budget": option("N", "items of an adaptive evaluation that --max-exposure is for (default 200, or all)"),
} as const satisfies OptionSpecs;

/** The limit of --max-exposure, in (0,1]; null without it. */
export function readMaxExposure(options: OptionReader): number | null {
  const limit = options.number("max-exposure", { min: 0, max: 1 }, undefined) ?? null;
  if (limit === 0) throw invalidOption("--max-exposure is a share of the evaluations above 0, at most 1");
  return limit;
}

/** The limit and the budget that it is for; null without --max-exposure. */
function readExposure(options: OptionReader): ExposureInput | null {
  const limit = readMaxExposure(options);
  const budget = options.number("exposure-budget", { min: 2, integer: true }, undefined);
  if (limit === null) options.refuse(["exposure-budget"], "needs --max-exposure, which isn't given");
  return limit === null ? null : { limit, ...(budget !== undefined && { budget }) };
}

/** Exposure limits of adaptive evaluations, which a bundle keeps. */
export const exposureLimits: FitExtension = {
  options: EXPOSURE_OPTIONS,
  read({ options, output, signal, seed }) {
    const input = readExposure(options);
    if (input === null) return null;
    return async ({ matrix }) => {
      const exposure = await import("anchoreval-trainer/internal/extensions/adaptive/with-exposure");
      exposure.exposurePlan(matrix.items, input);
      const onRound = (update: Progress) => (round: number, of: number, reached: number) =>
        update(round, of, `largest share ${reached.toFixed(3)}`);
      const random = createRandom(seed).fork("exposure");
      return {
        addition: {
          stage: "exposure limits",
          add: ({ content }) =>
            output.during("exposure limits", (update) =>
              exposure.withExposure(content, matrix, input, { random, signal, onRound: onRound(update) }),
            ),
          words: exposure.exposureWords,
        },
      };
    };
  },
};
