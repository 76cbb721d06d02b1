import {
  type Constant,
  ELEMENT_TYPES,
  encodeOnnxModel,
  type Graph,
  type GraphNode,
  type GraphValue,
} from "./onnx-model.ts";

type Type = GraphValue["type"];
type Attributes = NonNullable<GraphNode["attributes"]>;

/** Common to a graph and all that it repeats. */
interface Pool {
  readonly type: "float32" | "float64";
  readonly constants: Map<string, Constant>;
  /** Names made up so far. */
  names: number;
}

/**
 * Writes a graph operator by operator. Values are names, each made up once for the graph and all that it repeats: what a
 * Loop or Scan repeats may use what is outside.
 */
export class GraphWriter {
  readonly #inputs: GraphValue[] = [];
  readonly #outputs: GraphValue[] = [];
  readonly #nodes: GraphNode[] = [];
  readonly #pool: Pool;

  /** @param type - of its numbers */
  constructor(type: Pool["type"], pool: Pool = { type, constants: new Map(), names: 0 }) {
    this.#pool = pool;
  }

  get type(): Pool["type"] {
    return this.#pool.type;
  }

  /** @returns its name */
  input(name: string, shape: readonly number[], type: Type = this.type): string {
    this.#inputs.push({ name, type, shape });
    return name;
  }

  output(value: string, shape: readonly number[], type: Type = this.type): void {
    this.#outputs.push({ name: value, type, shape });
  }

  /** An output that callers know by a name. */
  result(name: string, value: string, shape: readonly number[]): void {
    this.#nodes.push({ op: "Identity", inputs: [value], outputs: [name] });
    this.output(name, shape);
  }

  /** @returns the operator's outputs */
  outputs(op: string, inputs: readonly string[], count: number, attributes?: Attributes): string[] {
    const outputs = Array.from({ length: count }, () => `${op} ${++this.#pool.names}`);
    this.#nodes.push({ op, inputs, outputs, ...(attributes && { attributes }) });
    return outputs;
  }

  /** @returns the operator's only output */
  op(op: string, inputs: readonly string[], attributes?: Attributes): string {
    return this.outputs(op, inputs, 1, attributes)[0]!;
  }

  /** left · right, and the like: operators of two inputs, none of which has attributes. */
  add = (left: string, right: string): string => this.op("Add", [left, right]);
  subtract = (left: string, right: string): string => this.op("Sub", [left, right]);
  times = (left: string, right: string): string => this.op("Mul", [left, right]);
  over = (left: string, right: string): string => this.op("Div", [left, right]);
  both = (left: string, right: string): string => this.op("And", [left, right]);
  /** By And and Not: WebGPU has no Or. */
  either = (left: string, right: string): string => this.not(this.both(this.not(left), this.not(right)));
  not = (value: string): string => this.op("Not", [value]);
  isLess = (left: string, right: string): string => this.op("Less", [left, right]);
  choose = (condition: string, value: string, other: string): string => this.op("Where", [condition, value, other]);

  /** @param data - written once, however often it is asked for @returns its name */
  constant(name: string, shape: readonly number[], type: Type, data: ArrayBufferView): string {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.#pool.constants.set(name, { name, type, shape, data: bytes });
    return name;
  }

  /** A number, as a vector of one. */
  number(value: number): string {
    const numbers = this.type === "float32" ? Float32Array : Float64Array;
    return this.constant(`number ${value}`, [1], this.type, numbers.of(value));
  }

  /** Whole numbers: a shape, or axes. */
  integers(...values: number[]): string {
    return this.constant(`integers ${values.join(" ")}`, [values.length], "int64", BigInt64Array.from(values, BigInt));
  }

  filled(value: number, shape: readonly number[]): string {
    return this.op("Expand", [this.number(value), this.integers(...shape)]);
  }

  reshape(value: string, shape: readonly number[]): string {
    return this.op("Reshape", [value, this.integers(...shape)]);
  }

  /** Elements of an axis from `start` until before `end`. */
  slice(value: string, start: number, end: number, axis: number): string {
    return this.op("Slice", [value, this.integers(start), this.integers(end), this.integers(axis)]);
  }

  concat(values: readonly string[], axis: number): string {
    return this.op("Concat", values, { axis });
  }

  /** The sum along an axis, which is gone. */
  sum(value: string, axis: number): string {
    return this.op("ReduceSum", [value, this.integers(axis)], { keepdims: 0 });
  }

  /** The sum over a vector, as a vector of one. */
  total(value: string): string {
    return this.op("ReduceSum", [value, this.integers(0)], { keepdims: 1 });
  }

  cast(value: string, type: Type): string {
    return this.op("Cast", [value], { to: ELEMENT_TYPES[type] });
  }

  /** A writer of what this graph repeats. */
  inner(): GraphWriter {
    return new GraphWriter(this.type, this.#pool);
  }

  /** The graph written so far, for an operator to repeat: its constants are the whole graph's. */
  repeated(name: string): Graph {
    return { name, inputs: this.#inputs, outputs: this.#outputs, constants: [], nodes: this.#nodes };
  }

  /** The whole graph, as a model of ONNX. */
  encode(name: string): Uint8Array {
    return encodeOnnxModel({ ...this.repeated(name), constants: [...this.#pool.constants.values()] });
  }
}
