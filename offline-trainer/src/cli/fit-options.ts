import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BENCHMARK_NAME, VERSION, WEIGHTINGS, type Manifest, type Weighting } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import type { OptionReader, OptionSpec } from "anchoreval/cli";
import { SELECTIONS } from "../anchors/types.ts";
import { PROVIDERS } from "../backends/resolve-backend.ts";
import { DEFAULT_CONFIGURATION, LAMBDA_RULES, type FitConfiguration } from "../fit/configuration.ts";
import { DIMENSION_CANDIDATES } from "../fit/choose-dimension.ts";
import type { ReadResponsesOptions } from "../ingest/read-responses.ts";

/** Options of every command that reads responses. */
export const RESPONSE_OPTIONS = {
  responses: { type: "string", value: "FILE", description: "wide CSV(.gz), long CSV or JSONL, or py-irt JSON lines" },
  items: { type: "string", value: "FILE", description: "items JSONL(.gz): item_id, scenario, subscenario?, hash?, …" },
  "score-range": { type: "string", value: "LO,HI", description: "range of bounded scores, brought to [0,1]" },
  flip: { type: "boolean", description: "lower scores are better" },
} as const satisfies Record<string, OptionSpec>;

/** Options of every command that fits. */
export const FIT_OPTIONS = {
  selection: {
    type: "string",
    value: SELECTIONS.join("|"),
    description: `how anchors are chosen (default ${DEFAULT_CONFIGURATION.selection})`,
  },
  dims: {
    type: "string",
    value: "auto|N",
    description: `latent dimensions at most; auto tries ${DIMENSION_CANDIDATES.join(", ")} on held-out models (default ${DEFAULT_CONFIGURATION.dims})`,
  },
  "irt-model": { type: "string", value: "2pl", description: "response model" },
  "prior-scale": {
    type: "string",
    value: "K",
    description: `width of the ability prior N(μ, K²Σ) (default ${DEFAULT_CONFIGURATION.priorScale})`,
  },
  lambda: {
    type: "string",
    value: LAMBDA_RULES.join("|"),
    description: `how λ of gp-irt is chosen (default ${DEFAULT_CONFIGURATION.lambda})`,
  },
  weighting: {
    type: "string",
    value: WEIGHTINGS.join("|"),
    description: "what counts the same in a scenario's score (default: import.json's, else subscenarios)",
  },
  joint: { type: "boolean", description: "one ability over all scenarios" },
  provider: {
    type: "string",
    value: PROVIDERS.join("|"),
    description: "what calibrates (default auto: CUDA, else the CPU)",
  },
} as const satisfies Record<string, OptionSpec>;

/** What `anchoreval import` left beside the responses. */
export interface ImportFacts {
  readonly protocol?: Manifest["protocol"];
  readonly weighting?: Weighting;
}

/** Reads import.json beside the responses, where there is one. */
export async function readImportFacts(responses: string): Promise<ImportFacts> {
  let text: string;
  const path = join(dirname(responses), "import.json");
  try {
    text = await readFile(path, "utf8");
  } catch {
    return {};
  }
  try {
    const { protocol, weighting } = JSON.parse(text) as ImportFacts;
    return { ...(protocol && { protocol }), ...(weighting && { weighting }) };
  } catch (cause) {
    throw new AnchorEvalError("invalid_data", `${path}: it is not JSON`, { cause });
  }
}

export function readResponseOptions(options: OptionReader): { responses: string } & ReadResponsesOptions {
  const items = options.text("items");
  const range = options.numbers("score-range", {}, undefined);
  if (range && range.length !== 2)
    throw new AnchorEvalError(
      "invalid_option",
      `--score-range is two numbers, LO,HI; got ${options.text("score-range")!}`,
    );
  return {
    responses: options.required("responses"),
    ...(items !== undefined && { items }),
    ...(range && { scoreRange: [range[0]!, range[1]!] as const }),
    flip: options.flag("flip"),
  };
}

export function readConfiguration(options: OptionReader, facts: ImportFacts): FitConfiguration {
  options.oneOf("irt-model", ["2pl"], "2pl");
  return {
    ...DEFAULT_CONFIGURATION,
    selection: options.oneOf("selection", SELECTIONS, DEFAULT_CONFIGURATION.selection),
    dims:
      options.text("dims") === "auto"
        ? "auto"
        : options.number("dims", { min: 1, max: 32, integer: true }, DEFAULT_CONFIGURATION.dims),
    priorScale: options.number("prior-scale", { min: 0.1, max: 100 }, DEFAULT_CONFIGURATION.priorScale),
    lambda: options.oneOf("lambda", LAMBDA_RULES, DEFAULT_CONFIGURATION.lambda),
    weighting: options.oneOf("weighting", WEIGHTINGS, facts.weighting ?? DEFAULT_CONFIGURATION.weighting),
    joint: options.flag("joint"),
  };
}

/** Anchors per scenario from --anchors, or from --total shared evenly. */
export function readSizes(options: OptionReader, scenarios: number): number[] {
  const anchors = options.numbers("anchors", { min: 1, integer: true }, undefined);
  const total = options.numbers("total", { min: 1, integer: true }, undefined);
  if ((anchors === undefined) === (total === undefined))
    throw new AnchorEvalError("invalid_option", "give --anchors N[,N…] (per scenario) or --total N");
  return anchors ?? total!.map((count) => Math.max(1, Math.round(count / scenarios)));
}

/** BENCHMARK@X.Y.Z */
export function readName(name: string): { benchmark: string; version: string } {
  const [benchmark = "", version = "", ...rest] = name.split("@");
  if (rest.length > 0 || !BENCHMARK_NAME.test(benchmark) || !VERSION.test(version))
    throw new AnchorEvalError(
      "invalid_option",
      `--name is BENCHMARK@X.Y.Z, the benchmark of a-z, 0-9, ".", "_", "-" (at most 64), the version semver; got ${name}`,
    );
  return { benchmark, version };
}

/** When the data were made: --created, SOURCE_DATE_EPOCH, or the responses file's time. Never the clock's. */
export async function readCreated(options: OptionReader, responses: string): Promise<string> {
  const given = options.text("created");
  if (given !== undefined) {
    const date = new Date(given);
    if (Number.isNaN(date.getTime()))
      throw new AnchorEvalError("invalid_option", `--created is a date such as 2026-01-31T12:00:00Z, got ${given}`);
    return iso(date);
  }
  const epoch = process.env["SOURCE_DATE_EPOCH"];
  if (epoch !== undefined && /^\d+$/.test(epoch)) return iso(new Date(Number(epoch) * 1000));
  return iso((await stat(responses)).mtime);
}

function iso(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
