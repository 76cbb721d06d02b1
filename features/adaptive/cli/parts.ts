import { flag, option } from "../../../cli/src/program/command.ts";
import type { CommandPart } from "../../../cli/src/program/parts.ts";

/** `compare --race`: candidates by their files of answers, round after round. */
export const race: CommandPart = {
  options: {
    Data: {
      responses: option("PATH", "answers of two models, as --a and --b, or of more, to rank; of two or more, to race", {
        multiple: true,
      }),
    },
    Comparison: {
      race: flag("ask round after round, and only who may still win"),
      margin: option("POINTS", "the largest difference that doesn't matter (default 0, of a race 0.5pt)"),
    },
    Output: { next: option("FILE", "with --race: write the ids of the items to ask next, by candidate, as JSON") },
  },
  instead: { of: "race", run: async (input) => (await import("./race.ts")).race(input) },
};
