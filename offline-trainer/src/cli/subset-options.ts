import type { OptionReader, OptionSpec } from "anchoreval/cli";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import type { Selection } from "../anchors/types.ts";
import { readEmbeddings } from "../ingest/embeddings-file.ts";
import type { BankTaskOptions } from "../fit/bank-tasks.ts";
import { readItemTable } from "../ingest/item-table.ts";
import { itemStrata } from "../item-features/item-strata.ts";
import { itemFeatures, TEXT_USES } from "../item-features/item-features.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";

/** What `--selection sublime` describes subsets of items with. */
export const SUBSET_OPTIONS = {
  "anchor-models": {
    type: "string",
    value: "A,B[,…]",
    description: "sublime: models whose scores describe a subset (default: some spread over the range of scores)",
  },
  "use-texts": {
    type: "string",
    value: TEXT_USES.join("|"),
    description:
      "sublime: measures of the items' texts; yes refuses items without one (default auto: where there are some)",
  },
  "item-features": {
    type: "string",
    value: "FILE",
    description: "sublime: CSV or JSON lines of item_id and any columns of numbers, made elsewhere",
  },
  embeddings: {
    type: "string",
    value: "FILE",
    description: "sublime: vectors of the items in place of TF-IDF: .jsonl or .csv, or either with .gz",
  },
  strata: {
    type: "string",
    value: "COLUMN",
    description: "sublime: every subset keeps the proportions of this column of --items or --item-features",
  },
} as const satisfies Record<string, OptionSpec>;

/** Files that the options name, read, to be put to a matrix. */
export type SubsetInputs = (matrix: ResponseMatrix) => Pick<BankTaskOptions, "itemFeatures" | "anchorModels">;

/**
 * Reads what subsets are described with, before the responses.
 * @throws AnchorEvalError `invalid_option` for such an option beside another selection, `invalid_data`, `not_found`; with
 * the matrix `invalid_data` for items without text, vector, row or stratum, `invalid_option` for a column of strata that
 * isn't there
 */
export async function readSubsetInputs(options: OptionReader, selections: readonly Selection[]): Promise<SubsetInputs> {
  const given = Object.keys(SUBSET_OPTIONS).filter((name) => options.text(name) !== undefined);
  if (!selections.includes("sublime")) {
    if (given.length > 0)
      throw new AnchorEvalError(
        "invalid_option",
        `--${given[0]!} is for --selection sublime (or --recipe sublime); this is ${selections.join(", ")}`,
      );
    return () => ({});
  }
  const texts = options.oneOf("use-texts", TEXT_USES, "auto");
  const anchorModels = options
    .text("anchor-models")
    ?.split(",")
    .map((name) => name.trim());
  if (anchorModels && (anchorModels.length < 2 || new Set(anchorModels).size < anchorModels.length))
    throw new AnchorEvalError(
      "invalid_option",
      `--anchor-models names two models or more, none twice; got ${options.text("anchor-models")!}`,
    );
  const [tableFile, embeddingsFile] = [options.text("item-features"), options.text("embeddings")];
  const [itemsFile, strata] = [options.text("items"), options.text("strata")];
  const table = tableFile === undefined ? undefined : await readItemTable(tableFile);
  const embeddings = embeddingsFile === undefined ? undefined : await readEmbeddings(embeddingsFile);
  const described = strata === undefined || itemsFile === undefined ? undefined : await readItemTable(itemsFile);
  return ({ items }) => ({
    ...(anchorModels && { anchorModels }),
    itemFeatures: itemFeatures(items, {
      texts,
      ...(table && { table }),
      ...(embeddings && { embeddings }),
      ...(strata !== undefined && {
        strata: itemStrata(strata, items, {
          ...(described && { items: described }),
          ...(table && { features: table }),
        }),
      }),
      random: createRandom("item features"),
    }),
  });
}
