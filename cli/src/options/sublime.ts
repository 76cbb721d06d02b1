import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import type { Method } from "anchoreval-trainer/internal/methods/method";
import { given, type OptionReader, type OptionSpecs, option, invalidOption } from "../program/command.ts";
import type { FitExtension } from "./fit.ts";

/** Options of the features by which `--selection sublime` describes subsets of items. */
export const SUBSET_OPTIONS = {
  "anchor-models": option(
    "A,B[,…]",
    "sublime: models whose scores describe a subset (default: some spread over the range of scores)",
    { namesModels: true },
  ),
  "item-features": option("FILE", "sublime: CSV or JSON lines of item_id and any columns of numbers, made elsewhere"),
  embeddings: option("FILE", "sublime: vectors of the items in place of TF-IDF: .jsonl or .csv, or either with .gz"),
  strata: option("COLUMN", "sublime: every subset keeps the proportions of this column of --items or --item-features"),
} as const satisfies OptionSpecs;

/** Puts what the options and files say of items and models to a matrix: a way to choose anchors that knows it. */
type SubsetInputs = (matrix: ResponseMatrix) => (method: Method) => Method;

/**
 * Reads what subsets are described with, before the responses.
 * @throws AnchorEvalError `invalid_option` for such an option beside another selection, `invalid_data`, `not_found`; with
 * the matrix `invalid_data` for items without vector, row or stratum, `invalid_option` for a column of strata or a model
 * that isn't there
 */
export async function readSubsetInputs(options: OptionReader, selections: readonly string[]): Promise<SubsetInputs> {
  if (!selections.includes("sublime")) {
    const why = `is for --selection sublime (or --recipe sublime); this is ${selections.join(", ")}`;
    options.refuse(Object.keys(SUBSET_OPTIONS), why);
    return () => (method) => method;
  }
  const anchorModels = options
    .text("anchor-models")
    ?.split(",")
    .map((name) => name.trim());
  if (anchorModels && (anchorModels.length < 2 || new Set(anchorModels).size < anchorModels.length))
    throw invalidOption(`--anchor-models names two models or more, none twice; got ${options.text("anchor-models")!}`);
  const { readItemTable } = await import("anchoreval-trainer/internal/matrix/item-table");
  const { readEmbeddings } = await import("anchoreval-trainer/internal/matrix/embeddings-file");
  const { itemStrata, sublimeAnchorsOf } = await import("anchoreval-trainer/internal/methods/sublime/given-features");
  const [tableFile, embeddingsFile] = [options.text("item-features"), options.text("embeddings")];
  const [itemsFile, strata] = [options.text("items"), options.text("strata")];
  const table = tableFile === undefined ? undefined : await readItemTable(tableFile);
  const embeddings = embeddingsFile === undefined ? undefined : await readEmbeddings(embeddingsFile);
  const described = strata === undefined || itemsFile === undefined ? undefined : await readItemTable(itemsFile);
  return (matrix) => {
    const tables = given({ items: described, features: table });
    const parts = strata === undefined ? undefined : itemStrata(strata, matrix.items, tables);
    const anchors = sublimeAnchorsOf(matrix, given({ anchorModels, table, embeddings, strata: parts }));
    return (method) => (method.anchors.name === anchors.name ? { ...method, anchors } : method);
  };
}

/** Features by which `--selection sublime` describes subsets. */
export const subsetFeatures: FitExtension = {
  options: SUBSET_OPTIONS,
  async read({ options, method }) {
    const inputs = await readSubsetInputs(options, [method.settings.selection]);
    return ({ matrix }) => ({ method: inputs(matrix) });
  },
};
