/** Element types that are written here, with their numbers in ONNX's TensorProto. */
export const ELEMENT_TYPES = { float32: 1, int8: 3, int64: 7, float64: 11 } as const;
type ElementType = keyof typeof ELEMENT_TYPES;

/** One operator: inputs and outputs are names of values. */
export interface GraphNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Integers, and lists of them. */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

export interface GraphValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
}

interface Graph {
  readonly name: string;
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** Constants; raw little-endian bytes. */
  readonly constants: readonly (GraphValue & { readonly data: Uint8Array })[];
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
  const body = new MessageWriter();
  for (const node of graph.nodes) body.message(1, nodeMessage(node));
  body.text(2, graph.name);
  for (const constant of graph.constants) {
    const tensor = new MessageWriter();
    for (const side of constant.shape) tensor.integer(1, side);
    tensor.integer(2, ELEMENT_TYPES[constant.type]).text(8, constant.name).bytes(9, constant.data);
    body.message(5, tensor);
  }
  for (const input of graph.inputs) body.message(11, valueMessage(input));
  for (const output of graph.outputs) body.message(12, valueMessage(output));
  return new MessageWriter()
    .integer(1, IR_VERSION)
    .text(2, "anchoreval")
    .message(7, body)
    .message(8, new MessageWriter().text(1, "").integer(2, OPSET))
    .finish();
}

function nodeMessage({ op, inputs, outputs, attributes = {} }: GraphNode): MessageWriter {
  const node = new MessageWriter();
  for (const input of inputs) node.text(1, input);
  for (const output of outputs) node.text(2, output);
  node.text(4, op);
  for (const [name, value] of Object.entries(attributes)) node.message(5, attributeMessage(name, value));
  return node;
}

function attributeMessage(name: string, value: number | readonly number[]): MessageWriter {
  const attribute = new MessageWriter().text(1, name);
  if (typeof value === "number") return attribute.integer(3, value).integer(20, 2);
  for (const element of value) attribute.integer(8, element);
  return attribute.integer(20, 7);
}

function valueMessage({ name, type, shape }: GraphValue): MessageWriter {
  const dimensions = new MessageWriter();
  for (const side of shape) dimensions.message(1, new MessageWriter().integer(1, side));
  const tensor = new MessageWriter().integer(1, ELEMENT_TYPES[type]).message(2, dimensions);
  return new MessageWriter().text(1, name).message(2, new MessageWriter().message(1, tensor));
}

/** Writes protocol-buffer messages: varints, length-delimited fields and floats, as far as ONNX needs them. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** An integer field (wire type 0). */
  integer(field: number, value: number): this {
    return this.#push(varint(field * 8)).#push(varint(value));
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value));
  }

  /** A length-delimited field (wire type 2). */
  bytes(field: number, value: Uint8Array): this {
    return this.#push(varint(field * 8 + 2))
      .#push(varint(value.length))
      .#push(value);
  }

  message(field: number, value: MessageWriter): this {
    return this.bytes(field, value.finish());
  }

  finish(): Uint8Array {
    const out = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      out.set(part, at);
      at += part.length;
    }
    return out;
  }

  #push(part: Uint8Array): this {
    this.#parts.push(part);
    this.#length += part.length;
    return this;
  }
}

/** A non-negative integer below 2⁵³ in base 128, low groups first. */
function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
  return Uint8Array.from(out);
}
