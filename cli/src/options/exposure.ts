import type { ExposureInput } from "anchoreval-trainer/internal/extensions/adaptive/with-exposure";
import type { Fit } from "anchoreval-trainer/internal/fit/fit";
import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import type { BundleContent, Manifest } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { type CommandInput, type OptionReader, type OptionSpecs, option, invalidOption } from "../command.ts";

/** Something that an option adds to a fitted bundle. Its modules are loaded when the option is given. */
export interface Addition {
  /** Name in the timings. */
  readonly stage: string;
  /** @returns the bundle's content with the addition */
  add(result: Fit): Promise<BundleContent>;
  /** Sentences for `--json`. */
  words(manifest: Manifest): string[];
}

/** Options of the exposure limits that a bundle holds. */
export const EXPOSURE_OPTIONS = {
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
export function readExposure(options: OptionReader): ExposureInput | null {
  const limit = readMaxExposure(options);
  const budget = options.number("exposure-budget", { min: 2, integer: true }, undefined);
  if (limit === null) options.refuse(["exposure-budget"], "needs --max-exposure, which isn't given");
  return limit === null ? null : { limit, ...(budget !== undefined && { budget }) };
}

/**
 * Exposure limits of a bundle.
 * @param matrix - of the fit
 * @throws AnchorEvalError `invalid_option` for limits that these items can't keep
 */
export async function limitedExposure(
  input: ExposureInput,
  matrix: ResponseMatrix,
  { seed, output, signal }: { readonly seed: number } & Pick<CommandInput, "output" | "signal">,
): Promise<Addition> {
  const exposure = await import("anchoreval-trainer/internal/extensions/adaptive/with-exposure");
  exposure.exposurePlan(matrix.items, input);
  return {
    stage: "exposure limits",
    add: ({ content }) =>
      output.during("exposure limits", (update) =>
        exposure.withExposure(content, matrix, input, {
          random: createRandom(seed).fork("exposure"),
          signal,
          onRound: (round, of, reached) => update(round, of, `largest share ${reached.toFixed(3)}`),
        }),
      ),
    words: exposure.exposureWords,
  };
}
