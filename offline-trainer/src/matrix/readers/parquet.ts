import { AnchorEvalError } from "anchoreval/core";
import { type DataIssues, firstFew, jsonKind, openBytes, quoted, type ScoreReader } from "anchoreval/node";
import type { AsyncBuffer } from "hyparquet";
import { LONG_COLUMNS, putScore } from "./long-table.ts";
import type { ScoreTable } from "./score-table.ts";

/**
 * The rows of a Parquet file, a row group in memory at a time; nested columns as objects and lists, whole numbers as
 * numbers.
 * @param asked - the columns, or what chooses them among those of the file
 * @throws AnchorEvalError `invalid_data` where it can't be read, or lacks one of the columns; `not_found`
 * @example for await (const { doc, metric } of parquetRows(path, ["doc", "metric"])) …
 */
export async function* parquetRows(
  path: string,
  asked: readonly string[] | ((names: readonly string[]) => readonly string[]),
): AsyncGenerator<Readonly<Record<string, unknown>>, void, undefined> {
  const { compressors, parquetMetadataAsync, parquetScan, parquetSchema } = await import("./decoders.ts");
  const file = await openBytes(path);
  const buffer: AsyncBuffer = {
    byteLength: file.byteLength,
    slice: (begin, end = file.byteLength) => file.read(begin, end),
  };
  const readable = async <T>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (cause) {
      throw new AnchorEvalError("invalid_data", `${path}: it can't be read as Parquet: ${(cause as Error).message}`, {
        cause,
        issues: [{ path: [path], code: "malformed_parquet", message: (cause as Error).message }],
      });
    }
  };
  try {
    const metadata = await readable(() => parquetMetadataAsync(buffer));
    const names = parquetSchema(metadata).children.map(({ element }) => element.name);
    const columns = typeof asked === "function" ? asked(names) : asked;
    const absent = columns.filter((name) => !names.includes(name));
    if (absent.length > 0)
      throw new AnchorEvalError(
        "invalid_data",
        `${path}: it has no column ${absent.join(", ")}, but ${firstFew(names)}`,
        { issues: absent.map((name) => ({ path: [path, name], code: "missing", message: `no column ${name}` })) },
      );
    const scan = await readable(() => parquetScan({ file: buffer, metadata, columns: [...columns], compressors }));
    for (const range of scan.ranges) {
      const values: ArrayLike<unknown>[] = [];
      for (const column of columns) values.push(await readable(() => scan.readColumn({ column, ...range })));
      for (let row = 0; row < range.rowEnd - range.rowStart; row++)
        yield Object.fromEntries(columns.map((name, k) => [name, plain(values[k]![row])]));
    }
  } finally {
    await file.close();
  }
}

/** Whole numbers come as bigint: as numbers where those hold them, else as text. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, plain(own)]));
}

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
  const { compressors, parquetMetadataAsync, parquetScan, parquetSchema } = await import("./decoders.ts");
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
