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
