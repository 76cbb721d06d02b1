import { readFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/core";
import { csvRecords, DataIssues, firstFew, jsonKind, jsonRecords, quoted, textLines } from "anchoreval/node";
import { readNpy } from "../cold-start/npy.ts";
import type { TextVectors } from "../extensions/routing/encode-texts.ts";
import { denseRows, type SparseRows, unitRows } from "../spectral/sparse-rows.ts";
import { csvCell } from "./write-wide-csv.ts";

/** Vectors of questions by their ids, all of one length. */
export interface Embeddings {
  readonly file: string;
  readonly width: number;
  readonly vectors: ReadonlyMap<string, Float64Array>;
}

/**
 * Reads embeddings: JSON lines of `item_id` and `embedding` (an array of numbers), CSV of an id and the numbers under a
 * header that begins with `item_id`, or .npy with the ids, a line each, beside it in NAME.ids.txt.
 * @throws AnchorEvalError `invalid_data` naming file, line and rule: another length, no finite number, an id twice;
 * `invalid_option` for another ending; `not_found`
 */
export async function readEmbeddings(file: string): Promise<Embeddings> {
  const ending = /\.(npy|jsonl|csv)$/.exec(file.toLowerCase().replace(/\.gz$/, ""))?.[1];
  if (ending === undefined || (ending === "npy" && !file.toLowerCase().endsWith(".npy")))
    throw new AnchorEvalError(
      "invalid_option",
      `embeddings are a file that ends in .npy, .jsonl, .csv or one of the last two and .gz; got ${file}`,
    );
  const issues = new DataIssues(file, ending === "jsonl" ? "lines" : "table");
  const table = new VectorTable(issues);
  if (ending === "npy") await readMatrix(file, table, issues);
  else if (ending === "jsonl") {
    for await (const records of jsonRecords(textLines(file), issues))
      for (const { row, fields } of records) {
        const { item_id: id, embedding } = fields;
        if (typeof id !== "string")
          issues.add({ row, column: "item_id" }, "wrong_type", `an id is text, got ${jsonKind(id)}`);
        else if (!Array.isArray(embedding))
          issues.add(
            { row, column: "embedding" },
            "wrong_type",
            `an embedding is an array, got ${jsonKind(embedding)}`,
          );
        else
          table.add(
            row,
            id,
            embedding.map((value: unknown) => (typeof value === "number" ? value : NaN)),
          );
      }
  } else {
    let header = true;
    for await (const records of csvRecords(textLines(file), issues))
      for (const { row, cells } of records) {
        if (header && cells[0] !== "item_id")
          issues.fail({ row }, "missing_header", `the header begins with item_id, got ${quoted(cells[0] ?? "")}`);
        if (!header)
          table.add(
            row,
            cells[0]!,
            cells.slice(1).map((cell) => (cell.trim() === "" ? NaN : Number(cell))),
          );
        header = false;
      }
  }
  issues.refuse();
  if (table.vectors.size === 0) issues.fail({}, "empty", "the file has no embeddings");
  return { file, width: table.width, vectors: table.vectors };
}

/**
 * The vectors of some questions, each brought to length 1.
 * @throws AnchorEvalError `invalid_data` naming the questions that have none
 */
export function embeddedRows({ file, width, vectors }: Embeddings, ids: readonly string[]): SparseRows {
  const without = ids.filter((id) => !vectors.has(id));
  if (without.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: ${without.length} ${without.length === 1 ? "question has" : "questions have"} no embedding: ${firstFew(without)}`,
      {
        issues: without
          .slice(0, 20)
          .map((id) => ({ path: [file, id], code: "missing_embedding", message: "it has none" })),
      },
    );
  const values = new Float64Array(ids.length * width);
  ids.forEach((id, i) => values.set(vectors.get(id)!, i * width));
  return unitRows(denseRows(values, ids.length, width));
}

class VectorTable {
  readonly vectors = new Map<string, Float64Array>();
  readonly #issues: DataIssues;
  width = 0;

  constructor(issues: DataIssues) {
    this.#issues = issues;
  }

  add(row: number, id: string, values: ArrayLike<number>): void {
    const vector = Float64Array.from(values);
    const wrong = vector.findIndex((value) => !Number.isFinite(value));
    if (this.vectors.size === 0) this.width = vector.length;
    if (this.vectors.has(id)) this.#issues.add({ row }, "duplicate", `item ${quoted(id)} is there twice`);
    else if (vector.length === 0 || vector.length !== this.width)
      this.#issues.add(
        { row },
        "ragged",
        `item ${quoted(id)} has ${vector.length} numbers, the first one has ${this.width}`,
      );
    else if (wrong >= 0)
      this.#issues.add({ row }, "not_a_number", `number ${wrong + 1} of item ${quoted(id)} is no finite number`);
    else this.vectors.set(id, vector);
  }
}

async function readMatrix(file: string, table: VectorTable, issues: DataIssues): Promise<void> {
  const idsFile = `${file.slice(0, -".npy".length)}.ids.txt`;
  const read = async (path: string): Promise<Buffer> => {
    try {
      return await readFile(path);
    } catch (cause) {
      throw new AnchorEvalError("not_found", `${path} could not be read`, { cause });
    }
  };
  const ids = (await read(idsFile))
    .toString("utf8")
    .split(/\r?\n/)
    .filter((line) => line !== "");
  const { rows, columns, values } = readNpy(await read(file), issues);
  if (ids.length !== rows)
    issues.fail({}, "ragged", `it has ${rows} rows, and ${idsFile} has ${ids.length} ids: a line for every row`);
  ids.forEach((id, i) => {
    table.add(i + 1, id, values.subarray(i * columns, (i + 1) * columns));
  });
}

/** Significant digits that tell any two float32 apart. */
const DIGITS = 9;

/** JSON lines of `item_id` and `embedding`. */
export function* embeddingJsonLines(ids: readonly string[], vectors: TextVectors): Generator<string, void, undefined> {
  for (const [i, id] of ids.entries()) yield `${JSON.stringify({ item_id: id, embedding: row(vectors, i) })}\n`;
}

/** CSV, a row an item, under a header `item_id,0,1,…`. */
export function* embeddingCsvLines(ids: readonly string[], vectors: TextVectors): Generator<string, void, undefined> {
  yield `${["item_id", ...Array(vectors.width).keys()].join(",")}\n`;
  for (const [i, id] of ids.entries()) yield `${[csvCell(id), ...row(vectors, i)].join(",")}\n`;
}

function row({ width, values }: TextVectors, i: number): number[] {
  return Array.from(values.subarray(i * width, (i + 1) * width), (value) => Number(value.toPrecision(DIGITS)));
}
