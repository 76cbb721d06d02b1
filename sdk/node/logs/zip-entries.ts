import * as zlib from "node:zlib";
import { AnchorEvalError } from "../../core/errors.ts";
import type { FormatReaders } from "./log-files.ts";
import { openBytes, type RandomAccess } from "../read-file.ts";

/** An archive's files, by name, each read when it is asked for. */
export interface ZipArchive {
  readonly names: readonly string[];
  /** @throws AnchorEvalError `invalid_data` where it is damaged, `unsupported` for another compression */
  read(name: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

interface Entry {
  readonly method: number;
  readonly begin: number;
  readonly packed: number;
  readonly size: number;
  readonly crc: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
/** Longest file of an archive that is unpacked: text of this length still fits into a string. @unit bytes */
const LONGEST_ENTRY = 1 << 28;
/** Size of the end record with the longest comment. */
const LONGEST_END = 22 + 0xffff;

/**
 * Opens a zip archive by its central directory: stored, deflated, and zstd; up to 2^53 bytes, nothing encrypted.
 * @throws AnchorEvalError `not_found`, `unavailable`; `invalid_data` for what is no archive, or a broken one
 * @see PKWARE, APPNOTE.TXT, .ZIP File Format Specification
 */
export async function openZip(path: string, unzstd?: FormatReaders["unzstd"]): Promise<ZipArchive> {
  const file = await openBytes(path);
  try {
    const entries = await readDirectory(file, path);
    return {
      names: [...entries.keys()],
      read: (name) => readEntry(file, path, name, entries.get(name)!, unzstd),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error instanceof RangeError ? damaged(path, "its directory is broken", error) : error; // it points outside of itself
  }
}

async function readDirectory(file: RandomAccess, path: string): Promise<Map<string, Entry>> {
  const size = file.byteLength;
  const tail = await piece(file, Math.max(0, size - LONGEST_END), Math.min(size, LONGEST_END));
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end--;
  if (end < 0) throw damaged(path, "it is no zip archive, or cut short");
  let [count, length, begin] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ];
  if (begin === 0xffffffff || count === 0xffff) {
    const locator = end - 20;
    const at = locator >= 0 ? Number(tail.getBigUint64(locator + 8, true)) : NaN;
    const record = Number.isSafeInteger(at) ? await piece(file, at, 56) : null;
    if (record?.getUint32(0, true) !== END_64) throw damaged(path, "its directory can't be found");
    const figure = (offset: number): number => Number(record.getBigUint64(offset, true));
    [count, length, begin] = [figure(32), figure(40), figure(48)];
  }
  const directory = await piece(file, begin, length);
  const entries = new Map<string, Entry>();
  for (let at = 0, k = 0; k < count; k++) {
    if (at + 46 > length || directory.getUint32(at, true) !== CENTRAL) throw damaged(path, "its directory is broken");
    const figure = (offset: number): number => directory.getUint16(at + offset, true);
    const [name, extra, comment] = [figure(28), figure(30), figure(32)];
    const bytes = new Uint8Array(directory.buffer, directory.byteOffset + at + 46, name);
    entries.set(new TextDecoder().decode(bytes), {
      method: figure(10),
      crc: directory.getUint32(at + 16, true),
      ...sizes(directory, at, name, extra),
    });
    at += 46 + name + extra + comment;
  }
  return entries;
}

/** Sizes and place of an entry, those of 64 bits from its extra field. */
function sizes(directory: DataView, at: number, name: number, extra: number): Pick<Entry, "size" | "packed" | "begin"> {
  const offsets = { size: 24, packed: 20, begin: 42 };
  const values = Object.fromEntries(
    Object.entries(offsets).map(([field, offset]) => [field, directory.getUint32(at + offset, true)]),
  ) as Record<keyof typeof offsets, number>;
  for (
    let field = at + 46 + name;
    field + 4 <= at + 46 + name + extra;
    field += 4 + directory.getUint16(field + 2, true)
  ) {
    if (directory.getUint16(field, true) !== 1) continue;
    let from = field + 4;
    for (const key of ["size", "packed", "begin"] as const) {
      if (values[key] !== 0xffffffff) continue;
      values[key] = Number(directory.getBigUint64(from, true));
      from += 8;
    }
  }
  return values;
}

async function readEntry(
  file: RandomAccess,
  path: string,
  name: string,
  { method, begin, packed, size, crc }: Entry,
  unzstd: FormatReaders["unzstd"],
): Promise<Uint8Array> {
  if (size > LONGEST_ENTRY || packed > LONGEST_ENTRY)
    throw damaged(path, `${name} has ${size} bytes unpacked, more than the ${LONGEST_ENTRY} that are read`);
  const header = await piece(file, begin, 30);
  if (header.getUint32(0, true) !== LOCAL) throw damaged(path, `${name} isn't where the directory says`);
  const from = begin + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const view = await piece(file, from, packed);
  const bytes = new Uint8Array(view.buffer, view.byteOffset, packed);
  let content: Uint8Array;
  try {
    content = unpacked(bytes, { method, size }, unzstd);
  } catch (cause) {
    if (cause instanceof AnchorEvalError) throw new AnchorEvalError(cause.code, `${path}: ${cause.message}`, { cause });
    throw damaged(path, `${name} can't be unpacked`, cause);
  }
  if (content.length !== size || zlib.crc32(content) !== crc) throw damaged(path, `${name} isn't what was packed`);
  return content;
}

/** Unpacks no more than the directory says that there is. */
function unpacked(
  bytes: Uint8Array,
  { method, size }: Pick<Entry, "method" | "size">,
  unzstd: FormatReaders["unzstd"],
): Uint8Array {
  const most = { maxOutputLength: Math.max(1, size) };
  if (method === 0) return bytes;
  if (method === 8) return zlib.inflateRawSync(bytes, most);
  if (method !== 93) throw new AnchorEvalError("unsupported", `it is compressed by zip's method ${method}`);
  const zstd = (zlib as { zstdDecompressSync?: (bytes: Uint8Array, bounds: typeof most) => Uint8Array })
    .zstdDecompressSync;
  if (zstd) return zstd(bytes, most);
  if (unzstd) return unzstd(bytes, new Uint8Array(size));
  throw new AnchorEvalError(
    "unsupported",
    "it is compressed by zstd, which Node reads from 22.15 on: read it by that, by `unzstd`, or as JSON (inspect log convert)",
  );
}

async function piece(file: RandomAccess, begin: number, length: number): Promise<DataView> {
  return new DataView(await file.read(begin, begin + length));
}

function damaged(path: string, message: string, cause?: unknown): AnchorEvalError {
  return new AnchorEvalError("invalid_data", `${path}: ${message}`, {
    cause,
    issues: [{ path: [path], code: "damaged", message }],
  });
}
