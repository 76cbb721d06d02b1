import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { openBytes } from "anchoreval/internal/node/read-file";
import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import type { AsyncBuffer } from "hyparquet";
import { LONG_COLUMNS, noteUnread, putScore } from "./long-table.ts";
import { RepeatedScores, TRIAL_COLUMN, type ScoreTable } from "./score-table.ts";

type Column = ArrayLike<unknown>;

/**
 * Reads columns of a Parquet file as it holds them, a row group in memory at a time; rows are counted from 0.
 * @throws AnchorEvalError `invalid_data` where it can't be read; `not_found`
 */
async function* rowGroups(path: string, choose: (names: readonly string[]) => readonly string[]) {
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
    const names = choose(parquetSchema(metadata).children.map(({ element }) => element.name));
    const scan = await readable(() => parquetScan({ file: buffer, metadata, columns: [...names], compressors }));
    for (const range of scan.ranges) {
      const columns: Column[] = [];
      for (const column of names) columns.push(await readable(() => scan.readColumn({ column, ...range })));
      yield { first: range.rowStart, rows: range.rowEnd - range.rowStart, columns };
    }
  } finally {
    await file.close();
  }
}

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
): AsyncGenerator<Readonly<Record<string, unknown>>, void> {
  let chosen: readonly string[] = [];
  const choose = (names: readonly string[]): readonly string[] => {
    chosen = typeof asked === "function" ? asked(names) : asked;
    const absent = chosen.filter((name) => !names.includes(name));
    if (absent.length > 0)
      throw new AnchorEvalError(
        "invalid_data",
        `${path}: it has no column ${absent.join(", ")}, but ${firstFew(names)}`,
        { issues: absent.map((name) => ({ path: [path, name], code: "missing", message: `no column ${name}` })) },
      );
    return chosen;
  };
  for await (const { rows, columns } of rowGroups(path, choose))
    for (let row = 0; row < rows; row++)
      yield Object.fromEntries(chosen.map((name, k) => [name, plain(columns[k]![row])]));
}

/** Whole numbers come as bigint: as numbers where those hold them, else as text. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || value instanceof Date || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}

/** By its ending: other tables are text. */
export function isParquet(path: string): boolean {
  return /\.(parquet|pq)$/i.test(path);
}

/**
 * Reads the long form from Parquet, a row group at a time: `model` and `item_id` are text, `score` numbers or booleans,
 * null where there is none; a column `trial` tells trials apart. Others are ignored.
 * @throws AnchorEvalError `invalid_data` for a file that can't be read, or has other columns; `not_found`
 */
export async function readParquetTable(path: string, table: ScoreTable, remarks: string[]): Promise<void> {
  const choose = (names: readonly string[]): readonly string[] => {
    const absent = LONG_COLUMNS.filter((name) => !names.includes(name));
    const needed = `a Parquet table has the columns ${LONG_COLUMNS.join(",")}, a row a score`;
    if (absent.length > 0)
      table.issues.fail({}, "wrong_header", `${needed}; there is no ${absent.join(", no ")}, but ${firstFew(names)}`);
    const columns = [...LONG_COLUMNS, ...(names.includes(TRIAL_COLUMN) ? [TRIAL_COLUMN] : [])];
    if (columns.length > LONG_COLUMNS.length) table.repeats = new RepeatedScores(table);
    noteUnread(names, columns, remarks);
    return columns;
  };
  for await (const { first, rows, columns } of rowGroups(path, choose)) {
    const [models, items, scores, trials] = columns as [Column, Column, Column, Column?];
    for (let k = 0; k < rows; k++) {
      const row = first + k + 1;
      const idOf = (value: unknown, column: string): string | null =>
        typeof value === "string"
          ? value
          : table.idOf(typeof value === "bigint" ? Number(value) : (value ?? null), row, column, quoted(column));
      const model = idOf(models[k], "model");
      const item = idOf(items[k], "item_id");
      const score = table.reader.fromJson(plain(scores[k] ?? null));
      if (model !== null && item !== null) putScore({ row, model, item, score, trial: plain(trials?.[k]) }, table);
    }
  }
}
