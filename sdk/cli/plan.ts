import { loadBundle } from "../bundles/load-bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { planFromBundle } from "../plan/plan-from-bundle.ts";
import type { Command, OptionReader } from "./command.ts";
import { openBundle } from "./open-bundle.ts";
import { planLines } from "./plan-lines.ts";

/** `anchoreval plan`: how many items it takes, from what a bundle has measured. */
export const planCommand: Command = {
  name: "plan",
  summary: "how many items it takes for an interval, or to tell two models apart",
  options: {
    bundle: { type: "string", value: "DIR|URL", description: "the bundle" },
    "half-width": { type: "string", value: "POINTS", description: "intervals of a score shall be ± this at most" },
    gap: {
      type: "string",
      value: "POINTS",
      description: "two models whose true scores differ by this shall be ranked right",
    },
    level: { type: "string", value: "0.95", description: "confidence level of the intervals" },
    "ranked-right": { type: "string", value: "0.8", description: "how often they shall be ranked right" },
  },
  run: async ({ options, output, signal }) => {
    const source = openBundle(options.required("bundle"));
    const [halfWidth, gap] = [readPoints(options, "half-width"), readPoints(options, "gap")];
    if (halfWidth !== undefined && gap !== undefined)
      throw new AnchorEvalError("invalid_option", "give --half-width or --gap, not both");
    const asked = {
      level: options.number("level", { min: 0, max: 1 }, 0.95),
      rankedRight: options.number("ranked-right", { min: 0, max: 1 }, 0.8),
      ...(halfWidth !== undefined && { halfWidth }),
      ...(gap !== undefined && { gap }),
    };
    const plan = planFromBundle(await loadBundle(source, { signal }), asked);
    if (output.json) output.document(plan);
    else for (const line of planLines(plan)) output.line(line);
    return 0;
  },
};

/** A difference in points as a fraction. */
function readPoints(options: OptionReader, name: string): number | undefined {
  const value = options.number(name, { min: 0, max: 100 }, undefined);
  return value === undefined ? undefined : value / 100;
}
