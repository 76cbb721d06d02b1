import { DataIssues } from "./data-issues.ts";

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
