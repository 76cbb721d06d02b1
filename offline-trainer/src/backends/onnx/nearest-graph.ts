import { ELEMENT_TYPES, encodeOnnxModel } from "./graph-writer.ts";

export interface NearestGraphOptions {
  /** Points of a block. */
  readonly rows: number;
  readonly k: number;
  readonly dims: number;
  readonly type: "float32" | "float64";
  /** Points to bake in, rows×dims; without them they are an input. */
  readonly points?: Float32Array | Float64Array;
}

/**
 * The graph of nearest centroids, for one block of points.
 *
 * |x − c|² less |x|², which is the same for all centroids, is |c|² − 2·x·c: one matrix product S = points·(−2c)ᵀ + |c|²
 * for all of a block's points. `rivals` counts the centroids within `slack` of the least, that one among them: where it
 * is 1, rounding can't have changed which is the nearest ({@link nearestSlack}).
 * Inputs: `points` (rows×D), `centroids` (k×D) times −2, `norms` (k), `slack` (rows×1). Outputs: `labels`, `rivals`.
 */
export function nearestGraph({ rows, k, dims, type, points }: NearestGraphOptions): Uint8Array {
  const given = { name: "points", type, shape: [rows, dims] };
  return encodeOnnxModel({
    name: "nearest centroids",
    inputs: [
      ...(points ? [] : [given]),
      { name: "centroids", type, shape: [k, dims] },
      { name: "norms", type, shape: [k] },
      { name: "slack", type, shape: [rows, 1] },
    ],
    outputs: [
      { name: "labels", type: "int64", shape: [rows] },
      { name: "rivals", type, shape: [rows] },
    ],
    constants: [
      ...(points ? [{ ...given, data: new Uint8Array(points.buffer, points.byteOffset, points.byteLength) }] : []),
      { name: "columns", type: "int64", shape: [1], data: new Uint8Array(BigInt64Array.of(1n).buffer) },
    ],
    nodes: [
      { op: "Gemm", inputs: ["points", "centroids", "norms"], outputs: ["S"], attributes: { transB: 1 } },
      { op: "ArgMin", inputs: ["S"], outputs: ["labels"], attributes: { axis: 1, keepdims: 0 } },
      { op: "ReduceMin", inputs: ["S"], outputs: ["least"], attributes: { axes: [1] } },
      { op: "Add", inputs: ["least", "slack"], outputs: ["limit"] },
      { op: "Less", inputs: ["S", "limit"], outputs: ["near"] },
      { op: "Cast", inputs: ["near"], outputs: ["ones"], attributes: { to: ELEMENT_TYPES[type] } },
      { op: "ReduceSum", inputs: ["ones", "columns"], outputs: ["rivals"], attributes: { keepdims: 0 } },
    ],
  });
}
