import type { DataIssues } from "anchoreval/node";

const MAGIC = "\x93NUMPY";

/** A matrix of numpy's. */
export interface NpyMatrix {
  readonly rows: number;
  readonly columns: number;
  /** Row-major. */
  readonly values: Float64Array;
}

/**
 * Reads a matrix that `numpy.save` wrote: two dimensions, float32 or float64, little-endian, in C order.
 * @throws AnchorEvalError `invalid_data` naming what else it is
 * @see NEP 1 (numpy's file format, versions 1.0 to 3.0)
 */
export function readNpy(bytes: Uint8Array, issues: DataIssues): NpyMatrix {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (begin: number, end: number): string => String.fromCharCode(...bytes.subarray(begin, end));
  if (bytes.length < 12 || text(0, 6) !== MAGIC) issues.fail({}, "malformed_npy", "it is no .npy file of numpy.save");
  const long = bytes[6]! >= 2;
  const begin = long ? 12 : 10;
  const end = begin + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  const header = text(begin, Math.min(end, begin + 4096));
  const type = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  const shape = /'shape':\s*\((\d+),\s*(\d+)\)/.exec(header);
  if (type !== "<f4" && type !== "<f8")
    issues.fail({}, "wrong_type", `its numbers are float32 or float64, little-endian, got ${type ?? "no type"}`);
  if (!shape || !/'fortran_order':\s*False/.test(header))
    issues.fail({}, "wrong_type", "it holds a matrix, a row a question, in C order");
  const [rows, columns] = [Number(shape[1]), Number(shape[2])];
  const size = type === "<f4" ? 4 : 8;
  if (bytes.length - end !== rows * columns * size)
    issues.fail(
      {},
      "truncated",
      `${rows} × ${columns} numbers are ${rows * columns * size} bytes, got ${bytes.length - end}`,
    );
  const read = size === 4 ? view.getFloat32.bind(view) : view.getFloat64.bind(view);
  return { rows, columns, values: Float64Array.from({ length: rows * columns }, (_, k) => read(end + k * size, true)) };
}
