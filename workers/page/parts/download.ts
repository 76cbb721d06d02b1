import { element } from "../dom.ts";

/** Lets the reader keep a file. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
