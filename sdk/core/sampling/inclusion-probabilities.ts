/**
 * Inclusion probabilities proportional to weight, π_i = min(1, c·w_i), with c such that they sum to n.
 * @param weights - positive item weights
 * @param n - sample size, at most the number of items
 * @see Särndal, Swensson & Wretman (1992), §3.6
 */
export function inclusionProbabilities(weights: Float64Array, n: number): Float64Array {
  const out = new Float64Array(weights.length);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  if ((n * heaviest) / sum < 1 - 1e-12) return weights.map((weight) => (n * weight) / sum); // none is certain
  const order = Array.from({ length: weights.length }, (_, i) => i).sort((x, y) => weights[y]! - weights[x]! || x - y);
  let open = sum;
  let left = n;
  let rank = 0;
  // The heaviest are certain as long as their share would exceed one.
  for (; rank < order.length && left > 0 && (left * weights[order[rank]!]!) / open >= 1 - 1e-12; rank++) {
    out[order[rank]!] = 1;
    open -= weights[order[rank]!]!;
    left--;
  }
  for (; rank < order.length; rank++) out[order[rank]!] = (left * weights[order[rank]!]!) / open;
  return out;
}
