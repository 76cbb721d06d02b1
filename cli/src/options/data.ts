import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ReadResponsesOptions } from "anchoreval-trainer/internal/matrix/read-responses";
import type { Manifest } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { idProblem, type Weighting, WEIGHTINGS } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { quoted } from "anchoreval/internal/tables/data-issues";
import { isObject } from "anchoreval/internal/tables/json-records";
import { given, option, rare, type OptionReader, type OptionSpecs, invalidOption } from "../command.ts";
import { readScale, SCALE_OPTIONS } from "./scale.ts";

/** The answers of many models, and the items that they are to. */
export const RESPONSE_OPTIONS = {
  responses: option("FILE", "the models' answers: wide CSV(.gz), long CSV or JSONL, or py-irt JSON lines", {
    required: true,
  }),
  items: option("FILE", "items JSONL(.gz): item_id, scenario, subscenario?, hash?, …"),
  pool: option("ID", "make all scenarios subscenarios of one, ID, so that anchors are chosen among all items"),
  ...rare(SCALE_OPTIONS),
} as const satisfies OptionSpecs;

export function readResponseOptions(options: OptionReader): { responses: string } & ReadResponsesOptions {
  const items = options.text("items");
  const pool = options.text("pool");
  const problem = pool === undefined ? null : idProblem(pool);
  if (problem !== null) throw invalidOption(`--pool: ${problem}, got ${quoted(pool!)}`);
  return {
    responses: options.required("responses"),
    ...readScale(options),
    ...given({ items, pool }),
  };
}

/** Facts that `anchoreval import` left beside the responses. */
export interface ImportFacts {
  readonly protocol?: Manifest["protocol"];
  readonly weighting?: Weighting;
}

/** Reads import.json beside the responses, where there is one. */
export async function readImportFacts(responses: string): Promise<ImportFacts> {
  const path = join(dirname(responses), "import.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code!)) return {};
    throw new AnchorEvalError("invalid_data", `${path}: it could not be read`, { cause });
  }
  const refuse = (message: string, field: string[] = [], cause?: unknown): never => {
    const issues = [{ path: [path, ...field], code: "invalid_value", message }];
    const where = field.length > 0 ? `field "${field.join(".")}": ` : "";
    throw new AnchorEvalError("invalid_data", `${path}: ${where}${message}`, { issues, cause });
  };
  let facts: unknown;
  try {
    facts = JSON.parse(text);
  } catch (cause) {
    refuse("it is not JSON", [], cause);
  }
  if (!isObject(facts)) return refuse("it is not a JSON object");
  const { protocol, weighting } = facts;
  if (weighting !== undefined && !WEIGHTINGS.some((known) => known === weighting))
    refuse(`it must be ${WEIGHTINGS.join(" or ")}, got ${JSON.stringify(weighting)}`, ["weighting"]);
  if (protocol !== undefined && !isObject(protocol)) refuse("it is not a JSON object", ["protocol"]);
  for (const [name, value] of Object.entries(protocol ?? {}))
    if (!["string", "number", "boolean"].includes(typeof value))
      refuse(`it must be text, a number, true or false, got ${JSON.stringify(value)}`, ["protocol", name]);
  return given({ protocol, weighting }) as ImportFacts;
}

/** SHA-256 of a file's bytes, as documents name what they were made from: `sha256:…`. */
export async function fileDigest(file: string): Promise<string> {
  return `sha256:${sha256Hex(await readFile(file))}`;
}
