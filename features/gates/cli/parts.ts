import { flag, option } from "../../../cli/src/program/command.ts";
import type { CommandPart } from "../../../cli/src/program/parts.ts";

/** `check --history`: all nights together, at one rate of false alarms. */
export const nightlyGate: CommandPart = {
  options: {
    "Every night": {
      history: option("FILE", "add the answers to FILE and check all nights in it: needs two baselines or more"),
      night: option("TEXT", "the night's name in it (default: its number)"),
    },
  },
  instead: { of: "history", run: async (input) => (await import("./check-history.ts")).checkHistory(input) },
};

/** `check --table`: what the checks are worth. */
export const checkReplays: CommandPart = {
  options: {
    "Before you trust it": {
      table: flag(
        "replay the check, of one night and with --history, on nights of the baseline's own model: false alarms a year, and which drops are found",
      ),
      nights: option("N", "nights of an unchanged model, a tenth as many of each drop (default 2000)"),
      seed: option("N", "of the replayed nights (default 1)"),
    },
  },
  instead: { of: "table", run: async (input) => (await import("./replays.ts")).printReplays(input) },
};

/** `plan --gate`: which of a bundle's forms finds a drop within some nights. */
export const planGate: CommandPart = {
  options: {
    "A gate over nights": {
      gate: flag("which form finds a drop as a gate, by replays of --baseline runs"),
      baseline: option("PATH", "answers of a run of the unchanged model; two or more", { multiple: true }),
      drop: option("POINTS", "the drop to find (default 3)"),
      nights: option("N", "nights to find it within (default 30)"),
      "alarms-per-year": option("N", "accepted false alarms a year (default 1)"),
      "runs-per-year": option("N", "nights a year (default 365)"),
      seed: option("N", "of the replays (default 1)"),
    },
  },
  instead: { of: "gate", run: async (input) => (await import("./replays.ts")).planGate(input) },
};
