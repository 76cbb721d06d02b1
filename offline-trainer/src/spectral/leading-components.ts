import { symmetricEigen } from "./symmetric-eigen.ts";

/**
 * The leading principal components of a Gram matrix: as few as hold all but a share `leftOut` of its trace.
 * @param gram - size×size, row-major, positive semidefinite
 * @param most - components at most
 * @returns `vectors[k·size + …]` is the k-th unit eigenvector, k < rank; at least one
 * @see Jolliffe (2002), Principal Component Analysis, §6.1.1
 */
export function leadingComponents(
  gram: Float64Array,
  size: number,
  { leftOut, most }: { readonly leftOut: number; readonly most: number },
): { rank: number; vectors: Float64Array } {
  const { values, vectors } = symmetricEigen(gram, size);
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  let rank = 1;
  for (let left = total - values[0]!; left > leftOut * total && rank < Math.min(most, size); rank++)
    left -= values[rank]!;
  return { rank, vectors };
}
