import { transposed, type SparseRows } from "../numeric/sparse-rows.ts";

/** The k nearest of a pool for each of some questions, nearest first. */
export interface NearestQuestions {
  readonly k: number;
  /** Rows of the pool, k a question. */
  readonly indices: Uint32Array;
  /** Cosines of the angles to them, in [−1,1]. */
  readonly similarities: Float64Array;
}

/**
 * The k rows of a pool with the largest inner products, which are cosines of rows of length 1; of equals the first.
 * @param own - the row of the pool that each question is, which isn't its neighbour
 */
export function nearestQuestions(
  questions: SparseRows,
  pool: SparseRows,
  k: number,
  { own }: { readonly own?: ArrayLike<number> } = {},
): NearestQuestions {
  const postings = transposed(pool);
  const indices = new Uint32Array(questions.count * k);
  const similarities = new Float64Array(questions.count * k);
  const products = new Float64Array(pool.count);
  for (let q = 0; q < questions.count; q++) {
    products.fill(0);
    for (let at = questions.starts[q]!; at < questions.starts[q + 1]!; at++) {
      const column = questions.columns[at]!;
      const value = questions.values[at]!;
      for (let p = postings.starts[column]!; p < postings.starts[column + 1]!; p++)
        products[postings.columns[p]!] = products[postings.columns[p]!]! + value * postings.values[p]!;
    }
    if (own) products[own[q]!] = -Infinity;
    keepLargest(products, indices.subarray(q * k, (q + 1) * k), similarities.subarray(q * k, (q + 1) * k));
  }
  return { k, indices, similarities };
}

/** Insertion into a short list: most products are below its last. */
function keepLargest(products: Float64Array, indices: Uint32Array, largest: Float64Array): void {
  const k = indices.length;
  largest.fill(-Infinity);
  for (let p = 0; p < products.length; p++) {
    const own = products[p]!;
    if (!(own > largest[k - 1]!)) continue;
    let place = k - 1;
    for (; place > 0 && own > largest[place - 1]!; place--) {
      largest[place] = largest[place - 1]!;
      indices[place] = indices[place - 1]!;
    }
    largest[place] = own;
    indices[place] = p;
  }
}
