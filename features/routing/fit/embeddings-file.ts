import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { textLines } from "anchoreval/internal/node/read-file";
import { csvRecords } from "anchoreval/internal/tables/csv-records";
import { DataIssues, firstFew, jsonKind, quoted } from "anchoreval/internal/tables/data-issues";
import { jsonRecords } from "anchoreval/internal/tables/json-records";
import { csvCell } from "../../../offline-trainer/src/matrix/write-tables.ts";
import { denseRows, type SparseRows, unitRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";

/** Vectors of items by their ids, all of one length. */
export interface Embeddings {
  readonly file: string;
  readonly width: number;
  readonly vectors: ReadonlyMap<string, Float64Array>;
}

/** Vectors of texts, one a row. */
export interface TextVectors {
  readonly count: number;
  readonly width: number;
  /** Row-major; rows of length 1, or 0. */
  readonly values: Float32Array;
}

/**
 * Reads embeddings: JSON lines of `item_id` and `embedding` (an array of numbers), or CSV of an id and the numbers under a
 * header that begins with `item_id`.
 * @throws AnchorEvalError `invalid_data` naming file, line and rule: another length, a number that isn't finite, a repeated
 * id; `invalid_option` for another ending; `not_found`
 */
export async function readEmbeddings(file: string): Promise<Embeddings> {
  const ending = /\.(jsonl|csv)(\.gz)?$/.exec(file.toLowerCase())?.[1];
  if (ending === undefined)
    throw invalidOption(`embeddings must be a file that ends in .jsonl, .csv, .jsonl.gz or .csv.gz; got ${file}`);
  const issues = new DataIssues(file, ending === "jsonl" ? "lines" : "table");
  const vectors = new Map<string, Float64Array>();
  let width = 0;
  const add = (row: number, id: string, vector: Float64Array): void => {
    const wrong = vector.findIndex((value) => !Number.isFinite(value));
    if (vectors.size === 0) width = vector.length;
    if (vectors.has(id)) issues.add({ row }, "duplicate", `item ${quoted(id)} is there twice`);
    else if (vector.length === 0 || vector.length !== width)
      issues.add({ row }, "ragged", `item ${quoted(id)} has ${vector.length} numbers, the first one has ${width}`);
    else if (wrong >= 0)
      issues.add({ row }, "not_a_number", `number ${wrong + 1} of item ${quoted(id)} is not a finite number`);
    else vectors.set(id, vector);
  };
  const lines = textLines(file);
  if (ending === "jsonl") {
    for await (const records of jsonRecords(lines, issues))
      for (const { row, fields } of records) {
        const { item_id: id, embedding } = fields;
        if (typeof id !== "string")
          issues.add({ row, column: "item_id" }, "wrong_type", `an id must be text, got ${jsonKind(id)}`);
        else if (Array.isArray(embedding)) add(row, id, numbersOf(embedding, Number.isFinite));
        else {
          const message = `an embedding must be an array, got ${jsonKind(embedding)}`;
          issues.add({ row, column: "embedding" }, "wrong_type", message);
        }
      }
  } else {
    const isFilled = (cell: unknown): boolean => (cell as string).trim() !== "";
    let header = true;
    for await (const records of csvRecords(lines, issues))
      for (const { row, cells } of records) {
        const [id = "", ...numbers] = cells;
        if (header && id !== "item_id")
          issues.fail({ row }, "missing_header", `the header begins with item_id, got ${quoted(id)}`);
        if (!header) add(row, id, numbersOf(numbers, isFilled));
        header = false;
      }
  }
  issues.refuse();
  if (vectors.size === 0) issues.fail({}, "empty", "the file has no embeddings");
  return { file, width, vectors };
}

/** NaN for what is no number. */
function numbersOf(values: readonly unknown[], isNumber: (value: unknown) => boolean): Float64Array {
  return Float64Array.from(values, (value) => (isNumber(value) ? Number(value) : NaN));
}

/** The vectors of items, scaled to length 1. @throws AnchorEvalError `invalid_data` naming the items that have none */
export function embeddedRows({ file, width, vectors }: Embeddings, ids: readonly string[]): SparseRows {
  const missing = ids.filter((id) => !vectors.has(id));
  if (missing.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: ${missing.length} ${missing.length === 1 ? "question has" : "questions have"} no embedding: ${firstFew(missing)}`,
      {
        issues: missing
          .slice(0, 20)
          .map((id) => ({ path: [file, id], code: "missing_embedding", message: "it has none" })),
      },
    );
  const values = new Float64Array(ids.length * width);
  ids.forEach((id, i) => values.set(vectors.get(id)!, i * width));
  return unitRows(denseRows(values, ids.length, width));
}

/** Significant digits that tell any two float32 apart. */
const DIGITS = 9;

/** Vectors as {@link readEmbeddings} reads them: JSON lines, or CSV under a header `item_id,0,1,…`. */
export function* embeddingLines(
  ids: readonly string[],
  { width, values }: TextVectors,
  ending: "jsonl" | "csv",
): Generator<string, void> {
  if (ending === "csv") yield `${["item_id", ...Array(width).keys()].join(",")}\n`;
  for (const [i, id] of ids.entries()) {
    const row = values.subarray(i * width, (i + 1) * width);
    const embedding = Array.from(row, (value) => Number(value.toPrecision(DIGITS)));
    yield ending === "csv"
      ? `${[csvCell(id), ...embedding].join(",")}\n`
      : `${JSON.stringify({ item_id: id, embedding })}\n`;
  }
}
