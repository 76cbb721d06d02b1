import { fileBound } from "anchoreval/internal/bundles/read-file";
import { readObject } from "anchoreval/internal/bundles/body";

interface Stored {
  readonly name: Uint8Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly crc: number;
  readonly begin: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** 1 January 1980, the first day of the format, so that archives don't depend on the clock. */
const DAY = 0x21;
const UTF8_NAMES = 0x800;

/**
 * Makes a ZIP archive without compression (APPNOTE 6.3, without extensions: less than 4 GiB).
 * @param folder - the files' folder in the archive
 */
export async function zip(folder: string, files: ReadonlyMap<string, Blob>): Promise<Blob> {
  const stored: Stored[] = [];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let begin = 0;
  for (const [file, blob] of files) {
    const bytes = await readObject(blob, fileBound(folder, file));
    const entry = { name: new TextEncoder().encode(`${folder}/${file}`), bytes, crc: crc32(bytes), begin };
    stored.push(entry);
    const head = header(LOCAL, entry, []);
    parts.push(head, entry.name, bytes);
    begin += head.length + entry.name.length + bytes.length;
  }
  const directory = stored.flatMap((entry) => [
    header(CENTRAL, entry, [0, 0, 0, 0, 0, entry.begin & 0xffff, entry.begin >>> 16]),
    entry.name,
  ]);
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, END, true);
  end.setUint16(8, stored.length, true);
  end.setUint16(10, stored.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, begin, true);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

/** A local header, or an entry of the directory, which has `more` 16-bit fields. */
function header(kind: number, { name, bytes, crc }: Stored, more: readonly number[]): Uint8Array<ArrayBuffer> {
  const versions = kind === CENTRAL ? [20, 20] : [20];
  const fields = [
    ...[kind & 0xffff, kind >>> 16, ...versions, UTF8_NAMES, 0, 0, DAY],
    ...[crc, bytes.length, bytes.length].flatMap((value) => [value & 0xffff, value >>> 16]),
    ...[name.length, 0, ...more],
  ];
  const view = new DataView(new ArrayBuffer(2 * fields.length));
  fields.forEach((field, k) => view.setUint16(2 * k, field, true));
  return new Uint8Array(view.buffer);
}

/** CRC-32 (ISO 3309), by a table of bytes. */
function crc32(bytes: Uint8Array): number {
  const table = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
  });
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ table[(crc ^ byte) & 0xff]!;
  return (crc ^ 0xffffffff) >>> 0;
}
