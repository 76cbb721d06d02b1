/** Columns of a sparse row, ascending, with their values. */
export interface SparseRow {
  readonly columns: readonly number[];
  readonly values: readonly number[];
}

/**
 * A text's row (1 + ln f)·idf over known terms, f the term's count in the text, of length 1; empty where none is known.
 * @param columns - of the text's known terms, as often as they stand there
 * @see Salton & Buckley (1988), Information Processing & Management 24, 513–523
 */
export function tfidfRow(columns: readonly number[], idf: ArrayLike<number>): SparseRow {
  const sorted = Uint32Array.from(columns).sort();
  const kept: number[] = [];
  const weights: number[] = [];
  let squares = 0;
  for (let begin = 0, end = 0; begin < sorted.length; begin = end) {
    const column = sorted[begin]!;
    while (end < sorted.length && sorted[end] === column) end++;
    const weight = (1 + Math.log(end - begin)) * idf[column]!;
    kept.push(column);
    weights.push(weight);
    squares += weight ** 2;
  }
  const length = Math.sqrt(squares);
  return { columns: kept, values: weights.map((weight) => weight / length) };
}
