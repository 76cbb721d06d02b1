import type { RandomSource } from "anchoreval/core";
import { principalAxes } from "../numeric/principal-axes.ts";
import { denseRows, unitRows } from "../numeric/sparse-rows.ts";
import { textFeatures } from "../cold-start/text-features.ts";
import type { TextVectors } from "./text-vectors.ts";

/**
 * Vectors of texts without an encoder: TF-IDF of words and characters on its leading principal axes, U·diag(s), each row
 * brought to length 1. Terms and axes are learned from these texts, all of them.
 * @param dims - axes at most; never more than the texts less one
 * @see Deerwester et al. (1990), Journal of the American Society for Information Science 41, 391–407
 */
export function termVectors(texts: readonly string[], dims: number, random: RandomSource): TextVectors {
  const { rank, singular, left } = principalAxes(textFeatures(texts, []).train, dims, random);
  const along = left.map((own, at) => own * singular[at % rank]!);
  const { values } = unitRows(denseRows(along, texts.length, rank));
  return { count: texts.length, width: rank, values: Float32Array.from(values) };
}
