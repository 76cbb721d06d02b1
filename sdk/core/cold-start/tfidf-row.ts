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
export function tfidfRow(columns: Iterable<number>, idf: ArrayLike<number>): SparseRow {
  const counts = new Map<number, number>();
  for (const column of columns) counts.set(column, (counts.get(column) ?? 0) + 1);
  const row = [...counts].sort(([x], [y]) => x - y);
  const weights = row.map(([column, count]) => (1 + Math.log(count)) * idf[column]!);
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight ** 2, 0));
  return { columns: row.map(([column]) => column), values: weights.map((weight) => weight / length) };
}
