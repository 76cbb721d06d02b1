import { DataIssues } from "./data-issues.ts";

/** Longest line: a million answers of a model, or the names of a million items. @unit bytes */
const LONGEST_LINE = 1 << 26;
/** Longest table that is held whole, of one row an item: that of a million items. @unit bytes */
const LONGEST_TABLE = 1 << 26;
/** Most rows of it: four trials of each. */
const MOST_ROWS = 1 << 22;

/** Protocol of Python's pickles up to which there are any; the second begins with its number. */
const NEWEST_PICKLE = 5;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The lines of UTF-8 text, in batches; a byte order mark is dropped, CR LF counts as LF.
 * @param name - how messages call the file
 * @throws AnchorEvalError `invalid_data` naming the line that is not UTF-8
 */
export async function* chunkLines(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<LineBatch, void, undefined> {
  const issues = new DataIssues(name);
  let first = 1;
  let open: Uint8Array[] = [];
  let openBytes = 0;
  const batch = (pieces: readonly Uint8Array[]): LineBatch => {
    const lines = decode(joined(pieces), first, issues);
    const result = { first, lines };
    first += lines.length;
    return result;
  };
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(0x0a);
    if (end >= 0) {
      yield batch([...open, chunk.subarray(0, end)]);
      open = [];
      openBytes = 0;
    }
    const rest = chunk.subarray(end + 1);
    open.push(rest);
    openBytes += rest.length;
    if (openBytes > LONGEST_LINE)
      issues.fail({ row: first }, "line_too_long", `a line has at most ${LONGEST_LINE / 2 ** 20} MiB`);
  }
  if (openBytes > 0) yield batch(open);
}

/**
 * All lines of a table of items, in the batches that {@link chunkLines} makes.
 * @throws AnchorEvalError `invalid_data` as that; for one that is too long to be held, too
 */
export async function allLines(name: string, chunks: AsyncIterable<Uint8Array>): Promise<LineBatch[]> {
  const batches: LineBatch[] = [];
  let [bytes, rows] = [0, 0];
  const tooLong = (what: string): never =>
    new DataIssues(name).fail({}, "too_long", `a table of one row an item has at most ${what} here, unpacked`);
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > LONGEST_TABLE) tooLong(`${LONGEST_TABLE / 2 ** 20} MiB`);
      yield chunk;
    }
  }
  for await (const batch of chunkLines(name, counted())) {
    rows += batch.lines.length;
    if (rows > MOST_ROWS) tooLong(`${MOST_ROWS} rows`);
    batches.push(batch);
  }
  return batches;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let begin = 0;
  for (const piece of pieces) {
    bytes.set(piece, begin);
    begin += piece.length;
  }
  return bytes;
}

function decode(bytes: Uint8Array, first: number, issues: DataIssues): string[] {
  let begin = 0;
  if (first === 1) {
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
      issues.fail({ row: 1 }, "not_utf8", "the text is UTF-16; files are UTF-8");
    if (bytes[0] === 0x80 && bytes[1]! >= 2 && bytes[1]! <= NEWEST_PICKLE)
      issues.fail(
        {},
        "unsupported_format",
        `this is a Python pickle, which runs code where it is read; a table of it is written by: import pandas as pd; pd.read_pickle(${JSON.stringify(issues.file)}).to_csv("table.csv")`,
      );
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) begin = 3;
  }
  const text = textOf(bytes.subarray(begin));
  if (text === null) issues.fail({ row: first + badLine(bytes) }, "not_utf8", "the text is not UTF-8");
  const lines = text.split("\n");
  if (text.includes("\r"))
    for (let i = 0; i < lines.length; i++) if (lines[i]!.endsWith("\r")) lines[i] = lines[i]!.slice(0, -1);
  return lines;
}

/** Null where the bytes are not UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** Index of the first line that is not UTF-8. */
function badLine(bytes: Uint8Array): number {
  for (let line = 0, begin = 0; ; line++) {
    const end = bytes.indexOf(0x0a, begin);
    if (end < 0 || textOf(bytes.subarray(begin, end)) === null) return line;
    begin = end + 1;
  }
}

/** Lines that follow one another, without their line ends. */
export interface LineBatch {
  /** Number of the first one, counted from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

/** First bytes by which a file's format is told. */
export const HEAD_BYTES = 8;

/** Formats that are told by their first bytes and not read. */
const REFUSED: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ["a Parquet file", [0x50, 0x41, 0x52, 0x31]],
  ["a zip archive", [0x50, 0x4b, 0x03, 0x04]],
  ["compressed with zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["compressed with xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
  ["compressed with bzip2", [0x42, 0x5a, 0x68]],
];

/**
 * Whether a file is packed by gzip, by its first bytes.
 * @throws AnchorEvalError `invalid_data` for a format that is not read as a table
 */
export function isGzip(head: Uint8Array, name: string): boolean {
  if (startsWith(head, [0x1f, 0x8b])) return true;
  const refused = REFUSED.find(([, magic]) => startsWith(head, magic));
  if (refused)
    new DataIssues(name).fail(
      {},
      "unsupported_format",
      `the file is ${refused[0]}: CSV and JSON lines are read, plain or gzip`,
    );
  return false;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/**
 * The bytes of a file that a page was given, in pieces, unpacked where its first bytes say gzip.
 * @param name - how messages call the file
 * @throws AnchorEvalError `invalid_data` for a format that is not read, or gzip that is damaged
 */
export async function* blobChunks(name: string, blob: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = isGzip(new Uint8Array(await blob.slice(0, HEAD_BYTES).arrayBuffer()), name);
  const stream = packed ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob.stream();
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch {
    new DataIssues(name).fail(
      {},
      "unreadable",
      packed ? "the gzip data are damaged, or cut short" : "the file could not be read: has it changed since?",
    );
  } finally {
    reader.releaseLock();
  }
}
