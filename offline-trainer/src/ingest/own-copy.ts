const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A string of its own: a part of a line would keep the whole chunk of the file in memory. */
export function ownCopy(text: string): string {
  return decoder.decode(encoder.encode(text));
}
