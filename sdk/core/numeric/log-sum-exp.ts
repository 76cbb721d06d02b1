/**
 * log Σ eˣ without overflow or underflow.
 * @returns −∞ for no terms.
 * @example logSumExp([0, 0]) // ≈ 0.693147
 */
export function logSumExp(values: ArrayLike<number>): number {
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) max = Math.max(max, values[i]!);
  if (max === -Infinity || Number.isNaN(max)) return max;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i]! - max);
  return max + Math.log(sum);
}
