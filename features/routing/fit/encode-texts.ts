import { appendFile, rm, truncate, writeFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { readFound } from "anchoreval/internal/node/whole-file";
import { whyNot } from "anchoreval/internal/node/write-file";
import { ownPlaces, principalAxes } from "../../../offline-trainer/src/numeric/principal-axes.ts";
import type { TextVectors } from "./embeddings-file.ts";
import { denseRows, unitRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";
import { textFeatures } from "../../../offline-trainer/src/numeric/text-features.ts";
import type { SentenceEncoder, SentenceVectors, TextTokens } from "./sentence-encoder.ts";

const BATCH = 32;
/** Most tokens of a batch: attention grows with the square of a text's length. */
const BATCH_TOKENS = 4096;

/**
 * Vectors of texts by an encoder, in batches of texts with equally many tokens, short ones first: none is padded, so that
 * no vector depends on the length of another text.
 * @param partial - stores each batch; whole batches stored by an earlier run aren't encoded again
 * @param onProgress - called after each batch with the number of texts done
 * @throws AnchorEvalError `aborted`
 */
export async function encodeTexts(
  texts: readonly TextTokens[],
  encoder: SentenceEncoder,
  options: {
    readonly partial?: PartialVectors;
    readonly signal?: AbortSignal;
    readonly onProgress?: (done: number) => void;
  } = {},
): Promise<TextVectors> {
  const { partial, signal, onProgress } = options;
  const earlier = partial?.found;
  const lengthOf = (i: number): number => texts[i]!.ids.length;
  const order = Array.from(texts.keys()).sort((x, y) => lengthOf(x) - lengthOf(y) || x - y);
  let rows: SentenceVectors | null = null;
  for (let begin = 0; begin < order.length;) {
    const length = lengthOf(order[begin]!);
    const most = begin + Math.max(1, Math.min(BATCH, Math.floor(BATCH_TOKENS / length)));
    let end = begin + 1;
    while (end < Math.min(most, order.length) && lengthOf(order[end]!) === length) end++;
    const batch = order.slice(begin, end);
    const isEncoded = earlier && earlier.values.length >= end * earlier.width;
    if (!isEncoded && signal?.aborted) {
      const kept =
        partial && begin > 0
          ? `${begin} texts are kept in ${partial.file}, and the same command goes on from there`
          : "nothing was written";
      throw new AnchorEvalError("aborted", `the encoding was stopped; ${kept}`);
    }
    const { width, values } = isEncoded
      ? { ...earlier, values: earlier.values.subarray(begin * earlier.width, end * earlier.width) }
      : await encoder.encode(batch.map((i) => texts[i]!.ids));
    if (!isEncoded) await partial?.keep({ width, values }, begin);
    rows ??= { width, values: new Float32Array(texts.length * width) };
    for (const [k, i] of batch.entries()) rows.values.set(values.subarray(k * width, (k + 1) * width), i * width);
    begin = end;
    onProgress?.(end);
  }
  return { count: texts.length, width: rows!.width, values: rows!.values };
}

/** The vectors of an encoding so far, in the order in which it makes them. */
export interface PartialVectors {
  readonly file: string;
  /** Vectors stored by an earlier run; null without one of the same texts and encoder. */
  readonly found: SentenceVectors | null;
  /** An earlier run stored vectors of other texts or by another encoder; the first of this run replace them. */
  readonly stale: boolean;
  /** Stores rows from `begin` on, replacing those of an earlier run. */
  keep(rows: SentenceVectors, begin: number): Promise<void>;
  remove(): Promise<void>;
}

/** A first line of JSON, of {@link HEADER_BYTES} bytes with its spaces, then float32 rows. */
interface Header {
  readonly key: string;
  readonly width: number;
}
const HEADER_BYTES = 128;
/** Vectors of two million texts, 512 numbers each. @unit bytes */
const MOST_VECTOR_BYTES = 2 ** 32;

/**
 * Opens the file beside a result that stores an encoding so far, so that a stopped one can continue from it. It is created
 * with the first rows; a truncated last row is ignored.
 * @param file - the result's file; the rows go to `FILE.partial`
 * @param key - hexadecimal digest of all that the vectors depend on
 * @throws AnchorEvalError `unavailable` where the file can't be read or, later, written
 */
export async function openPartialVectors(file: string, key: string): Promise<PartialVectors> {
  const path = `${file}.partial`;
  const bytes = await readBytes(path);
  const header = bytes && headerOf(bytes);
  const earlier = header?.key === key ? rowsOf(bytes!, header.width) : null;
  let made = earlier !== null;
  return {
    file: path,
    found: earlier,
    stale: bytes !== null && earlier === null,
    async keep({ width, values }, begin) {
      try {
        if (!made)
          await writeFile(path, JSON.stringify({ key, width } satisfies Header).padEnd(HEADER_BYTES - 1) + "\n");
        else await truncate(path, HEADER_BYTES + 4 * width * begin);
        made = true;
        await appendFile(path, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      } catch (cause) {
        throw new AnchorEvalError("unavailable", `${path} could not be written: ${whyNot(cause)}`, { cause });
      }
    },
    remove: () => rm(path, { force: true }),
  };
}

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    return await readFound(path, MOST_VECTOR_BYTES);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new AnchorEvalError("unavailable", `${path} could not be read: ${whyNot(cause)}`, { cause });
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

/**
 * Vectors of texts without an encoder: TF-IDF of words and characters on its leading principal axes, U·diag(s), each row
 * scaled to length 1. Terms and axes are learned from all of these texts.
 * @param dims - most axes; there are never more than the texts less one
 * @see Deerwester et al. (1990), Journal of the American Society for Information Science 41, 391–407
 */
export function termVectors(texts: readonly string[], dims: number, random: RandomSource): TextVectors {
  const axes = principalAxes(textFeatures(texts, []).train, dims, random);
  const { values } = unitRows(denseRows(ownPlaces(axes), texts.length, axes.rank));
  return { count: texts.length, width: axes.rank, values: Float32Array.from(values) };
}
