import { readFile } from "node:fs/promises";
import { AnchorEvalError } from "../core/errors.ts";
import { parsePythonJson } from "../logs/python-json.ts";
import { readError } from "./tables/file-chunks.ts";

/**
 * A whole file of JSON, as Python writes it.
 * @throws AnchorEvalError `not_found`, `unavailable`; `invalid_data` where it is none
 */
export async function readJsonFile(file: string): Promise<unknown> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw readError(file, error);
  }
  return parseJsonBytes(bytes, file);
}

/** @param name - names the text in messages */
export function parseJsonBytes(bytes: Uint8Array, name: string): unknown {
  try {
    return parsePythonJson(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new AnchorEvalError("invalid_data", `${name}: it is not valid JSON`, { cause });
  }
}
