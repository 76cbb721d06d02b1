import {
  AnchorEvalError,
  TERM_KINDS,
  termHash,
  textCoordinates,
  textRow,
  type RandomSource,
  type TextProjection,
} from "anchoreval/core";
import { principalAxes } from "../numeric/principal-axes.ts";
import { sparseRows } from "../numeric/sparse-rows.ts";
import { FEWEST_TEXTS, inverseFrequency } from "./tfidf.ts";

/** Terms that a bundle keeps, and coordinates of a text: 8192 × 64 numbers are 2.1 MB. */
export const PROJECTION = { terms: 8192, width: 64 } as const;

/**
 * Learns how texts become a few coordinates: the terms that stand in most texts, by their hashes, and the leading principal
 * axes of the texts' rows over them. Coordinates aren't centred; a scenario centres its own.
 * @returns float32, as a bundle keeps it
 * @throws AnchorEvalError `invalid_data` for texts that don't tell items apart
 */
export function learnProjection(
  texts: readonly string[],
  { terms, width }: { readonly terms: number; readonly width: number },
  random: RandomSource,
): TextProjection {
  // Text by text: all terms of a leaderboard's items at once would fill gigabytes.
  const counts = new Map<number, number>();
  for (const text of texts) {
    const own = new Set(TERM_KINDS.flatMap((termsOf, kind) => termsOf(text).map((term) => termHash(kind, term))));
    for (const hash of own) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  }
  const kept = [...counts]
    .filter(([, count]) => count >= FEWEST_TEXTS)
    .sort(([x, often], [y, seldom]) => seldom - often || x - y)
    .slice(0, terms)
    .sort(([x], [y]) => x - y);
  const dictionary = {
    hashes: Uint32Array.from(kept, ([hash]) => hash),
    idf: Float32Array.from(kept, ([, count]) => inverseFrequency(texts.length, count)),
  };
  const rows = texts.map((text) => {
    const { columns, values } = textRow(text, dictionary);
    return columns.map((column, k): [number, number] => [column, values[k]!]).sort(([x], [y]) => x - y);
  });
  const { axes, rank } = principalAxes(sparseRows(rows, kept.length), width, random);
  if (rank === 0)
    throw new AnchorEvalError(
      "invalid_data",
      "the answered items' texts have no term in common, or are all the same: there is nothing to compare items by",
    );
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
