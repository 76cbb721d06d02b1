import { isUtf8 } from "node:buffer";
import { DataIssues } from "./data-issues.ts";
import { fileChunks } from "./file-chunks.ts";

/** Bytes that one line may have. */
const LONGEST_LINE = 1 << 28;

/** Lines that follow one another, without their line ends. */
export interface LineBatch {
  /** Number of the first one, counted from 1. */
  readonly first: number;
  readonly lines: readonly string[];
}

/**
 * The lines of a UTF-8 file, plain or gzip, in batches; a byte order mark is dropped, CR LF counts as LF.
 * @throws AnchorEvalError `invalid_data` naming the line that is not UTF-8
 */
export async function* textLines(path: string): AsyncGenerator<LineBatch, void, undefined> {
  const issues = new DataIssues(path);
  let first = 1;
  let open: Uint8Array[] = [];
  let openBytes = 0;
  const batch = (pieces: readonly Uint8Array[]): LineBatch => {
    const lines = decode(Buffer.concat(pieces), first, issues);
    const result = { first, lines };
    first += lines.length;
    return result;
  };
  for await (const chunk of fileChunks(path)) {
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

function decode(bytes: Buffer, first: number, issues: DataIssues): string[] {
  let begin = 0;
  if (first === 1) {
    if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
      issues.fail({ row: 1 }, "not_utf8", "the text is UTF-16; files are UTF-8");
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) begin = 3;
  }
  if (!isUtf8(bytes)) issues.fail({ row: first + badLine(bytes) }, "not_utf8", "the text is not UTF-8");
  const text = bytes.toString("utf8", begin);
  const lines = text.split("\n");
  if (text.includes("\r"))
    for (let i = 0; i < lines.length; i++) if (lines[i]!.endsWith("\r")) lines[i] = lines[i]!.slice(0, -1);
  return lines;
}

/** Index of the first line that is not UTF-8. */
function badLine(bytes: Buffer): number {
  for (let line = 0, begin = 0; ; line++) {
    const end = bytes.indexOf(0x0a, begin);
    if (end < 0 || !isUtf8(bytes.subarray(begin, end))) return line;
    begin = end + 1;
  }
}
