import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { ItemInfo } from "../../matrix/response-matrix.ts";
import { ownPlaces, principalAxes } from "../../numeric/principal-axes.ts";
import { textFeatures } from "../../numeric/text-features.ts";
import type { Points } from "../kmeans/clusters.ts";

/** Axes of a scenario's space of texts: more hold words of single items. */
const AXES = 16;

/**
 * Items of one scenario as points, similar texts near each other: coordinates on the principal axes of TF-IDF of words and
 * characters, 0 on axes beyond the scenario's rank.
 * @returns null where an item has no text
 */
export function itemPoints(items: readonly ItemInfo[], random: RandomSource): Points | null {
  const texts = items.map(({ text }) => text ?? "");
  if (!texts.every((text) => text.trim())) return null;
  const axes = principalAxes(textFeatures(texts, []).train, AXES, random);
  const places = ownPlaces(axes);
  const values = new Float64Array(items.length * AXES);
  for (let i = 0; i < items.length; i++) values.set(places.subarray(i * axes.rank, (i + 1) * axes.rank), i * AXES);
  return { count: items.length, dims: AXES, values };
}
