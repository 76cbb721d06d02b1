/** Element types that are written here, with their numbers in ONNX's TensorProto. */
export const ELEMENT_TYPES = { float32: 1, int8: 3, int64: 7, bool: 9, float64: 11 } as const;
type ElementType = keyof typeof ELEMENT_TYPES;

/** One operator: inputs and outputs are names of values. */
export interface GraphNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Integers, lists of them, and what a Loop or Scan repeats. */
  readonly attributes?: Readonly<Record<string, number | readonly number[] | Graph>>;
}

export interface GraphValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

export interface Constant extends GraphValue {
  /** Little-endian. */
  readonly data: Uint8Array;
}

/** Inputs and outputs in order. */
export interface Graph {
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
export function encodeOnnxModel(graph: Graph): Uint8Array {
  const opset = [...text(1, ""), ...integer(2, OPSET)];
  const body = bytes(7, encodedGraph(graph));
  return joined([...integer(1, IR_VERSION), ...text(2, "anchoreval"), ...body, ...bytes(8, opset)]);
}

function encodedGraph({ name, inputs, outputs, constants, nodes }: Graph): Message {
  return [
    ...nodes.flatMap((node) => bytes(1, encodedNode(node))),
    ...text(2, name),
    ...constants.flatMap((constant) => bytes(5, encodedTensor(constant))),
    ...inputs.flatMap((input) => bytes(11, encodedValue(input))),
    ...outputs.flatMap((output) => bytes(12, encodedValue(output))),
  ];
}

function encodedNode({ op, inputs, outputs, attributes = {} }: GraphNode): Message {
  return [
    ...inputs.flatMap((input) => text(1, input)),
    ...outputs.flatMap((output) => text(2, output)),
    ...text(4, op),
    ...Object.entries(attributes).flatMap(([name, value]) => {
      const [content, type] = encodedAttribute(value);
      return bytes(5, [...text(1, name), ...content, ...integer(20, type)]);
    }),
  ];
}

/** An attribute's content, and the number of its type. */
function encodedAttribute(value: number | readonly number[] | Graph): readonly [Message, number] {
  if (typeof value === "number") return [integer(3, value), 2];
  return "nodes" in value ? [bytes(6, encodedGraph(value)), 5] : [value.flatMap((element) => integer(8, element)), 7];
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
