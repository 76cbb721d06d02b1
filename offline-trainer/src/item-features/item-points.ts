import type { RandomSource } from "anchoreval/core";
import type { Points } from "../clustering/nearest-centroids.ts";
import { embeddedRows, type Embeddings } from "../ingest/embeddings-file.ts";
import { textFeatures } from "../spectral/text-features.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import { principalAxes } from "../spectral/principal-axes.ts";
import type { SparseRows } from "../spectral/sparse-rows.ts";

/** Axes of a space of items. */
const AXES = 16;

/**
 * Places of items on their scenario's leading axes: of their embeddings, else of TF-IDF of words and characters. An axis
 * that a scenario hasn't is 0 there.
 */
export function itemPoints(items: readonly ItemInfo[], embeddings: Embeddings | null, random: RandomSource): Points {
  const values = new Float64Array(items.length * AXES);
  const scenarios = new Map<string, number[]>();
  items.forEach(({ scenario }, i) => {
    const members = scenarios.get(scenario);
    if (members) members.push(i);
    else scenarios.set(scenario, [i]);
  });
  for (const [scenario, members] of scenarios) {
    const own = members.map((i) => items[i]!);
    const { rank, left, singular } = principalAxes(rowsOf(own, embeddings), AXES, random.fork(scenario));
    members.forEach((i, at) => {
      for (let k = 0; k < rank; k++) values[i * AXES + k] = left[at * rank + k]! * singular[k]!;
    });
  }
  return { count: items.length, dims: AXES, values };
}

function rowsOf(items: readonly ItemInfo[], embeddings: Embeddings | null): SparseRows {
  if (embeddings)
    return embeddedRows(
      embeddings,
      items.map(({ item_id: id }) => id),
    );
  const texts = items.map(({ text }) => text!);
  return textFeatures(texts, []).train;
}
