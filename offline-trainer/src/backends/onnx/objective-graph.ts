import { bytesOf, type Constant, ELEMENT_TYPES, encodeOnnxModel, type GraphNode } from "./onnx-model.ts";

/** Columns of a block are a multiple of this: probabilities are multiplied by as many before a logarithm is taken. */
export const COLUMN_GROUP = 32;

export interface ObjectiveGraphOptions {
  /** Models of a block. */
  readonly rows: number;
  /** Items of a block, a multiple of {@link COLUMN_GROUP}. */
  readonly columns: number;
  readonly dims: number;
  readonly type: "float32" | "float64";
  /** Responses to bake in; without them they are an input, `signs`. */
  readonly signs?: Int8Array;
  /** The gradient alone, in two thirds of the time. @default false */
  readonly slopes?: boolean;
}

/**
 * The value-and-gradient graph of the 2PL's log-likelihood, for one block of coded responses.
 *
 * With X = [−θ, 1] (M×(D+1)), A = [a, b] (N×(D+1)) and the responses S ∈ {1 right, −1 wrong, 0 missing}: Z = X·Aᵀ, V =
 * S∘Z is the logit against what was observed, and P = σ(V) its probability (½ where nothing was). The negative
 * log-likelihood is Σ softplus(V), written max(V, 0) − log max(P, 1−P): the runtime's σ saturates from |V| = 17 on in
 * float32, and the logarithm of the smaller of P and 1−P would be infinite there. The larger lies in [½, 1], so that
 * {@link COLUMN_GROUP} of them are multiplied (by halving the columns five times) and one logarithm serves all:
 * logarithms are most of the time otherwise. With G = S∘P the gradients are G·A in X and Gᵀ·X in A. The mask costs
 * nothing: S = 0 puts nothing into G. Outputs: `excess` (N sums of max(V, 0)), `logs` (N/32 sums of −log), `subjects`
 * (M×(D+1)), `items` (N×(D+1)); the value is the sum of the first two, with log 2 too much for every missing cell.
 */
export function objectiveGraph(options: ObjectiveGraphOptions): Uint8Array {
  const { rows, columns, dims, type, signs, slopes = false } = options;
  const width = dims + 1;
  const responses = { name: "signs", type: "int8" as const, shape: [rows, columns] };
  const valueOutputs = [
    { name: "excess", type, shape: [columns] },
    { name: "logs", type, shape: [columns / COLUMN_GROUP] },
  ];
  return encodeOnnxModel({
    name: "two-parameter-logistic value and gradient",
    inputs: [
      ...(signs ? [] : [responses]),
      { name: "X", type, shape: [rows, width] },
      { name: "A", type, shape: [columns, width] },
    ],
    outputs: [
      ...(slopes ? [] : valueOutputs),
      { name: "subjects", type, shape: [rows, width] },
      { name: "items", type, shape: [columns, width] },
    ],
    constants: [...(signs ? [{ ...responses, data: bytesOf(signs) }] : []), ...(slopes ? [] : valueConstants(type))],
    nodes: [
      { op: "Gemm", inputs: ["X", "A"], outputs: ["Z"], attributes: { transB: 1 } },
      { op: "Cast", inputs: ["signs"], outputs: ["S"], attributes: { to: ELEMENT_TYPES[type] } },
      { op: "Mul", inputs: ["S", "Z"], outputs: ["V"] },
      { op: "Sigmoid", inputs: ["V"], outputs: ["P"] },
      ...(slopes ? [] : VALUE_NODES),
      { op: "Mul", inputs: ["S", "P"], outputs: ["G"] },
      { op: "MatMul", inputs: ["G", "A"], outputs: ["subjects"] },
      { op: "Gemm", inputs: ["G", "X"], outputs: ["items"], attributes: { transA: 1 } },
    ],
  });
}

function valueConstants(type: "float32" | "float64"): Constant[] {
  const one = type === "float32" ? Float32Array.of(1) : Float64Array.of(1);
  return [
    { name: "one", type, shape: [1], data: bytesOf(one) },
    { name: "rows", type: "int64", shape: [1], data: bytesOf(BigInt64Array.of(0n)) },
  ];
}

/** Halves the columns until each left is the product of {@link COLUMN_GROUP}. */
function productOfColumns(input: string, output: string): GraphNode[] {
  const nodes: GraphNode[] = [];
  const halvings = Math.log2(COLUMN_GROUP);
  for (let k = 1; k <= halvings; k++) {
    const from = k === 1 ? input : `${input} by ${2 ** (k - 1)}`;
    const halves = [`${from}, left`, `${from}, right`];
    nodes.push({ op: "Split", inputs: [from], outputs: halves, attributes: { axis: 1 } });
    nodes.push({ op: "Mul", inputs: halves, outputs: [k === halvings ? output : `${input} by ${2 ** k}`] });
  }
  return nodes;
}

/** From V and P to the parts of the value. */
const VALUE_NODES: readonly GraphNode[] = [
  { op: "Sub", inputs: ["one", "P"], outputs: ["Q"] },
  { op: "Max", inputs: ["P", "Q"], outputs: ["larger"] },
  ...productOfColumns("larger", "product"),
  { op: "Log", inputs: ["product"], outputs: ["L"] },
  { op: "ReduceSum", inputs: ["L", "rows"], outputs: ["sums"], attributes: { keepdims: 0 } },
  { op: "Neg", inputs: ["sums"], outputs: ["logs"] },
  { op: "Relu", inputs: ["V"], outputs: ["R"] },
  { op: "ReduceSum", inputs: ["R", "rows"], outputs: ["excess"], attributes: { keepdims: 0 } },
];
