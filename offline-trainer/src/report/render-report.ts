import type { FitResult } from "../fit/fit-bundle.ts";
import { closingWords } from "../fit/closing-words.ts";

/** report.html of a fit: one self-contained page. */
export function renderReport({ content }: FitResult): Uint8Array {
  closingWords;
  return new TextEncoder().encode(`<!doctype html><meta charset="utf-8"><title>${content.manifest.benchmark}</title>`);
}
