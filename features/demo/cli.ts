import { PROVIDERS } from "anchoreval-trainer/internal/backends/resolve-backend";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import { type ResponseMatrix, groupItems } from "anchoreval-trainer/internal/matrix/response-matrix";
import { demoLeaderboard } from "anchoreval-trainer/internal/features/simulate/fit/simulate-leaderboard";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { reportOf, WORK_OPTIONS } from "../../cli/src/options/fit.ts";
import { type Command, option, flag } from "../../cli/src/program/command.ts";
import { readCreated, readResponseOptions, RESPONSE_OPTIONS } from "../../cli/src/options/data.ts";

const SIMULATED_DATE = "2026-01-01T00:00:00Z";

export const demoCommand: Command = {
  options: {
    Data: {
      responses: option("FILE", `${RESPONSE_OPTIONS.responses.description} (default: a simulated leaderboard)`),
      items: RESPONSE_OPTIONS.items,
    },
    "How to fit": {
      anchors: option("N", "anchors per scenario (default 50)"),
      ...WORK_OPTIONS,
    },
    Output: {
      out: option("DIR", "folder for the bundle and the Worker's R2; an earlier demo is replaced (default out/demo)"),
      port: option("N", "port with --serve (default 8787)"),
      serve: flag("keep the Worker running until Ctrl-C"),
    },
  },
  examples: ["demo", "demo --responses responses.csv.gz --items items.jsonl.gz --serve"],
  async run({ options, output, signal }) {
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const begun = performance.now();
    const hasBoard = options.text("responses") !== undefined;
    const { matrix, created } = hasBoard
      ? await readOwn(options)
      : { matrix: groupItems(demoLeaderboard(seed).matrix), created: SIMULATED_DATE };
    if (output.json) throw new AnchorEvalError("unsupported", "demo has no --json: use fit, backtest and estimate");
    const { runDemo } = await import("anchoreval-trainer/internal/features/demo/fit");
    await runDemo({
      matrix,
      benchmark: "demo",
      anchors: options.number("anchors", { min: 2, integer: true }, 50),
      seed,
      provider: options.oneOf("provider", PROVIDERS, "auto"),
      out: options.text("out") ?? "out/demo",
      created,
      port: options.number("port", { min: 0, max: 65535, integer: true }, 8787),
      serve: options.flag("serve"),
      report: reportOf,
      output,
      signal,
    });
    if (!options.flag("serve")) output.remark("--serve keeps the Worker running");
    output.remark(`${((performance.now() - begun) / 1000).toFixed(0)} s`);
  },
};

async function readOwn(
  options: Parameters<typeof readResponseOptions>[0],
): Promise<{ matrix: ResponseMatrix; created: string }> {
  const { responses, ...reading } = readResponseOptions(options);
  const { matrix } = await readResponses(responses, reading);
  return { matrix, created: await readCreated(options, responses) };
}
