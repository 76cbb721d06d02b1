import { firstFew, jsonKind, openBytes, quoted, type DataIssues, type ScoreReader } from "anchoreval/node";
import type { AsyncBuffer } from "hyparquet";
import { LONG_COLUMNS, putScore } from "./long-table.ts";
import type { ScoreTable } from "./score-table.ts";

/** By its ending: other tables are text. */
export function isParquet(path: string): boolean {
  return /\.(parquet|pq)$/i.test(path);
}

/**
 * Reads the long form from Parquet, a row group at a time: `model` and `item_id` are text, `score` numbers or booleans,
 * null where there is none. Other columns are ignored. Rows are counted from 1.
 * @param remarks - takes what the user should be told
 * @throws AnchorEvalError `invalid_data` for a file that can't be read, or has other columns; `not_found`
 */
export async function readParquetTable(
  path: string,
  table: ScoreTable,
  reader: ScoreReader,
  issues: DataIssues,
  remarks: string[],
): Promise<void> {
  const { compressors, parquetMetadataAsync, parquetScan, parquetSchema } = await import("../parquet/decoders.ts");
  const file = await openBytes(path);
  const buffer: AsyncBuffer = {
    byteLength: file.byteLength,
    slice: (begin, end = file.byteLength) => file.read(begin, end),
  };
  try {
    const metadata = await readable(issues, () => parquetMetadataAsync(buffer));
    checkColumns(
      parquetSchema(metadata).children.map(({ element }) => element.name),
      issues,
      remarks,
    );
    const scan = await readable(issues, () =>
      parquetScan({ file: buffer, metadata, columns: [...LONG_COLUMNS], compressors }),
    );
    for (const range of scan.ranges) {
      const columnOf = (column: (typeof LONG_COLUMNS)[number]) =>
        readable(issues, async (): Promise<ArrayLike<unknown>> => scan.readColumn({ column, ...range }));
      const [models, items, scores] = [await columnOf("model"), await columnOf("item_id"), await columnOf("score")];
      for (let k = 0; k < models.length; k++) {
        const row = range.rowStart + k + 1;
        const model = textOf(models[k], row, "model", issues);
        const item = textOf(items[k], row, "item_id", issues);
        if (model !== null && item !== null)
          putScore({ row, model, item, score: reader.fromJson(plainNumber(scores[k])) }, table, issues);
      }
    }
  } finally {
    await file.close();
  }
}

/** What the library can't read is the file's fault, in its words. */
async function readable<T>(issues: DataIssues, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    return issues.fail({}, "malformed_parquet", `it can't be read as Parquet: ${(cause as Error).message}`);
  }
}

function checkColumns(names: readonly string[], issues: DataIssues, remarks: string[]): void {
  const absent = LONG_COLUMNS.filter((name) => !names.includes(name));
  if (absent.length > 0)
    issues.fail(
      {},
      "wrong_header",
      `a Parquet table has the columns ${LONG_COLUMNS.join(",")}, a row a score; there is no ${absent.join(", no ")}, but ${firstFew(names)}`,
    );
  const ignored = names.filter((name) => !(LONG_COLUMNS as readonly string[]).includes(name));
  if (ignored.length > 0) remarks.push(`columns that are not read: ${firstFew(ignored)}`);
}

function textOf(value: unknown, row: number, column: string, issues: DataIssues): string | null {
  if (typeof value === "string") return value;
  const kind = typeof value === "bigint" ? "a number" : jsonKind(value ?? null);
  issues.add({ row, column }, "wrong_type", `${quoted(column)} must be text, got ${kind}`);
  return null;
}

/** Parquet's whole numbers and booleans as numbers: 1 is right. */
function plainNumber(value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "boolean" ? Number(value) : (value ?? null);
}
