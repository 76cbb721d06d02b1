/** Media type of JSON lines, as this Worker names it. */
export const NDJSON = "application/x-ndjson";

const NAMES = /^application\/(x-ndjson|ndjson|jsonl)$/i;

/** Whether a Content-Type or an Accept header names JSON lines. */
export function isNdjson(header: string | undefined): boolean {
  return (header ?? "").split(",").some((part) => NAMES.test(part.split(";")[0]!.trim()));
}

/** The lines that hold anything but blanks: as many as `splitShards` counts. */
export function textLines(bytes: ArrayBuffer): string[] {
  const text = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
  return text.split("\n").filter((line) => /[^\t\r ]/.test(line));
}

const encoder = new TextEncoder();

/** One line. */
export function jsonLine(value: unknown): Uint8Array {
  return encoder.encode(`${JSON.stringify(value)}\n`);
}
