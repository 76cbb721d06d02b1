import type { AnchorFactors } from "./types.ts";

/** The factors of some rows. */
export function anchorFactors({ rank, mean, loadings, noise, total }: AnchorFactors, rows: Uint32Array): AnchorFactors {
  const own = new Float32Array(rows.length * rank);
  rows.forEach((row, j) => own.set(loadings.subarray(row * rank, (row + 1) * rank), j * rank));
  return {
    rank,
    mean: Float32Array.from(rows, (row) => mean[row]!),
    loadings: own,
    noise: Float32Array.from(rows, (row) => noise[row]!),
    total,
  };
}
