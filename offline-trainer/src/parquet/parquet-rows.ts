import { AnchorEvalError } from "anchoreval/core";
import { firstFew, openBytes } from "anchoreval/node";
import type { AsyncBuffer } from "hyparquet";

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
