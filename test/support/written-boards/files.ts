import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import type { Style } from "./board.ts";

const BOM = "\uFEFF";

/** Writes a file of bytes; makes its folder. @returns its path */
export function put(folder: string, name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** JSON in one of the ways in which programs write it. */
export function jsonText(value: unknown, style: Style): string {
  const text = JSON.stringify(
    style.is("keys in another order") ? reordered(value, style) : value,
    null,
    style.is("indented JSON") ? 2 : undefined,
  );
  const escaped = style.is("escaped characters")
    ? text.replace(/[^\u0020-\u007e\n]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : text;
  return (style.is("a byte order mark") ? BOM : "") + escaped;
}

/** Lines in one of the ways in which programs write them, plain or in gzip members. */
export function lineBytes(lines: readonly string[], style: Style): Uint8Array {
  const end = style.is("CRLF") ? "\r\n" : "\n";
  const spaced = style.is("empty lines") ? lines.flatMap((line) => [line, ""]) : lines;
  const text = spaced.join(end) + (style.is("no last line end") ? "" : end);
  const bytes = Buffer.from((style.is("a byte order mark") ? BOM : "") + text);
  return style.is("gzip") ? gzipMembers(bytes, style) : bytes;
}

function gzipMembers(bytes: Uint8Array, style: Style): Uint8Array {
  if (!style.is("several gzip members")) return gzipSync(bytes);
  const middle = style.random.below(bytes.length + 1);
  return Buffer.concat([gzipSync(bytes.subarray(0, middle)), gzipSync(bytes.subarray(middle))]);
}

function reordered(value: unknown, style: Style): unknown {
  if (Array.isArray(value)) return value.map((entry) => reordered(entry, style));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, reordered(entry, style)] as const);
  return Object.fromEntries(style.random.shuffle(entries));
}

/** An instant in one of the ways in which ISO 8601 has it. */
export function isoDate(time: number, style: Style): string {
  if (!style.is("another time zone")) return new Date(time).toISOString().replace("Z", "+00:00");
  const minutes = style.pick([-480, -210, 60, 330, 765]);
  const local = new Date(time + 60_000 * minutes).toISOString().slice(0, 19);
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${local}${minutes < 0 ? "-" : "+"}${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** The name of a file by an instant: `2026-03-01T12-00-00.000000`. */
export function fileDate(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replaceAll(":", "-") + ".000000";
}

/** A zip archive of some files, stored or deflated. */
export function zipOf(files: Readonly<Record<string, string>>, style: Style): Uint8Array {
  const [local, central]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const method = style.is("deflated entries") ? 8 : 0;
    const packed = method === 8 ? deflateRawSync(content) : content;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(1 << 11, 2); // names in UTF-8
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    local.push(Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed);
    central.push(Buffer.from("PK\x01\x02\x14\0"), common, place, Buffer.from(name));
    offset += 4 + 26 + Buffer.byteLength(name) + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  const count = Object.keys(files).length;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from("PK\x05\x06"), end]);
}
