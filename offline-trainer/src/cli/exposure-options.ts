import type { OptionReader, OptionSpec } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import type { ExposureInput } from "../extensions/adaptive/with-exposure.ts";

/** Options of the limits that a bundle carries. */
export const EXPOSURE_OPTIONS = {
  "max-exposure": {
    type: "string",
    value: "R",
    description: "give no item in more than this share of the adaptive evaluations (default: no limit)",
  },
  "exposure-budget": {
    type: "string",
    value: "N",
    description: "items of the evaluations that --max-exposure is for (default 200, or all)",
  },
} as const satisfies Record<string, OptionSpec>;

/** The limit that --max-exposure asks for, in (0,1]; null without it. */
export function readMaxExposure(options: OptionReader): number | null {
  const limit = options.number("max-exposure", { min: 0, max: 1 }, undefined) ?? null;
  if (limit === 0)
    throw new AnchorEvalError("invalid_option", "--max-exposure is a share of the evaluations above 0, at most 1");
  return limit;
}

/** The limits that a bundle is to have; null for none. */
export function readExposure(options: OptionReader): ExposureInput | null {
  const limit = readMaxExposure(options);
  const budget = options.number("exposure-budget", { min: 2, integer: true }, undefined);
  if (limit === null && budget !== undefined)
    throw new AnchorEvalError("invalid_option", "--exposure-budget is for --max-exposure");
  return limit === null ? null : { limit, ...(budget !== undefined && { budget }) };
}
