import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { manifestKey } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import type { HubOptions } from "./hub-repository.ts";

/**
 * Where `hf://datasets/ORG/NAME` (or `…/NAME@BRANCH`) is and who may write there, as Hugging Face's own programs have it:
 * HF_TOKEN, else the token that `hf auth login` left below HF_HOME; HF_ENDPOINT for another hub.
 * @throws AnchorEvalError `invalid_option` that names what is missing
 */
export async function hubSettings(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HubOptions> {
  const [, dataset, branch = "main"] =
    /^hf:\/\/datasets\/([\w-][\w.-]*\/[\w-][\w.-]*)(?:@([\w-][\w.-]*))?\/?$/i.exec(address) ?? [];
  if (dataset === undefined)
    throw new AnchorEvalError("invalid_option", `${address} is no dataset: hf://datasets/ORG/NAME, without a folder`);
  const endpoint = (env["HF_ENDPOINT"] ?? "https://huggingface.co").replace(/\/+$/, "");
  if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint))
    throw new AnchorEvalError("invalid_option", `HF_ENDPOINT ${endpoint} is no address`);
  const file = env["HF_TOKEN_PATH"] ?? join(env["HF_HOME"] ?? join(homedir(), ".cache", "huggingface"), "token");
  const token = env["HF_TOKEN"]?.trim() || (await readFile(file, "utf8").catch(() => "")).trim();
  if (token === "")
    throw new AnchorEvalError(
      "invalid_option",
      `${address} takes a token that may write there: set HF_TOKEN, or log in by hf auth login`,
    );
  return { dataset, branch, endpoint, token };
}

/** Where a published version is read from, as from any static host. */
export function hubUrl({ endpoint, dataset, branch }: HubOptions, benchmark: string, version: string): string {
  const folder = manifestKey(benchmark, version).replace(/\/[^/]*$/, "");
  return `${endpoint}/datasets/${dataset}/resolve/${branch}/${folder}`;
}
