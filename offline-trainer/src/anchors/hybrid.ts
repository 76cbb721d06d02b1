import { cholesky } from "anchoreval/internal/core/numeric/dense";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { pivotalSample } from "anchoreval/internal/core/numeric/sampling";
import { curveFeatures, type CurveFeatures } from "./curve-features.ts";
import { byAccuracy, type AnchorMethod } from "./anchor-method.ts";
import { drawNested, type NestedLevel, nestedLevels, sampledAnchors, shares } from "./nested-samples.ts";
import { bestProposal } from "./screened.ts";

/**
 * Proposals simulated for the inclusion probabilities of a fold's forms, in all sizes together: about 75 forms of sizes
 * 10, 30, 50 and 100. Rejection tilts π so little that more move no measured error (docs/decisions/anchors.md).
 */
const FOLD_PROPOSALS = 10_000;

/** The same of a bundle's forms: 2 s for 1000 items, once for each scenario. */
const FINAL_PROPOSALS = 100_000;

/**
 * `hybrid`: random among the stratified draws that are balanced ({@link balanceGap}) on the response model's curves up
 * to a bound fixed beforehand. Inclusion probabilities are those of the whole procedure, simulated and shrunk toward
 * the proposals' own, and nested as the proposals are.
 */
export const hybrid: AnchorMethod = {
  name: "hybrid",
  source: { module: import.meta.url, name: "hybrid" },
  drawn: true,
  estimator: "gate",
  prepare: ({ weights, accuracy, bank, abilities, sizes, random, final }) => {
    const features = curveFeatures(bank, abilities);
    const levels = nestedLevels(weights, sizes).map((level) => ({
      ...level,
      criterion: balanceGap(features, weights, level.inclusion),
    }));
    const design = fixBounds(levels, byAccuracy(accuracy), random.fork("pilot"));
    const proposalsPerForm = design.levels.reduce((sum, { share }) => sum + 1 / share, 0);
    const samples = Math.max(2, Math.ceil((final ? FINAL_PROPOSALS : FOLD_PROPOSALS) / proposalsPerForm));
    const hits = levels.map(() => new Float64Array(weights.length));
    const simulation = random.fork("simulation");
    for (let k = 0; k < samples; k++)
      drawRejective(design, () => simulation).forEach((items, level) => {
        for (const i of items) hits[level]![i]! += 1;
      });
    const stated = levels.map(({ size, inclusion }, k) => {
      return { size, inclusion: simulatedInclusion(hits[k]!, samples, inclusion) };
    });
    return {
      draw: (stream) => {
        const drawn = drawRejective(design, (name) => stream.fork(name));
        return sampledAnchors(stated, drawn, weights);
      },
    };
  },
};

/** Share of the proposals that meet the bound, where samples are neither tiny nor nearly everything. */
const ACCEPTANCE = 0.03;

/** Proposals a level that the bound is read off. */
const PILOT_PROPOSALS = 500;

/**
 * Proposals after which the best one seen is taken: of a share of .03 all miss the bound once in ten thousand times.
 * Pools without a good sample in them are more frequent.
 */
const MOST_PROPOSALS = 300;

/**
 * Share of the forms that are taken as they are first proposed. An item that would spoil the balance of any small sample
 * keeps this share of its probability: without a chance for every item nothing is unbiased.
 */
const UNJUDGED = 0.1;

/** Squared score below which a difference is the rounding of sums. */
const ROUNDING = 1e-18;

/** One size of nested samples and what its samples are judged by. */
export interface RejectiveLevel extends NestedLevel {
  /** The smaller the better. */
  readonly criterion: (sample: ArrayLike<number>) => number;
}

/**
 * Share of the proposals that a level accepts. Of one drawn item (or one left out) all are good, of two every second: a
 * strict bound would leave items no chance.
 * @param outer - size of the samples that it is drawn from
 */
export function acceptedShare({ size, inclusion }: NestedLevel, outer: number): number {
  const certain = inclusion.filter((own) => own >= 1 - 1e-9).length;
  return Math.max(ACCEPTANCE, 1 / Math.max(1, Math.min(size - certain, outer - size)));
}

/**
 * Fixes the bounds that nested samples must meet, before any form is drawn, from proposals of a stream of its own: at each
 * level a quantile of the criterion over proposals from samples of the next larger level that met theirs.
 * @param levels - largest size first; π those of the proposals @param order - all items as samples list them
 */
export function fixBounds(levels: readonly RejectiveLevel[], order: readonly number[], random: RandomSource) {
  let pools: readonly (readonly number[])[] = [order];
  let outer: NestedLevel | null = null;
  const bounded = levels.map((level) => {
    const { inclusion, criterion } = level;
    const chances = pools.map((pool) => shares(pool, inclusion, outer?.inclusion ?? null));
    const proposals = Array.from({ length: PILOT_PROPOSALS }, (_, k) => {
      const pool = pools[k % pools.length]!;
      const sample = pivotalSample(chances[k % pools.length]!, random).map((position) => pool[position]!);
      return { sample, value: criterion(sample) };
    });
    const share = acceptedShare(level, outer?.size ?? order.length);
    const ranked = Float64Array.from(proposals, ({ value }) => value).sort();
    const bound = ranked[Math.ceil(share * PILOT_PROPOSALS) - 1]! * (1 + 1e-9) + ROUNDING;
    pools = proposals.filter(({ value }) => value <= bound).map(({ sample }) => sample);
    outer = level;
    return { ...level, bound, /** Of the proposals that meet it, about. */ share };
  });
  return { levels: bounded, order };
}

/**
 * Draws nested samples by rejection: at each level the first of the proposals that meets the bound, the best one where
 * {@link MOST_PROPOSALS} don't; one form in ten isn't judged at all. A proposal is a pivotal sample from the next
 * larger sample.
 * @param stream - the streams by name: `judged`, and `size N` for the proposals of a size
 * @returns items of each level, in order
 * @see Fuller (2009), Biometrika 96, 933–944; Hájek (1964), Annals of Mathematical Statistics 35, 1491–1523
 */
export function drawRejective(
  { levels, order }: ReturnType<typeof fixBounds>,
  stream: (name: string) => RandomSource,
): number[][] {
  const judged = stream("judged").next() >= UNJUDGED;
  return drawNested(levels, order, (probabilities, { size, criterion, bound }, pool) => {
    const random = stream(`size ${size}`);
    if (!judged) return pivotalSample(probabilities, random);
    return bestProposal(pool, probabilities, random, criterion, MOST_PROPOSALS, bound);
  });
}

/**
 * Inclusion probabilities from counts, shrunk toward what they would be without rejection. With n·hits of R simulated
 * samples binomial given π_i, and π_i − π0_i of variance τ²(π0_i(1−π0_i))² over the items (a tilt of the log-odds with
 * variance τ²), τ² is what the counts scatter beyond binomial noise (moments), and π_i its posterior mean, linear in
 * the counts (empirical Bayes). Few or poor simulations give π0, many give the counts' own shares.
 * @param hits - how many of the samples hold item i
 * @param samples - R ≥ 2
 * @param proposed - π0 in (0,1], summing to the sample's size
 * @returns π in (0,1], with the sum of π0; 1 where π0 is
 * @see Efron & Morris (1973), JASA 68, 117–130
 */
export function simulatedInclusion(hits: ArrayLike<number>, samples: number, proposed: Float64Array): Float64Array {
  const tilt = tiltVariance(hits, samples, proposed);
  const shrunk = proposed.map((own, i) => {
    const spread = own * (1 - own);
    if (!(spread > 0)) return own;
    const weight = (tilt * spread) / (tilt * spread + 1 / samples);
    return own + weight * (hits[i]! / samples - own);
  });
  return toSum(shrunk, proposed);
}

/** τ²: mean of what the squared deviations exceed their binomial variance by, in units of (π0(1−π0))². */
export function tiltVariance(hits: ArrayLike<number>, samples: number, proposed: Float64Array): number {
  let excess = 0;
  let unit = 0;
  proposed.forEach((own, i) => {
    const spread = own * (1 - own);
    excess += (hits[i]! - samples * own) ** 2 - samples * spread;
    unit += samples * (samples - 1) * spread ** 2;
  });
  return unit > 0 ? Math.max(0, excess / unit) : 0;
}

/** Scales the open ones to the sum that the proposals have; none exceeds 1. */
function toSum(values: Float64Array, proposed: Float64Array): Float64Array {
  const out = values.slice();
  const open = Array.from(out.keys()).filter((i) => proposed[i]! < 1);
  let left = open.reduce((sum, i) => sum + proposed[i]!, 0);
  for (let rest = open; rest.length > 0;) {
    const factor = left / rest.reduce((sum, i) => sum + out[i]!, 0);
    const full = rest.filter((i) => factor * out[i]! >= 1);
    if (full.length === 0) {
      for (const i of rest) out[i]! *= factor;
      break;
    }
    for (const i of full) out[i] = 1;
    left -= full.length;
    rest = rest.filter((i) => out[i]! < 1);
  }
  return out;
}

/**
 * How far a sample is from balance: δᵀCδ with δ = Σ_A (w/π)z / Σ_A (w/π) − Σ w·z, what the corrected mean
 * Σ w·p̂ + Σ_A (w/π)(y − p̂) / Σ_A (w/π) makes of an error in f, and C = (I + Σ π·zzᵀ/d)⁻¹, how well a sample of this
 * size knows f on average. It is the part of that estimator's variance that the choice of the sample can do away with.
 * It favours no item: a sample that misses to one side counts as one that misses to the other, so that rejection by it
 * hardly changes π.
 * @param weights - item weights w, summing to 1
 * @param inclusion - π of the proposals
 * @returns a function of a sample's items, in squared score; it doesn't allocate
 * @see Fuller (2009), Biometrika 96, 933–944; Deville & Tillé (2004), Biometrika 91, 893–912
 */
export function balanceGap(
  { count, width, loadings, noise }: CurveFeatures,
  weights: Float64Array,
  inclusion: Float64Array,
): (sample: ArrayLike<number>) => number {
  // With C = L⁻ᵀL⁻¹ the gap is the squared length of L⁻¹δ: that of the loadings L⁻¹z.
  const factor = cholesky(expectedPrecision(), width)!; // at least I: positive definite
  const placed = loadings.slice();
  const target = new Float64Array(width);
  for (let i = 0; i < count; i++) {
    const at = i * width;
    for (let r = 0; r < width; r++) {
      let value = placed[at + r]!;
      for (let c = 0; c < r; c++) value -= factor[r * width + c]! * placed[at + c]!;
      placed[at + r] = value / factor[r * width + r]!;
      target[r]! += weights[i]! * placed[at + r]!;
    }
  }
  const mass = weights.map((weight, i) => weight / inclusion[i]!);
  const sum = new Float64Array(width);
  return (sample) => {
    sum.fill(0);
    let total = 0;
    for (let j = 0; j < sample.length; j++) {
      const own = mass[sample[j]!]!;
      const at = sample[j]! * width;
      total += own;
      for (let k = 0; k < width; k++) sum[k]! += own * placed[at + k]!;
    }
    let gap = 0;
    for (let k = 0; k < width; k++) gap += (sum[k]! / total - target[k]!) ** 2;
    return gap;
  };

  /** I + Σ π·zzᵀ/d; only its lower triangle is filled. */
  function expectedPrecision(): Float64Array {
    const precision = new Float64Array(width * width);
    for (let r = 0; r < width; r++) precision[r * width + r] = 1;
    for (let i = 0; i < count; i++)
      for (let r = 0; r < width; r++) {
        const scaled = (inclusion[i]! / noise[i]!) * loadings[i * width + r]!;
        for (let c = 0; c <= r; c++) precision[r * width + c]! += scaled * loadings[i * width + c]!;
      }
    return precision;
  }
}
