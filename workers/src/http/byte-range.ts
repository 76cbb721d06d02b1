import type { ByteRange } from "anchoreval/bundle";

/**
 * The one byte range that a Range header asks of a file (RFC 9110, §14).
 * @returns null where the whole file is to be sent: no header, another unit, several ranges, not understood
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { begin: size - length, end: size };
  }
  const begin = Number(first);
  if (last !== "" && Number(last) < begin) return null;
  if (begin >= size) return "unsatisfiable";
  return { begin, end: last === "" ? size : Math.min(Number(last) + 1, size) };
}
