import { checkCommand, compareCommand, estimateCommand, runProgram, type Streams } from "anchoreval/cli";
import { FORMATS } from "../formats.ts";
import { trainerVersion } from "../trainer-version.ts";
import { auditCommand } from "./audit.ts";
import { backtestCommand } from "./backtest.ts";
import { demoCommand } from "./demo.ts";
import { diffCommand } from "./diff.ts";
import { embedCommand } from "./embed.ts";
import { fitCommand } from "./fit.ts";
import { formsCommand } from "./forms.ts";
import { importCommand } from "./import.ts";
import { publishCommand } from "./publish.ts";
import { replayCommand } from "./replay.ts";
import { routeCommand } from "./route.ts";
import { serveCommand } from "./serve.ts";
import { sweepCommand } from "./sweep.ts";
import { simulateCommand } from "./simulate.ts";

/**
 * The program `anchoreval-trainer`, to which `anchoreval` hands the heavy commands.
 * @returns the exit code
 */
export function main(argv: readonly string[], streams: Streams = process): Promise<number> {
  return runProgram(
    {
      name: "anchoreval",
      summary: "the trainer: from a leaderboard's responses to a published bundle",
      version: trainerVersion(),
      commands: [
        simulateCommand,
        importCommand,
        fitCommand,
        backtestCommand,
        replayCommand,
        auditCommand,
        diffCommand,
        formsCommand,
        embedCommand,
        routeCommand,
        publishCommand,
        sweepCommand,
        serveCommand,
        demoCommand,
        // The program `anchoreval` hands these over where logs are in a format that it doesn't read.
        estimateCommand,
        compareCommand,
        checkCommand,
      ],
      formats: FORMATS,
    },
    argv,
    streams,
  );
}
