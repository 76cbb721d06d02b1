import type { OptionReader, OptionSpec } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { readEmbeddings } from "../numeric/embeddings-file.ts";
import { checkColdStart, COLD_METHODS, type ColdStartInput } from "../extensions/routing/cold-start.ts";
import { DEFAULT_NEIGHBOURS, type Neighbours } from "../extensions/routing/neighbours.ts";
import type { FitSettings } from "../methods/settings.ts";
import { readItems } from "../matrix/items-file.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";

/** Options of the items without answers whose parameters a fit predicts. */
export const COLD_START_OPTIONS = {
  "cold-start": {
    type: "string",
    value: "FILE",
    description: "items JSONL without answers: their parameters are predicted, and with model names routes are kept",
  },
  "cold-embeddings": {
    type: "string",
    value: "FILE",
    description: "vectors of all items for --cold-start, as route reads them (default: TF-IDF of the texts)",
  },
  "cold-method": {
    type: "string",
    value: COLD_METHODS.join("|"),
    description: "how their parameters are predicted; routes are always by regressions (default ridge)",
  },
  "cold-k": {
    type: "string",
    value: "K",
    description: `nearest items of knn and weighted-knn (default ${DEFAULT_NEIGHBOURS})`,
  },
} as const satisfies Record<string, OptionSpec>;

/**
 * Reads and checks what a cold start is made from; null where none is asked for.
 * @throws AnchorEvalError `invalid_option`, `invalid_data`, `unsupported`
 */
export async function readColdStart(
  options: OptionReader,
  { irtModel, link }: FitSettings,
  matrix: ResponseMatrix,
): Promise<ColdStartInput | null> {
  const [file, embeddings] = [options.text("cold-start"), options.text("cold-embeddings")];
  if (file === undefined) {
    const needless = (["cold-embeddings", "cold-method", "cold-k"] as const).find(
      (name) => options.text(name) !== undefined,
    );
    if (needless !== undefined)
      throw new AnchorEvalError("invalid_option", `--${needless} is of --cold-start, which isn't given`);
    return null;
  }
  const neighbours = readNeighbours(options);
  if (irtModel !== "1pl" && irtModel !== "2pl")
    throw new AnchorEvalError(
      "unsupported",
      `--cold-start predicts parameters of 1pl and 2pl, not the asymptotes of ${irtModel}`,
    );
  const input = {
    items: await readItems(file),
    embeddings: embeddings === undefined ? null : await readEmbeddings(embeddings),
    neighbours,
  };
  checkColdStart(matrix, input, link);
  return input;
}

function readNeighbours(options: OptionReader): Neighbours | null {
  const method = options.oneOf("cold-method", COLD_METHODS, "ridge");
  const k = options.number("cold-k", { min: 1, integer: true }, undefined);
  if (method !== "ridge") return { k: k ?? DEFAULT_NEIGHBOURS, weighted: method === "weighted-knn" };
  if (k !== undefined) throw new AnchorEvalError("invalid_option", "--cold-k is of --cold-method knn and weighted-knn");
  return null;
}
