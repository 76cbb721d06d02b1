import type { Link } from "../../matrix/code-responses.ts";
import { ELEMENT_TYPES, encodeOnnxModel, type GraphNode, type GraphValue } from "./graph-writer.ts";

/** Columns of a block are a multiple of this: probabilities are multiplied by as many before a logarithm is taken. */
export const COLUMN_GROUP = 32;

export interface ObjectiveGraphOptions {
  /** Models of a block. */
  readonly rows: number;
  /** Items of a block, a multiple of {@link COLUMN_GROUP}. */
  readonly columns: number;
  readonly dims: number;
  readonly type: "float32" | "float64";
  /** Responses to bake in, by the names of the inputs that they stand for; without them they are inputs. */
  readonly responses?: BlockResponses;
}

/** A block's responses, by the graph's names: `signs`, or `scores` and `weights`. */
export type BlockResponses = Readonly<Record<string, Int8Array | Float32Array>>;

/**
 * The value-and-gradient graph of the 2PL's log-likelihood, for one block of coded responses.
 *
 * With X = [θ, −1] (M×(D+1)), A = [a, b] (N×(D+1)) and the responses S ∈ {−1 right, +1 wrong, 0 missing}:
 * Z = X·Aᵀ, V = S∘Z is the logit against what was observed, and P = σ(V) its probability (½ where nothing was). The
 * negative log-likelihood is Σ softplus(V), written max(V, 0) − log max(P, 1−P): the runtime's σ saturates from |V| = 17
 * on in float32, and the logarithm of the smaller of P and 1−P would be infinite there. The larger lies in [½, 1], so
 * that {@link COLUMN_GROUP} of them are multiplied (by halving the columns five times) and one logarithm serves all:
 * logarithms are most of the time otherwise. With G = S∘P the gradients are G·A in X and Gᵀ·X in A. The mask costs
 * nothing: S = 0 puts nothing into G.
 * Outputs: `excess` (N sums of max(V, 0)), `logs` (N/32 sums of −log), `subjects` (M×(D+1)), `items` (N×(D+1)); the
 * value is the sum of the first two, with log 2 too much for every missing cell.
 */
export function codedGraph(options: ObjectiveGraphOptions): Uint8Array {
  const { rows, columns, type } = options;
  return objectiveModel(
    "two-parameter-logistic value and gradient",
    options,
    [{ name: "signs", type: "int8", shape: [rows, columns] }],
    [
      { name: "excess", type, shape: [columns] },
      { name: "logs", type, shape: [columns / COLUMN_GROUP] },
    ],
    [
      { op: "Cast", inputs: ["signs"], outputs: ["S"], attributes: { to: ELEMENT_TYPES[type] } },
      { op: "Mul", inputs: ["S", "Z"], outputs: ["V"] },
      { op: "Sigmoid", inputs: ["V"], outputs: ["P"] },
      { op: "Sub", inputs: ["one", "P"], outputs: ["Q"] },
      { op: "Max", inputs: ["P", "Q"], outputs: ["larger"] },
      ...productOfColumns("larger", "product"),
      { op: "Log", inputs: ["product"], outputs: ["L"] },
      { op: "ReduceSum", inputs: ["L", "rows"], outputs: ["sums"], attributes: { keepdims: 0 } },
      { op: "Neg", inputs: ["sums"], outputs: ["logs"] },
      { op: "Relu", inputs: ["V"], outputs: ["R"] },
      { op: "ReduceSum", inputs: ["R", "rows"], outputs: ["excess"], attributes: { keepdims: 0 } },
      { op: "Mul", inputs: ["S", "P"], outputs: ["G"] },
    ],
  );
}

/**
 * The value-and-gradient graph of graded responses Y with weights W, for one block: P = σ(Z), and by the link
 * - `bernoulli`: Σ W∘(softplus(Z) − Y∘Z), softplus(Z) written max(Z, 0) − log max(P, 1−P); G = W∘(P − Y);
 * - `gaussian`: Σ W∘(P − Y)²/2; G = W∘(P − Y)∘P∘(1−P).
 * Outputs: `value` (N sums), `subjects`, `items`.
 */
export function gradedGraph(options: ObjectiveGraphOptions, link: Link): Uint8Array {
  const { rows, columns, type } = options;
  const cells = [rows, columns];
  const loss: GraphNode[] =
    link === "bernoulli"
      ? [
          { op: "Max", inputs: ["P", "Q"], outputs: ["larger"] },
          { op: "Log", inputs: ["larger"], outputs: ["L"] },
          { op: "Relu", inputs: ["Z"], outputs: ["R"] },
          { op: "Sub", inputs: ["R", "L"], outputs: ["softplus"] },
          { op: "Mul", inputs: ["Y", "Z"], outputs: ["credit"] },
          { op: "Sub", inputs: ["softplus", "credit"], outputs: ["deficit"] },
          { op: "Mul", inputs: ["W", "deficit"], outputs: ["loss"] },
          { op: "ReduceSum", inputs: ["loss", "rows"], outputs: ["value"], attributes: { keepdims: 0 } },
          { op: "Mul", inputs: ["W", "E"], outputs: ["G"] },
        ]
      : [
          { op: "Mul", inputs: ["W", "E"], outputs: ["WE"] },
          { op: "Mul", inputs: ["WE", "E"], outputs: ["loss"] },
          { op: "ReduceSum", inputs: ["loss", "rows"], outputs: ["twice"], attributes: { keepdims: 0 } },
          { op: "Mul", inputs: ["twice", "half"], outputs: ["value"] },
          { op: "Mul", inputs: ["P", "Q"], outputs: ["slope"] },
          { op: "Mul", inputs: ["WE", "slope"], outputs: ["G"] },
        ];
  return objectiveModel(
    `${link} value and gradient of graded responses`,
    options,
    [
      { name: "scores", type: "float32", shape: cells },
      { name: "weights", type: "float32", shape: cells },
    ],
    [{ name: "value", type, shape: [columns] }],
    [
      { op: "Cast", inputs: ["scores"], outputs: ["Y"], attributes: { to: ELEMENT_TYPES[type] } },
      { op: "Cast", inputs: ["weights"], outputs: ["W"], attributes: { to: ELEMENT_TYPES[type] } },
      { op: "Sigmoid", inputs: ["Z"], outputs: ["P"] },
      { op: "Sub", inputs: ["one", "P"], outputs: ["Q"] },
      { op: "Sub", inputs: ["P", "Y"], outputs: ["E"] },
      ...loss,
    ],
  );
}

/** From X and A to Z, what the middle makes of it, and from its G to both gradients. */
function objectiveModel(
  name: string,
  { rows, columns, dims, type, responses }: ObjectiveGraphOptions,
  given: readonly GraphValue[],
  values: readonly GraphValue[],
  middle: readonly GraphNode[],
): Uint8Array {
  const width = dims + 1;
  const scalar = (value: number): Uint8Array =>
    new Uint8Array((type === "float32" ? Float32Array.of(value) : Float64Array.of(value)).buffer);
  const used = new Set(middle.flatMap(({ inputs }) => inputs));
  const constants = [
    ...(responses ? given.map((value) => ({ ...value, data: bytesOf(responses[value.name]!) })) : []),
    { name: "one", type, shape: [1], data: scalar(1) },
    { name: "half", type, shape: [1], data: scalar(0.5) },
    { name: "rows", type: "int64" as const, shape: [1], data: new Uint8Array(BigInt64Array.of(0n).buffer) },
  ];
  return encodeOnnxModel({
    name,
    inputs: [
      ...(responses ? [] : given),
      { name: "X", type, shape: [rows, width] },
      { name: "A", type, shape: [columns, width] },
    ],
    outputs: [
      ...values,
      { name: "subjects", type, shape: [rows, width] },
      { name: "items", type, shape: [columns, width] },
    ],
    constants: constants.filter((constant) => used.has(constant.name)),
    nodes: [
      { op: "Gemm", inputs: ["X", "A"], outputs: ["Z"], attributes: { transB: 1 } },
      ...middle,
      { op: "MatMul", inputs: ["G", "A"], outputs: ["subjects"] },
      { op: "Gemm", inputs: ["G", "X"], outputs: ["items"], attributes: { transA: 1 } },
    ],
  });
}

function bytesOf({ buffer, byteOffset, byteLength }: Int8Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
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
