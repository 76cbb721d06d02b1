import { cholesky, choleskyInverse } from "anchoreval/core";
import { symmetricEigen } from "../numeric/eigen.ts";
import { chiSquareTail } from "./chi-square.ts";
import type { FittedAnswers } from "./fitted-answers.ts";
import type { ItemAtFit } from "./item-at-fit.ts";

/** A χ² test of one item's curve. */
export interface ItemFitTest {
  readonly statistic: number;
  readonly degrees: number;
  readonly p: number;
}

/** Groups of models at most. */
const GROUPS = 10;
/** Right and wrong answers that are expected of a group at least: of fewer, a sum isn't near enough to normal. */
const LEAST_EXPECTED = 3;
/** A direction in which the item's own parameters leave less than this share of the variance is no evidence. */
const LEAST_SHARE = 0.1;
/** Added to the information, so that it has an inverse where a model decides a parameter by itself. */
const RIDGE = 1e-3;

/**
 * Residual χ² of an item over groups of models by predicted probability: a score test of a shift of the logit in each
 * group. With C_g = Σ_g PQ·x and the information I, x = (θ, −1), the groups' sums of residuals y − P are
 * r_g = Σ_g (y − P) − C_g·I⁻¹·Σ_m (y − P)·x, and S = rᵀ·V⁻·r with V = diag(Σ_g PQ·(1−h)) − C·I⁻¹·Cᵀ.
 *
 * The second term of r makes it Neyman's C(α): parameters that the prior has drawn aside don't count against the item.
 * h, the leverage of a model's abilities, is what they have taken from the residual. Degrees of freedom are the
 * directions that the item's parameters leave free, usually groups − 2.
 * @returns null where fewer than three groups can be formed
 * @see Hosmer & Lemeshow (1980), Communications in Statistics A9, 1043–1069; Neyman (1959), C(α) tests;
 *   Glas (1999), Psychometrika 64, 273–294
 */
export function residualGroupsTest({ calibration }: FittedAnswers, at: ItemAtFit): ItemFitTest | null {
  const { theta, dims } = calibration;
  const { signs, p, leverage, information } = at;
  const groups = groupByProbability(at);
  const count = groups.length;
  if (count < 3) return null;
  const size = dims + 1;
  const residual = new Float64Array(count);
  const variance = new Float64Array(count);
  const cross = new Float64Array(count * size);
  const slope = new Float64Array(size);
  groups.forEach((members, g) => {
    for (const m of members) {
      const weight = p[m]! * (1 - p[m]!);
      const r = (signs[m]! > 0 ? 1 : 0) - p[m]!;
      residual[g]! += r;
      variance[g]! += weight * (1 - leverage[m]!);
      for (let d = 0; d < dims; d++) {
        cross[g * size + d]! += weight * theta[m * dims + d]!;
        slope[d]! += r * theta[m * dims + d]!;
      }
      cross[g * size + dims]! -= weight;
      slope[dims]! -= r;
    }
  });
  const ridged = information.map((value, k) => (k % (size + 1) === 0 ? value + RIDGE : value));
  const inverse = choleskyInverse(cholesky(ridged, size)!, size);
  // Scaled so that a group whose residuals nothing has touched has variance 1.
  const scale = variance.map((own) => 1 / Math.sqrt(own));
  const covariance = new Float64Array(count * count);
  for (let g = 0; g < count; g++) {
    const taken = new Float64Array(size);
    for (let r = 0; r < size; r++)
      for (let c = 0; c < size; c++) taken[c]! += cross[g * size + r]! * inverse[r * size + c]!;
    for (let c = 0; c < size; c++) residual[g]! -= taken[c]! * slope[c]!;
    for (let h = 0; h < count; h++) {
      let product = 0;
      for (let c = 0; c < size; c++) product += taken[c]! * cross[h * size + c]!;
      covariance[g * count + h] = (g === h ? 1 : 0) - scale[g]! * scale[h]! * product;
    }
  }
  const { values, vectors } = symmetricEigen(covariance, count);
  let statistic = 0;
  let degrees = 0;
  values.forEach((share, k) => {
    if (share < LEAST_SHARE) return;
    let along = 0;
    for (let g = 0; g < count; g++) along += vectors[k * count + g]! * scale[g]! * residual[g]!;
    statistic += along ** 2 / share;
    degrees++;
  });
  return degrees === 0 ? null : { statistic, degrees, p: chiSquareTail(statistic, degrees) };
}

/** Models that answered, by rising probability, in groups of equal size, neighbours joined until each expects enough. */
function groupByProbability({ signs, p }: ItemAtFit): number[][] {
  const order = Array.from(signs.keys()).filter((m) => signs[m] !== 0);
  order.sort((x, y) => p[x]! - p[y]! || x - y);
  const groups: number[][] = [];
  let open: number[] = [];
  let right = 0;
  order.forEach((m, rank) => {
    open.push(m);
    right += p[m]!;
    const ends = Math.floor(((rank + 1) * GROUPS) / order.length) > Math.floor((rank * GROUPS) / order.length);
    if (!ends || Math.min(right, open.length - right) < LEAST_EXPECTED) return;
    groups.push(open);
    open = [];
    right = 0;
  });
  groups.at(-1)?.push(...open);
  return groups;
}
