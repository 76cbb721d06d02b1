import {
  TERM_KINDS,
  termHash,
  textCoordinates,
  textRow,
  type RandomSource,
  type TextProjection,
} from "anchoreval/core";
import { principalAxes } from "./principal-axes.ts";
import { sparseRows } from "./sparse-rows.ts";
import { learnTerms } from "./tfidf.ts";

/** Terms that a bundle keeps, and coordinates of a text: 8192 × 64 numbers are 2.1 MB. */
export const PROJECTION = { terms: 8192, width: 64 } as const;

/**
 * Learns how texts become a few coordinates: the terms that stand in most texts, by their hashes, and the leading principal
 * axes of the texts' rows over them. Coordinates aren't centred; a scenario centres its own.
 * @returns float32, as a bundle keeps it
 */
export function learnProjection(
  texts: readonly string[],
  { terms, width }: { readonly terms: number; readonly width: number },
  random: RandomSource,
): TextProjection {
  const known = TERM_KINDS.flatMap((termsOf, kind) => {
    const { columns, idf } = learnTerms(texts.map(termsOf));
    return Array.from(columns, ([term, column]) => ({ hash: termHash(kind, term), idf: idf[column]! }));
  });
  // The smallest inverse document frequency is that of the term in most texts; of two terms with one hash that one stays.
  const byHash = new Map<number, number>();
  for (const { hash, idf } of known.sort((x, y) => x.idf - y.idf || x.hash - y.hash))
    if (byHash.size < terms && !byHash.has(hash)) byHash.set(hash, idf);
  const sorted = [...byHash].sort(([x], [y]) => x - y);
  const dictionary = {
    hashes: Uint32Array.from(sorted, ([hash]) => hash),
    idf: Float32Array.from(sorted, ([, idf]) => idf),
  };
  const rows = texts.map((text) => {
    const { columns, values } = textRow(text, dictionary);
    return columns.map((column, k): [number, number] => [column, values[k]!]).sort(([x], [y]) => x - y);
  });
  const { axes } = principalAxes(sparseRows(rows, sorted.length), width, random);
  return { ...dictionary, axes: Float32Array.from(axes) };
}

/** Coordinates of texts, count×C row-major; zeros for a text without a known term. */
export function projectedTexts(texts: readonly string[], projection: TextProjection): Float64Array {
  const width = projection.axes.length / projection.hashes.length;
  const coordinates = new Float64Array(texts.length * width);
  texts.forEach((text, i) => {
    const own = textCoordinates(text, projection);
    if (own) coordinates.set(own, i * width);
  });
  return coordinates;
}
