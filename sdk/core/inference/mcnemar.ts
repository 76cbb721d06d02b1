/**
 * Two-sided mid-p McNemar test of two models' answers to the same items: p = 2·P(X < k) + P(X = k), X binomial with
 * b + c trials at ½ and k = min(b, c). Exact but for the half of P(X = k), which takes back what makes the exact test
 * too cautious. Where scores lie between 0 and 1 too, it is the sign test of which one is higher.
 * @param b - items on which one model's score is the higher, whole, at least 0
 * @param c - items on which the other's is
 * @returns a p-value in (0,1]; 1 where b = c
 * @see Fagerland, Lydersen & Laake (2013), BMC Medical Research Methodology 13, 91
 * @example midPMcNemar(1, 5) // ≈ 0.125
 */
export function midPMcNemar(b: number, c: number): number {
  const n = b + c;
  const least = Math.min(b, c);
  if (b === c) return 1;
  let log = -n * Math.LN2;
  for (let k = 1; k <= least; k++) log += Math.log((n - k + 1) / k);
  // P(X = k−1)/P(X = k) = k/(n−k+1) < 1 below the middle.
  let ratio = 1;
  let below = 0;
  for (let k = least; k > 0 && ratio > 1e-18 * below; k--) {
    ratio *= k / (n - k + 1);
    below += ratio;
  }
  return Math.min(1, Math.exp(log) * (2 * below + 1));
}
