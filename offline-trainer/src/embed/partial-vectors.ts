import { appendFile, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/core";
import type { SentenceVectors } from "./sentence-encoder.ts";

/** Vectors that an encoding has so far, in the order in which it makes them. */
export interface PartialVectors {
  readonly file: string;
  /** What an earlier run left; null without one of the same texts and encoder. */
  readonly found: SentenceVectors | null;
  /** An earlier run left vectors of other texts or by another encoder; they go with the first of this run. */
  readonly stale: boolean;
  /** Keeps the rows from `begin` on, in place of those that an earlier run left there. */
  keep(rows: SentenceVectors, begin: number): Promise<void>;
  remove(): Promise<void>;
}

/** A first line of JSON, of {@link HEADER_BYTES} bytes with its spaces, then float32 rows. */
interface Header {
  readonly key: string;
  readonly width: number;
}
const HEADER_BYTES = 128;

/**
 * Opens the file beside a result that holds what an encoding has so far, so that one that was stopped goes on from it. It
 * is made with the first rows; a last row that was cut off counts for nothing.
 * @param file - what the result is written to; the rows go to `FILE.partial`
 * @param key - hexadecimal digest of all that the vectors depend on
 * @throws AnchorEvalError `unavailable` where the file can't be read or, later, written
 */
export async function openPartialVectors(file: string, key: string): Promise<PartialVectors> {
  const path = `${file}.partial`;
  const bytes = await readBytes(path);
  const header = bytes && headerOf(bytes);
  const found = header?.key === key ? rowsOf(bytes!, header.width) : null;
  let made = found !== null;
  return {
    file: path,
    found,
    stale: bytes !== null && found === null,
    async keep({ width, values }, begin) {
      try {
        if (!made)
          await writeFile(path, JSON.stringify({ key, width } satisfies Header).padEnd(HEADER_BYTES - 1) + "\n");
        else await truncate(path, HEADER_BYTES + 4 * width * begin);
        made = true;
        await appendFile(path, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      } catch (cause) {
        throw new AnchorEvalError("unavailable", `${path} could not be written: ${(cause as Error).message}`, {
          cause,
        });
      }
    },
    remove: () => rm(path, { force: true }),
  };
}

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new AnchorEvalError("unavailable", `${path} could not be read: ${(cause as Error).message}`, { cause });
  }
}

function headerOf(bytes: Buffer): Header | null {
  try {
    return JSON.parse(bytes.subarray(0, HEADER_BYTES).toString()) as Header;
  } catch {
    return null;
  }
}

function rowsOf(bytes: Buffer, width: number): SentenceVectors {
  const whole = Math.floor((bytes.length - HEADER_BYTES) / (4 * width));
  const rows = new Uint8Array(bytes.subarray(HEADER_BYTES, HEADER_BYTES + 4 * width * whole)); // aligned to 4 bytes
  return { width, values: new Float32Array(rows.buffer) };
}
