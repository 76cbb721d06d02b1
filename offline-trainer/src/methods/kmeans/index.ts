import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { hardFirst, type AnchorInput, type AnchorMethod, type ChosenAnchors } from "../../anchors/anchor-method.ts";
import { clusterPoints, type Points } from "./clusters.ts";

/**
 * `irt-kmeans`: clusters of items in the space of their parameters (a_1…a_D, b); the anchor is the item nearest to the
 * centroid, its mass the cluster's weight.
 * @see Maia Polo et al. (2024), tinyBenchmarks
 */
export const irtKmeans: AnchorMethod = {
  name: "irt-kmeans",
  source: { module: import.meta.url, name: "irtKmeans" },
  drawn: false,
  estimator: "gp-irt",
  prepare: (input) => {
    const { count, dims, a, b } = input.bank;
    const values = Float64Array.from({ length: count * (dims + 1) }, (_, at) => {
      const [i, d] = [Math.floor(at / (dims + 1)), at % (dims + 1)];
      return d < dims ? a[i * dims + d]! : b[i]!;
    });
    return { draw: (random) => kmeansAnchors({ count, dims: dims + 1, values }, input, random) };
  },
};

/** `correctness-kmeans`: the same in the space of the source models' answers. */
export const correctnessKmeans: AnchorMethod = {
  name: "correctness-kmeans",
  source: { module: import.meta.url, name: "correctnessKmeans" },
  drawn: false,
  estimator: "gp-irt",
  prepare: (input) => {
    const count = input.weights.length;
    const dims = input.column(0).length;
    const values = new Float64Array(count * dims);
    for (let i = 0; i < count; i++) values.set(input.column(i), i * dims);
    return { draw: (random) => kmeansAnchors({ count, dims, values }, input, random) };
  },
};

/** Each size has clusters of its own, so the sizes aren't nested. No item is the anchor of two clusters. */
function kmeansAnchors(
  points: Points,
  { weights, accuracy, sizes }: Pick<AnchorInput, "weights" | "accuracy" | "sizes">,
  random: RandomSource,
): ChosenAnchors {
  const sorted = hardFirst(accuracy);
  const sets = new Map<number, AnchorSet>();
  for (const size of sizes) {
    const { labels, centroids } = clusterPoints(points, weights, size, random.fork(`size ${size}`));
    const mass = new Float64Array(size);
    labels.forEach((label, i) => (mass[label]! += weights[i]!));
    const chosen = new Map<number, number>();
    for (let c = 0; c < size; c++) {
      if (!(mass[c]! > 0)) continue; // duplicates of one point can leave a cluster empty
      let best = -1;
      let least = Infinity;
      for (let i = 0; i < points.count; i++) {
        if (chosen.has(i)) continue;
        let square = 0;
        for (let d = 0; d < points.dims && square < least; d++)
          square += (points.values[i * points.dims + d]! - centroids[c * points.dims + d]!) ** 2;
        if (square < least) [least, best] = [square, i];
      }
      chosen.set(best, mass[c]!);
    }
    const items = Uint32Array.from(sorted(chosen.keys()));
    sets.set(size, { items, inclusion: null, mass: Float64Array.from(items, (item) => chosen.get(item)!) });
  }
  return { sets, nested: false };
}
