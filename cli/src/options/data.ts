import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  readResponses,
  type ReadResponsesOptions,
  type ReadResponses,
} from "anchoreval-trainer/internal/matrix/read-responses";
import { type BorderFinding, boardWords, type CheckedBoard } from "anchoreval-trainer/internal/features/fit-board";
import type { Manifest } from "anchoreval/bundle";
import { idProblem, type Weighting, WEIGHTINGS } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { quoted } from "anchoreval/internal/tables/data-issues";
import { isObject } from "anchoreval/internal/tables/json-records";
import { LONGEST_TEXT, readFound } from "anchoreval/internal/node/whole-file";
import { hasCode, whyNot } from "anchoreval/internal/node/write-file";
import { given, option, rare, type OptionReader, type OptionSpecs } from "../program/command.ts";
import { BOARD_PARTS } from "../../../features/cli-board.ts";
import { readScale, SCALE_OPTIONS } from "./scale.ts";

/** The answers of many models, and the items that they are to. */
export const RESPONSE_OPTIONS = {
  responses: option("FILE", "the models' answers: wide CSV(.gz), long CSV or JSONL, or py-irt JSON lines", {
    required: true,
  }),
  items: option("FILE", "items, CSV or JSONL(.gz): item_id, scenario, subscenario?, hash?, …"),
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

/** Options of features on the answers. */
export const BOARD_OPTIONS: OptionSpecs = Object.fromEntries(
  BOARD_PARTS.flatMap((part) => Object.entries(part.options)),
);

/** Reads the answers, and what features' options say of the models besides. */
export async function readGivenResponses(
  options: OptionReader,
  { responses, ...reading }: ReturnType<typeof readResponseOptions>,
): Promise<ReadResponses> {
  const read = await readResponses(responses, reading);
  const said = [...read.remarks, ...boardWords(read.board.summary)];
  let board: ReadResponses = { ...read, remarks: said };
  for (const part of BOARD_PARTS) board = { ...board, ...(await part.read(options, board, reading)) };
  return board;
}

/** A board as it came in, as documents have it. */
export type BoardRecord = CheckedBoard["summary"] & { readonly findings: readonly Omit<BorderFinding, "refused">[] };

export function boardRecord({ summary, findings }: CheckedBoard): BoardRecord {
  return { ...summary, findings: findings.map(({ code, names, message }) => ({ code, names, message })) };
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
    text = (await readFound(path, LONGEST_TEXT)).toString();
  } catch (cause) {
    if (hasCode(cause, "ENOENT", "ENOTDIR")) return {};
    throw new AnchorEvalError("invalid_data", `${path} could not be read: ${whyNot(cause)}`, { cause });
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
  if (weighting !== undefined && !WEIGHTINGS.some((name) => name === weighting))
    refuse(`it must be ${WEIGHTINGS.join(" or ")}, got ${JSON.stringify(weighting)}`, ["weighting"]);
  if (protocol !== undefined && !isObject(protocol)) refuse("it is not a JSON object", ["protocol"]);
  for (const [name, value] of Object.entries(protocol ?? {}))
    if (!["string", "number", "boolean"].includes(typeof value))
      refuse(`it must be text, a number, true or false, got ${JSON.stringify(value)}`, ["protocol", name]);
  return given({ protocol, weighting }) as ImportFacts;
}

/** SHA-256 of a file's bytes, as documents name what they were made from: `sha256:…`. */
export async function fileDigest(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return `sha256:${hash.digest("hex")}`;
}

/** When the data were made: --created, SOURCE_DATE_EPOCH, or the responses file's time. Never the clock's. */
export async function readCreated(options: OptionReader, responses: string): Promise<string> {
  return givenDate(options) ?? (await fileDate(responses));
}

/** ISO 8601: a day, or a time with its zone; without one the date would depend on the machine. */
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** The date of --created, else of SOURCE_DATE_EPOCH; null where neither is given. */
export function givenDate(options: OptionReader): string | null {
  const text = options.text("created");
  if (text !== undefined) {
    const date = iso(new Date(text));
    const day = text.slice(0, 10);
    if (!DATE.test(text) || date === null || iso(new Date(day))?.slice(0, 10) !== day)
      throw invalidOption(`--created must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z, got ${text}`);
    return date;
  }
  const epoch = process.env["SOURCE_DATE_EPOCH"];
  if (epoch === undefined || epoch === "") return null;
  const date = /^\d+$/.test(epoch) ? iso(new Date(Number(epoch) * 1000)) : null;
  if (date === null) throw invalidOption(`SOURCE_DATE_EPOCH must be whole seconds since 1970, got ${epoch}`);
  return date;
}

export async function fileDate(path: string): Promise<string> {
  const date = iso((await stat(path)).mtime);
  if (date === null)
    throw new AnchorEvalError("invalid_data", `${path}: the time of its last change isn't a date: give --created`);
  return date;
}

/** Whole seconds; null for what is no date, or lies outside the years 0 to 9999. */
function iso(date: Date): string | null {
  if (Number.isNaN(date.getTime())) return null;
  const text = date.toISOString();
  return text.length === 24 ? `${text.slice(0, 19)}Z` : null;
}
