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
export function objectiveGraph({ rows, columns, dims, type, signs }: ObjectiveGraphOptions): Uint8Array {
  const width = dims + 1;
  const one = type === "float32" ? Float32Array.of(1) : Float64Array.of(1);
  const responses = { name: "signs", type: "int8" as const, shape: [rows, columns] };
  return encodeOnnxModel({
    name: "two-parameter-logistic value and gradient",
    inputs: [
      ...(signs ? [] : [responses]),
      { name: "X", type, shape: [rows, width] },
      { name: "A", type, shape: [columns, width] },
    ],
    outputs: [
      { name: "excess", type, shape: [columns] },
      { name: "logs", type, shape: [columns / COLUMN_GROUP] },
      { name: "subjects", type, shape: [rows, width] },
      { name: "items", type, shape: [columns, width] },
    ],
    constants: [
      ...(signs ? [{ ...responses, data: bytesOf(signs) }] : []),
      { name: "one", type, shape: [1], data: bytesOf(one) },
      { name: "rows", type: "int64", shape: [1], data: bytesOf(BigInt64Array.of(0n)) },
    ],
    nodes: [
      { op: "Gemm", inputs: ["X", "A"], outputs: ["Z"], attributes: { transB: 1 } },
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
      { op: "MatMul", inputs: ["G", "A"], outputs: ["subjects"] },
      { op: "Gemm", inputs: ["G", "X"], outputs: ["items"], attributes: { transA: 1 } },
    ],
  });
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
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

/** Element types that are written here, with their numbers in ONNX's TensorProto. */
export const ELEMENT_TYPES = { float32: 1, int8: 3, int64: 7, float64: 11 } as const;
type ElementType = keyof typeof ELEMENT_TYPES;

/** One operator: inputs and outputs are names of values. */
interface GraphNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Integers, and lists of them. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

interface GraphValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

interface Constant extends GraphValue {
  /** Little-endian. */
  readonly data: Uint8Array;
}

interface Graph {
  readonly name: string;
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  readonly constants: readonly Constant[];
  readonly nodes: readonly GraphNode[];
}

/** ONNX operator set: the oldest with all that is used here and the axes of ReduceSum as an input. */
const OPSET = 13;
/** IR version of ONNX 1.8, which opset 13 came with. */
const IR_VERSION = 7;

/**
 * Serialises a graph as an ONNX model. Field numbers are frozen by the ONNX specification (onnx.proto).
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
export function encodeOnnxModel({ name, inputs, outputs, constants, nodes }: Graph): Uint8Array {
  const body = [
    ...nodes.flatMap((node) => bytes(1, encodedNode(node))),
    ...text(2, name),
    ...constants.flatMap((constant) => bytes(5, encodedTensor(constant))),
    ...inputs.flatMap((input) => bytes(11, encodedValue(input))),
    ...outputs.flatMap((output) => bytes(12, encodedValue(output))),
  ];
  const opset = [...text(1, ""), ...integer(2, OPSET)];
  return joined([...integer(1, IR_VERSION), ...text(2, "anchoreval"), ...bytes(7, body), ...bytes(8, opset)]);
}

function encodedNode({ op, inputs, outputs, attributes = {} }: GraphNode): Message {
  return [
    ...inputs.flatMap((input) => text(1, input)),
    ...outputs.flatMap((output) => text(2, output)),
    ...text(4, op),
    ...Object.entries(attributes).flatMap(([name, value]) => {
      const isNumber = typeof value === "number";
      const values = isNumber ? integer(3, value) : value.flatMap((element) => integer(8, element));
      return bytes(5, [...text(1, name), ...values, ...integer(20, isNumber ? 2 : 7)]);
    }),
  ];
}

function encodedTensor({ name, type, shape, data }: Constant): Message {
  const sides = shape.flatMap((side) => integer(1, side));
  return [...sides, ...integer(2, ELEMENT_TYPES[type]), ...text(8, name), ...bytes(9, [data])];
}

function encodedValue({ name, type, shape }: GraphValue): Message {
  const sides = shape.flatMap((side) => bytes(1, integer(1, side)));
  const tensor = [...integer(1, ELEMENT_TYPES[type]), ...bytes(2, sides)];
  return [...text(1, name), ...bytes(2, bytes(1, tensor))];
}

/** A protocol-buffer message, or a part of one, in pieces: constants are large, and copied once, at the end. */
type Message = readonly Uint8Array[];

/** An integer field (wire type 0). */
export function integer(field: number, value: number): Message {
  return [Uint8Array.from([...varint(field * 8), ...varint(value)])];
}

export function text(field: number, value: string): Message {
  return bytes(field, [new TextEncoder().encode(value)]);
}

/** A length-delimited field (wire type 2): bytes, or a message. */
export function bytes(field: number, value: Message): Message {
  return [Uint8Array.from([...varint(field * 8 + 2), ...varint(lengthOf(value))]), ...value];
}

export function joined(message: Message): Uint8Array {
  const out = new Uint8Array(lengthOf(message));
  let at = 0;
  for (const piece of message) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}

function lengthOf(message: Message): number {
  return message.reduce((length, piece) => length + piece.length, 0);
}

/** A non-negative integer below 2⁵³ in base 128, low groups first. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
