import { constants, createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { AnchorEvalError } from "../core/errors.ts";

/** Longest text that is held whole: a string has no room for more (V8). @unit bytes */
export const LONGEST_TEXT = 1 << 29;

/**
 * The bytes of a file that somebody names: a pipe or a device too, which may have no end.
 * @param most - @unit bytes
 * @throws AnchorEvalError `invalid_data` for a longer one; Node's own errors
 */
export async function readNamed(path: string, most: number): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of createReadStream(path, { highWaterMark: 1 << 16, end: most })) {
    parts.push(part as Buffer);
    length += (part as Buffer).length;
  }
  if (length > most) throw tooLong(path, `more than ${most}`, most);
  return Buffer.concat(parts);
}

/** Opens a file that was found without waiting for it: a pipe in its place has nobody who writes to it. */
export function openFound(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK); // undefined on Windows: as 0
}

/**
 * The bytes of a file that was found: what else a folder may have, such as a pipe that nobody writes to, is refused.
 * @param most - @unit bytes
 * @throws AnchorEvalError `unavailable` for what is no file, `invalid_data` for a longer one; Node's own errors
 */
export async function readFound(path: string, most: number): Promise<Buffer<ArrayBuffer>> {
  const file = await openFound(path);
  try {
    const stats = await file.stat();
    if (!stats.isFile() && !stats.isDirectory()) throw new AnchorEvalError("unavailable", `${path} isn't a file`);
    if (stats.size > most && stats.isFile()) throw tooLong(path, String(stats.size), most);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function tooLong(path: string, length: string, most: number): AnchorEvalError {
  return new AnchorEvalError("invalid_data", `${path}: it has ${length} bytes, at most ${most} are read`, {
    issues: [{ path: [path], code: "too_long", message: `at most ${most} bytes are read` }],
  });
}
