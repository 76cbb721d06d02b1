import type { Command } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { PROVIDERS } from "../backends/resolve-backend.ts";
import { readResponses } from "../matrix/read-responses.ts";
import { groupItems, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { demoLeaderboard } from "../simulate/simulate-leaderboard.ts";
import { readCreated } from "./bundle-date.ts";
import { RESPONSE_OPTIONS, readResponseOptions } from "./response-options.ts";

/** Date of the simulated leaderboard's bundle. */
const SIMULATED_DATE = "2026-01-01T00:00:00Z";

export const demoCommand: Command = {
  name: "demo",
  summary: "the whole path on a simulated leaderboard, or on --responses: fit, publish, serve, estimate over HTTP",
  options: {
    ...RESPONSE_OPTIONS,
    anchors: { type: "string", value: "N", description: "anchors per scenario (default 50)" },
    seed: { type: "string", value: "N", description: "seed of all draws (default 1)" },
    provider: {
      type: "string",
      value: PROVIDERS.join("|"),
      description: "what calibrates (default auto: CUDA, else the CPU)",
    },
    out: {
      type: "string",
      value: "DIR",
      description: "folder for the bundle and the Worker's R2; replaced (default out/demo)",
    },
    port: { type: "string", value: "N", description: "port with --serve (default 8787)" },
    serve: { type: "boolean", description: "keep the Worker up until Ctrl-C" },
  },
  async run({ options, output, signal }) {
    const seed = options.number("seed", { min: 0, integer: true }, 1);
    const begun = performance.now();
    const own = options.text("responses") !== undefined;
    const { matrix, created } = own
      ? await readOwn(options)
      : { matrix: groupItems(demoLeaderboard(seed).matrix), created: SIMULATED_DATE };
    if (output.json)
      throw new AnchorEvalError("unsupported", "demo prints for people: use fit, backtest and estimate with --json");
    const { runDemo } = await import("../demo/run-demo.ts");
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
      output,
      signal,
    });
    output.remark(`${((performance.now() - begun) / 1000).toFixed(0)} s`);
    return 0;
  },
};

async function readOwn(
  options: Parameters<typeof readResponseOptions>[0],
): Promise<{ matrix: ResponseMatrix; created: string }> {
  const { responses, ...reading } = readResponseOptions(options);
  const { matrix } = await readResponses(responses, reading);
  return { matrix, created: await readCreated(options, responses) };
}
