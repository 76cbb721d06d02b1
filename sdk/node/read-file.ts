import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AnchorEvalError, checkNames } from "../core/errors.ts";
import { parsePythonJson } from "../logs/json.ts";
import { chunkLines, HEAD_BYTES, isGzip, type LineBatch } from "../tables/chunk-lines.ts";
import { DataIssues } from "../tables/data-issues.ts";
import { type Answers, parseAnswers } from "../tables/parse-answers.ts";
import type { ScoreOptions } from "../tables/score-reader.ts";
import { settleFolder } from "./out-folder.ts";
import { LONGEST_TEXT, readNamed } from "./whole-file.ts";
import { whyNot } from "./write-file.ts";

const CHUNK_BYTES = 1 << 20;

/**
 * A file's bytes in pieces, unpacked where its first bytes say gzip. Pipes are read as well.
 * @throws AnchorEvalError `not_found`, `unavailable`, or `invalid_data` where gzip breaks off or is damaged
 */
export async function* fileChunks(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  await settleFolder(dirname(path));
  yield* streamChunks(path, createReadStream(path, { highWaterMark: CHUNK_BYTES }));
}

/** A stream's bytes in pieces, as {@link fileChunks}; it is destroyed when they end, or aren't wanted any more. */
export async function* streamChunks(path: string, stream: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    let head = Buffer.alloc(0);
    while (head.length < HEAD_BYTES) {
      const next = await chunks.next();
      if (next.done === true) break;
      head = Buffer.concat([head, next.value]);
    }
    const whole = resumed(head, chunks);
    if (isGzip(head, path)) {
      const unpacked = createGunzip({ chunkSize: CHUNK_BYTES });
      pipeline(Readable.from(whole, { objectMode: false }), unpacked, () => undefined);
      yield* unpacked as AsyncIterable<Buffer>;
      return;
    }
    yield* whole;
  } catch (error) {
    throw readError(path, error);
  } finally {
    stream.destroy();
  }
}

async function* resumed(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** The error for a file that can't be read: missing, a folder, damaged. */
export function readError(path: string, error: unknown): unknown {
  if (error instanceof AnchorEvalError) return error;
  const { code } = error as NodeJS.ErrnoException;
  const invalid = (message: string): AnchorEvalError =>
    new AnchorEvalError("invalid_data", `${path}: ${message}`, {
      cause: error,
      issues: [{ path: [path], code: "unreadable", message }],
    });
  if (code === "Z_BUF_ERROR") return invalid("the gzip data break off: the file is cut short");
  if (code?.startsWith("Z_")) return invalid("the gzip data are damaged");
  if (code === "EISDIR") return invalid("this is a folder, not a file");
  if (code === "ENOENT" || code === "ENOTDIR")
    return new AnchorEvalError("not_found", `${path}: there is no such file`, { cause: error });
  return new AnchorEvalError("unavailable", `${path} could not be read: ${whyNot(error)}`, { cause: error });
}

/**
 * The lines of a UTF-8 file, plain or gzip, in batches ({@link chunkLines}).
 * @throws AnchorEvalError `not_found`, `unavailable`, `invalid_data`
 */
export function textLines(path: string): AsyncGenerator<LineBatch, void, undefined> {
  return chunkLines(path, fileChunks(path));
}

/**
 * Reads one model's answers from a file, plain or gzip.
 * @throws AnchorEvalError `not_found`, `unavailable`, `invalid_data`
 * @example
 * const { answers, hashes } = await readAnswers("answers.json");
 * estimateFromAnchors(bundle, answers, { hashes });
 */
export function readAnswers(path: string, options: ScoreOptions = {}): Promise<Answers> {
  checkNames(options, { scoreRange: "list" });
  return parseAnswers(path, fileChunks(path), options);
}

/**
 * A whole file of JSON, as Python writes it.
 * @throws AnchorEvalError `not_found`, `unavailable`; `invalid_data` where it is none
 */
export async function readJsonFile(file: string): Promise<unknown> {
  let bytes: Uint8Array;
  try {
    await settleFolder(dirname(file));
    bytes = await readNamed(file, LONGEST_TEXT);
  } catch (error) {
    throw readError(file, error);
  }
  return parseJsonBytes(bytes, file);
}

/** @param name - names the text in messages */
export function parseJsonBytes(bytes: Uint8Array, name: string): unknown {
  try {
    return parsePythonJson(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new AnchorEvalError("invalid_data", `${name}: it is not valid JSON`, { cause });
  }
}

/** A file that is read in places. */
export interface RandomAccess {
  readonly byteLength: number;
  /** @param end - exclusive @throws AnchorEvalError `invalid_data` where the file ends before */
  read(begin: number, end: number): Promise<ArrayBuffer>;
  close(): Promise<void>;
}

/** @throws AnchorEvalError `not_found`, `unavailable`; `invalid_data` for a folder */
export async function openBytes(path: string): Promise<RandomAccess> {
  try {
    await settleFolder(dirname(path));
    const file = await open(path);
    const stats = await file.stat();
    if (stats.isDirectory()) {
      await file.close();
      throw Object.assign(new Error("a folder"), { code: "EISDIR" });
    }
    return {
      byteLength: stats.size,
      read: async (begin, end) => {
        if (!(end <= stats.size)) failShort(path); // before room is made for what isn't there
        const buffer = new ArrayBuffer(Math.max(0, end - begin));
        const { bytesRead } = await file.read(new Uint8Array(buffer), 0, buffer.byteLength, begin);
        return bytesRead === buffer.byteLength ? buffer : failShort(path);
      },
      close: () => file.close(),
    };
  } catch (error) {
    throw readError(path, error);
  }
}

function failShort(path: string): never {
  return new DataIssues(path).fail({}, "damaged", "the file is cut short");
}
