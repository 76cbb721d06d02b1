import type { AbilityScore } from "../score-maps/mapped-answers.ts";
import type { ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemInformation } from "anchoreval/internal/core/irt/response";

/** Where items' information is looked at: at the source models' abilities, or on an even grid between them. */
export const INFORMATION_GRIDS = ["sources", "even"] as const;
type InformationGrid = (typeof INFORMATION_GRIDS)[number];

/** How anchors are chosen by their information, and read. */
export interface AnchorDesign {
  readonly grid: InformationGrid;
  readonly binsPerAnchor: number;
  /**
   * Largest information in its bin that an item must have, in logit⁻²; what is then lacking is spread evenly over the items
   * by accuracy. Null: no item is chosen by its information.
   */
  readonly threshold: number | null;
  readonly score: AbilityScore;
}

/** Where nothing is searched. */
export const DEFAULT_DESIGN: AnchorDesign = { grid: "even", binsPerAnchor: 1, threshold: 0, score: "map" };

const EVEN_POINTS = 250;

/**
 * Largest information of every candidate in every bin of the abilities, bins×candidates row-major. A bin has as many of the
 * grid's points as every other. Abilities in several dimensions are ordered by the mean of their logits over the
 * candidates, and an even grid lies on the line between the ends.
 * @param abilities - of the source models, M×D row-major
 * @returns fewer bins where the grid has fewer points
 */
export function binnedInformation(
  bank: ItemBank,
  abilities: Float64Array,
  candidates: ArrayLike<number>,
  grid: InformationGrid,
  bins: number,
): Float64Array {
  const points = gridPoints(bank, abilities, candidates, grid);
  const used = Math.min(bins, points.length);
  const out = new Float64Array(used * candidates.length);
  points.forEach((theta, p) => {
    const begin = Math.floor((p * used) / points.length) * candidates.length;
    for (let k = 0; k < candidates.length; k++)
      out[begin + k] = Math.max(out[begin + k]!, itemInformation(theta, bank, candidates[k]!));
  });
  return out;
}

function gridPoints(
  { dims, a, b }: ItemBank,
  abilities: Float64Array,
  candidates: ArrayLike<number>,
  grid: InformationGrid,
): Float64Array[] {
  const level = (theta: Float64Array): number => {
    let sum = 0;
    for (let k = 0; k < candidates.length; k++) {
      const item = candidates[k]!;
      sum -= b[item]!;
      for (let d = 0; d < dims; d++) sum += a[item * dims + d]! * theta[d]!;
    }
    return sum;
  };
  const ordered = Array.from({ length: abilities.length / dims }, (_, m) => {
    const theta = abilities.slice(m * dims, (m + 1) * dims);
    return { theta, level: level(theta) };
  }).sort((x, y) => x.level - y.level);
  if (grid === "sources") return ordered.map(({ theta }) => theta);
  const [low, high] = [ordered[0]!.theta, ordered.at(-1)!.theta];
  return Array.from({ length: EVEN_POINTS }, (_, p) =>
    low.map((least, d) => least + (p / (EVEN_POINTS - 1)) * (high[d]! - least)),
  );
}

/**
 * Items by their information: in round after round every bin takes the one, of those that no bin has yet, with the largest
 * information in it, if that reaches the threshold. Of a round that brings too many the most informative ones stay. Ends
 * where a round brings none.
 * @param information - bins×candidates, of {@link binnedInformation}
 * @returns positions among the candidates, in the order in which they are taken
 * @see Kipnis et al. (2025), metabench, ICLR, §3
 */
export function informationItems(
  information: Float64Array,
  candidates: number,
  count: number,
  threshold: number,
): number[] {
  const bins = information.length / candidates;
  const chosen: number[] = [];
  const free = new Set(Array.from({ length: candidates }, (_, k) => k));
  for (;;) {
    const round: { readonly item: number; readonly information: number }[] = [];
    for (let bin = 0; bin < bins && free.size > 0; bin++) {
      let item = -1;
      let most = -1;
      for (const k of free) {
        const value = information[bin * candidates + k]!;
        if (value > most) [item, most] = [k, value];
      }
      if (most < threshold) continue;
      free.delete(item);
      round.push({ item, information: most });
    }
    round.sort((x, y) => y.information - x.information || x.item - y.item);
    chosen.push(...round.slice(0, count - chosen.length).map(({ item }) => item));
    if (round.length === 0 || chosen.length === count) return chosen;
  }
}
