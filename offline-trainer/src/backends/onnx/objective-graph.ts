import type { CodedResponses } from "../../calibrate/types.ts";
import { encodeOnnxModel } from "./graph-writer.ts";

/**
 * The value-and-gradient graph of the 2PL's log-likelihood.
 *
 * With X = [θ, −1] (M×(D+1)), A = [a, b] (N×(D+1)) and the responses R ∈ {+1, −1, 0} baked in: Z = X·Aᵀ, Q = σ(R∘Z) is
 * the probability of what was observed (½ where nothing was), log-likelihood = Σ log Q, and with G = R∘(Q−1) its
 * negative has the gradients G·A in X and Gᵀ·X in A. The mask costs nothing: R = 0 puts nothing into G.
 * Outputs: `value` (N sums of log Q), `subjects` (M×(D+1)), `items` (N×(D+1)).
 */
export function objectiveGraph(
  { subjects, items, signs }: CodedResponses,
  dims: number,
  type: "float32" | "float64",
): Uint8Array {
  const width = dims + 1;
  const one =
    type === "float32" ? new Uint8Array(Float32Array.of(1).buffer) : new Uint8Array(Float64Array.of(1).buffer);
  return encodeOnnxModel({
    name: "two-parameter-logistic value and gradient",
    inputs: [
      { name: "X", type, shape: [subjects, width] },
      { name: "A", type, shape: [items, width] },
    ],
    outputs: [
      { name: "value", type, shape: [items] },
      { name: "subjects", type, shape: [subjects, width] },
      { name: "items", type, shape: [items, width] },
    ],
    constants: [
      {
        name: "signs",
        type: "int8",
        shape: [subjects, items],
        data: new Uint8Array(signs.buffer, signs.byteOffset, signs.byteLength),
      },
      { name: "one", type, shape: [1], data: one },
      { name: "rows", type: "int64", shape: [1], data: new Uint8Array(BigInt64Array.of(0n).buffer) },
    ],
    nodes: [
      { op: "Cast", inputs: ["signs"], outputs: ["R"], attributes: { to: type === "float32" ? 1 : 11 } },
      { op: "Gemm", inputs: ["X", "A"], outputs: ["Z"], attributes: { transB: 1 } },
      { op: "Mul", inputs: ["R", "Z"], outputs: ["U"] },
      { op: "Sigmoid", inputs: ["U"], outputs: ["Q"] },
      { op: "Log", inputs: ["Q"], outputs: ["L"] },
      { op: "ReduceSum", inputs: ["L", "rows"], outputs: ["value"], attributes: { keepdims: 0 } },
      { op: "Sub", inputs: ["Q", "one"], outputs: ["H"] },
      { op: "Mul", inputs: ["R", "H"], outputs: ["G"] },
      { op: "MatMul", inputs: ["G", "A"], outputs: ["subjects"] },
      { op: "Gemm", inputs: ["G", "X"], outputs: ["items"], attributes: { transA: 1 } },
    ],
  });
}
