import type { CodedResponses } from "../../calibrate/types.ts";
import { encodeOnnxModel } from "./graph-writer.ts";

/**
 * The value-and-gradient graph of the 2PL's log-likelihood.
 *
 * With X = [θ, −1] (M×(D+1)), A = [a, b] (N×(D+1)) and the responses S ∈ {−1 right, +1 wrong, 0 missing} baked in:
 * Z = X·Aᵀ, V = S∘Z is the logit against what was observed, and P = σ(V) its probability (½ where nothing was). The
 * negative log-likelihood is Σ softplus(V), written max(V, 0) − log max(P, 1−P): the runtime's σ saturates from |V| = 17
 * on in float32, and the logarithm of the smaller of P and 1−P would be infinite there. With G = S∘P its gradients are
 * G·A in X and Gᵀ·X in A. The mask costs nothing: S = 0 puts nothing into G.
 * Outputs: `value` (N sums of softplus(V)), `subjects` (M×(D+1)), `items` (N×(D+1)).
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
        data: new Uint8Array(signs.map((sign) => -sign).buffer),
      },
      { name: "one", type, shape: [1], data: one },
      { name: "rows", type: "int64", shape: [1], data: new Uint8Array(BigInt64Array.of(0n).buffer) },
    ],
    nodes: [
      { op: "Cast", inputs: ["signs"], outputs: ["S"], attributes: { to: type === "float32" ? 1 : 11 } },
      { op: "Gemm", inputs: ["X", "A"], outputs: ["Z"], attributes: { transB: 1 } },
      { op: "Mul", inputs: ["S", "Z"], outputs: ["V"] },
      { op: "Sigmoid", inputs: ["V"], outputs: ["P"] },
      { op: "Sub", inputs: ["one", "P"], outputs: ["Q"] },
      { op: "Max", inputs: ["P", "Q"], outputs: ["larger"] },
      { op: "Log", inputs: ["larger"], outputs: ["L"] },
      { op: "Relu", inputs: ["V"], outputs: ["excess"] },
      { op: "Sub", inputs: ["excess", "L"], outputs: ["loss"] },
      { op: "ReduceSum", inputs: ["loss", "rows"], outputs: ["value"], attributes: { keepdims: 0 } },
      { op: "Mul", inputs: ["S", "P"], outputs: ["G"] },
      { op: "MatMul", inputs: ["G", "A"], outputs: ["subjects"] },
      { op: "Gemm", inputs: ["G", "X"], outputs: ["items"], attributes: { transA: 1 } },
    ],
  });
}
