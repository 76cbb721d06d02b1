import { idProblem } from "anchoreval/bundle";
import type { OptionReader, OptionSpec } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { quoted } from "anchoreval/node";
import type { ReadResponsesOptions } from "../matrix/read-responses.ts";

/** Options of every command that reads responses. */
export const RESPONSE_OPTIONS = {
  responses: { type: "string", value: "FILE", description: "wide CSV(.gz), long CSV or JSONL, or py-irt JSON lines" },
  items: { type: "string", value: "FILE", description: "items JSONL(.gz): item_id, scenario, subscenario?, hash?, …" },
  "score-range": { type: "string", value: "LO,HI", description: "range of bounded scores, brought to [0,1]" },
  flip: { type: "boolean", description: "lower scores are better" },
  pool: {
    type: "string",
    value: "ID",
    description: "all scenarios as the subscenarios of one: anchors are chosen among all items",
  },
} as const satisfies Record<string, OptionSpec>;

export function readResponseOptions(options: OptionReader): { responses: string } & ReadResponsesOptions {
  const items = options.text("items");
  const range = options.numbers("score-range", {}, undefined);
  const pool = options.text("pool");
  if (range && range.length !== 2)
    throw new AnchorEvalError(
      "invalid_option",
      `--score-range is two numbers, LO,HI; got ${options.text("score-range")!}`,
    );
  const problem = pool === undefined ? null : idProblem(pool);
  if (problem !== null) throw new AnchorEvalError("invalid_option", `--pool: ${problem}, got ${quoted(pool!)}`);
  return {
    responses: options.required("responses"),
    ...(items !== undefined && { items }),
    ...(range && { scoreRange: [range[0]!, range[1]!] as const }),
    flip: options.flag("flip"),
    ...(pool !== undefined && { pool }),
  };
}
