/** Rows of numbers that are mostly zero: row i has `values[k]` in column `columns[k]` for starts[i] ≤ k < starts[i+1]. */
export interface SparseRows {
  readonly count: number;
  readonly width: number;
  /** count + 1 of them. */
  readonly starts: Uint32Array;
  readonly columns: Uint32Array;
  readonly values: Float64Array;
}

/** Rows from lists of column and value, columns ascending. */
export function sparseRows(rows: readonly (readonly (readonly [number, number])[])[], width: number): SparseRows {
  const size = rows.reduce((sum, row) => sum + row.length, 0);
  const starts = new Uint32Array(rows.length + 1);
  const columns = new Uint32Array(size);
  const values = new Float64Array(size);
  let at = 0;
  rows.forEach((row, i) => {
    for (const [column, value] of row) {
      columns[at] = column;
      values[at++] = value;
    }
    starts[i + 1] = at;
  });
  return { count: rows.length, width, starts, columns, values };
}

/** Rows with every column written down, as vectors of a file are. @param values - row-major */
export function denseRows(values: Float64Array, count: number, width: number): SparseRows {
  return {
    count,
    width,
    starts: Uint32Array.from({ length: count + 1 }, (_, i) => i * width),
    columns: Uint32Array.from({ length: count * width }, (_, k) => k % width),
    values,
  };
}

/** Each row divided by its Euclidean length; a row of zeros stays one. */
export function unitRows(rows: SparseRows): SparseRows {
  const values = rows.values.slice();
  for (let i = 0; i < rows.count; i++) {
    let squares = 0;
    for (let k = rows.starts[i]!; k < rows.starts[i + 1]!; k++) squares += values[k]! ** 2;
    if (squares === 0) continue;
    const length = Math.sqrt(squares);
    for (let k = rows.starts[i]!; k < rows.starts[i + 1]!; k++) values[k] = values[k]! / length;
  }
  return { ...rows, values };
}

/** The columns of two sets of the same rows side by side, those of the second after those of the first. */
export function sideBySide(left: SparseRows, right: SparseRows): SparseRows {
  const starts = left.starts.map((start, i) => start + right.starts[i]!);
  const columns = new Uint32Array(left.columns.length + right.columns.length);
  const values = new Float64Array(columns.length);
  for (let i = 0; i < left.count; i++) {
    const [from, to] = [left.starts[i]!, left.starts[i + 1]!];
    columns.set(left.columns.subarray(from, to), starts[i]);
    values.set(left.values.subarray(from, to), starts[i]);
    const middle = starts[i]! + to - from;
    for (let k = right.starts[i]!, at = middle; k < right.starts[i + 1]!; k++, at++) {
      columns[at] = left.width + right.columns[k]!;
      values[at] = right.values[k]!;
    }
  }
  return { count: left.count, width: left.width + right.width, starts, columns, values };
}

/** The same numbers by columns: row c of the result is column c. */
export function transposed({ count, width, starts, columns, values }: SparseRows): SparseRows {
  const begin = new Uint32Array(width + 1);
  for (const column of columns) begin[column + 1] = begin[column + 1]! + 1;
  for (let c = 0; c < width; c++) begin[c + 1] = begin[c + 1]! + begin[c]!;
  const next = begin.slice();
  const rows = new Uint32Array(columns.length);
  const turned = new Float64Array(values.length);
  for (let i = 0; i < count; i++)
    for (let k = starts[i]!; k < starts[i + 1]!; k++) {
      const at = next[columns[k]!]!++;
      rows[at] = i;
      turned[at] = values[k]!;
    }
  return { count: width, width: count, starts: begin, columns: rows, values: turned };
}

/** X·B. @param b - width×size, row-major @returns count×size */
export function timesDense(
  { count, starts, columns, values }: SparseRows,
  b: Float64Array,
  size: number,
): Float64Array {
  const product = new Float64Array(count * size);
  for (let i = 0; i < count; i++)
    for (let k = starts[i]!; k < starts[i + 1]!; k++) {
      const value = values[k]!;
      const from = columns[k]! * size;
      const to = i * size;
      for (let c = 0; c < size; c++) product[to + c] = product[to + c]! + value * b[from + c]!;
    }
  return product;
}
