import type { ItemBank } from "../irt/item-bank.ts";
import { cholesky, choleskyInverse, choleskySolve, choleskySolveAt } from "../numeric/dense.ts";
import { dampedNewton } from "../numeric/optimise.ts";
import {
  abilityEstimate,
  type AbilityEstimate,
  abilityPosterior,
  type AbilityPosterior,
  type ScoredItems,
} from "./map.ts";
import type { HigherOrderPrior } from "./prior.ts";

/** One scenario's part of abilities that are pooled. */
export interface AbilityBlock {
  readonly bank: ItemBank;
  readonly answers: ScoredItems;
  readonly prior: HigherOrderPrior;
  /** θ that the search begins from, its own mode for instance. @default the prior mean */
  readonly start?: Float64Array;
}

/**
 * Maximum a posteriori abilities of several scenarios at once: θ_s = μ_s + L_s·g + ε_s with general abilities
 * g ~ N(0, k²I) that all scenarios share and specific ones ε_s ~ N(0, k²Ψ_s). What a model answers in one moves its
 * ability in the others. Damped Newton on g and all θ; the second derivative is an arrow, so the cost grows with the
 * number of scenarios, not with its cube.
 * @param blocks - one a scenario, with the same number of general abilities and the same scale
 * @returns one ability a scenario, in their order; the covariances are the posterior's marginal ones
 * @throws AnchorEvalError `numeric_failure` where parameters or scores are no numbers
 * @see de la Torre & Song (2009), Applied Psychological Measurement 33, 620–639 (higher-order IRT);
 * Yao & Boughton (2007), Applied Psychological Measurement 31, 83–105
 */
export function higherOrderAbilities(blocks: readonly AbilityBlock[]): AbilityEstimate[] {
  const { general, generalPrecision } = blocks[0]!.prior;
  const parts: Part[] = [];
  let size = general;
  for (const { bank, answers, prior } of blocks) {
    const posterior = abilityPosterior(bank, answers, prior.precision);
    const { dims } = bank;
    parts.push({
      ...couplings(prior),
      begin: size,
      posterior,
      prior,
      mean: new Float64Array(dims),
      factor: new Float64Array(),
      inner: new Float64Array(dims),
      border: new Float64Array(general * dims),
    });
    size += dims;
  }
  const at = new Float64Array(size);
  parts.forEach(({ begin, prior }, b) => at.set(blocks[b]!.start ?? prior.mean, begin));

  const place = (point: Float64Array, { begin, posterior, prior, mean }: Part): Float64Array => {
    for (let r = 0; r < mean.length; r++) {
      mean[r] = prior.mean[r]!;
      for (let k = 0; k < general; k++) mean[r] = mean[r]! + prior.loadings[r * general + k]! * point[k]!;
    }
    return point.subarray(begin, begin + posterior.dims);
  };
  const value = (point: Float64Array): number => {
    let sum = 0;
    for (let k = 0; k < general; k++) sum -= 0.5 * generalPrecision * point[k]! ** 2;
    for (const part of parts) sum += part.posterior.value(place(point, part), part.mean);
    return sum;
  };

  const looked: { last: Arrow | null } = { last: null };
  const { status, iterations } = dampedNewton(at, {
    name: "the abilities' posterior",
    value,
    // With asymptotes the observed curvature of all blocks together need not be definite, though each one's is.
    step: (point) => (looked.last = arrow(point, "observed") ?? arrow(point, "expected"))?.step() ?? null,
  });
  // The search ended there, and mostly by looking at it.
  const { covariance } =
    looked.last?.expected && looked.last.point.every((coordinate, k) => coordinate === at[k])
      ? looked.last
      : arrow(at, "expected")!;
  return parts.map((part) => ({ ...abilityEstimate(place(at, part).slice(), covariance(part)), status, iterations }));

  /** The second derivative at a point, bordered: H_gg, H_sg = −P_s·L_s, H_ss, solved by the Schur complement of g. */
  function arrow(point: Float64Array, curvature: "expected" | "observed"): Arrow | null {
    const complement = new Float64Array(general * general);
    const gradient = new Float64Array(size);
    for (let k = 0; k < general; k++) {
      complement[k * general + k] = generalPrecision;
      gradient[k] = -generalPrecision * point[k]!;
    }
    const reduced = gradient.slice(0, general);
    let expected = true;
    for (const part of parts) {
      const { begin, posterior, pulled, mean, inner, border } = part;
      const { dims } = posterior;
      const theta = place(point, part);
      const expansion = posterior.expand(theta, mean);
      if (expansion === null) return null;
      const factor = expansion[curvature];
      expected &&= factor === expansion.expected;
      gradient.set(expansion.gradient, begin);
      part.factor = factor;
      inner.set(expansion.gradient);
      choleskySolveAt(factor, dims, inner, 0);
      border.set(pulled);
      for (let k = 0; k < general; k++) {
        const column = k * dims;
        choleskySolveAt(factor, dims, border, column);
        let pull = 0;
        let moved = 0;
        for (let r = 0; r < dims; r++) {
          pull += pulled[column + r]! * (theta[r]! - mean[r]!);
          moved += pulled[column + r]! * inner[r]!;
        }
        gradient[k] = gradient[k]! + pull;
        reduced[k] = reduced[k]! + pull + moved;
      }
      for (let r = 0; r < general; r++)
        for (let c = 0; c <= r; c++) {
          let sum = part.expected[r * general + c]!;
          for (let d = 0; d < dims; d++) sum -= pulled[r * dims + d]! * border[c * dims + d]!;
          complement[r * general + c] = complement[r * general + c]! + sum;
        }
    }
    const factor = cholesky(complement, general);
    if (factor === null) return null;
    let inverse: Float64Array | null = null;
    return {
      point: point.slice(),
      expected,
      step: () => {
        const step = new Float64Array(size);
        const first = choleskySolve(factor, general, reduced);
        step.set(first);
        for (const { begin, inner, border } of parts)
          for (let d = 0; d < inner.length; d++) {
            let value = inner[d]!;
            for (let k = 0; k < general; k++) value += border[k * inner.length + d]! * first[k]!;
            step[begin + d] = value;
          }
        let decrement = 0;
        for (let k = 0; k < size; k++) decrement += step[k]! * gradient[k]!;
        return { step, decrement };
      },
      covariance: ({ factor: within, border, posterior: { dims } }) => {
        const covariance = choleskyInverse(within, dims);
        inverse ??= choleskyInverse(factor, general);
        for (let r = 0; r < dims; r++)
          for (let j = 0; j < general; j++)
            for (let k = 0; k < general; k++) {
              const weight = border[j * dims + r]! * inverse[j * general + k]!;
              for (let c = 0; c < dims; c++)
                covariance[r * dims + c] = covariance[r * dims + c]! + weight * border[k * dims + c]!;
            }
        return covariance;
      },
    };
  }
}

/** The second derivative at a point, solved; the next one writes over it. */
interface Arrow {
  readonly point: Float64Array;
  /** Its curvature is the expected one, whichever was asked for. */
  readonly expected: boolean;
  readonly step: () => { step: Float64Array; decrement: number };
  readonly covariance: (part: Part) => Float64Array;
}

interface Part {
  /** Where its θ begins among the unknowns. */
  readonly begin: number;
  readonly posterior: AbilityPosterior;
  readonly prior: HigherOrderPrior;
  /** μ + L·g at the point looked at last. */
  readonly mean: Float64Array;
  /** P·L, by column (G×D). */
  readonly pulled: Float64Array;
  /** LᵀP·L (G×G). */
  readonly expected: Float64Array;
  /** At the point looked at last, H_ss = FFᵀ: F, */
  factor: Float64Array;
  /** its solution for the gradient, */
  readonly inner: Float64Array;
  /** and for P·L, by column (G×D). */
  readonly border: Float64Array;
}

/** P·L and LᵀP·L of a block. */
function couplings({ precision, loadings, general }: HigherOrderPrior): Pick<Part, "pulled" | "expected"> {
  const dims = loadings.length / general;
  const pulled = new Float64Array(general * dims);
  for (let k = 0; k < general; k++)
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++)
        pulled[k * dims + r] = pulled[k * dims + r]! + precision[r * dims + c]! * loadings[c * general + k]!;
  const expected = new Float64Array(general * general);
  for (let j = 0; j < general; j++)
    for (let k = 0; k < general; k++)
      for (let r = 0; r < dims; r++)
        expected[j * general + k] = expected[j * general + k]! + loadings[r * general + j]! * pulled[k * dims + r]!;
  return { pulled, expected };
}
