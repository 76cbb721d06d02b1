import onnxProto from "onnx-proto";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";
import { objectiveGraph } from "../../../offline-trainer/src/backends/onnx/objective-graph.ts";
import { ELEMENT_TYPES, encodeOnnxModel } from "../../../offline-trainer/src/backends/onnx/onnx-model.ts";
import { largestDifference, readFixture } from "../../support/fixture.ts";
import { decodeModel as decode } from "./decode-model.ts";

const { ModelProto, TensorProto, AttributeProto } = onnxProto.onnx;

/** The same models, built and checked by ONNX's Python package, and what its reference evaluator computes. */
const reference = readFixture<{
  tolerance: Record<"float32" | "float64", number>;
  subjects: number;
  items: number;
  dims: number;
  signs: number[];
  theta: number[];
  a: number[];
  b: number[];
  cases: {
    precision: "float32" | "float64";
    baked: boolean;
    direct: number;
    model: string;
    outputs: Record<string, number[]>;
  }[];
}>("onnx/objective.json");

const { subjects, items, dims } = reference;
const signs = Int8Array.from(reference.signs, (sign) => -sign);

describe.each(reference.cases)("the $precision objective, responses baked in: $baked", (expected) => {
  const { precision, baked } = expected;
  const bytes = objectiveGraph({ rows: subjects, columns: items, dims, type: precision, ...(baked && { signs }) });

  test("is the message that ONNX's own package writes", () => {
    expect(decode(bytes)).toEqual(decode(Uint8Array.from(Buffer.from(expected.model, "base64"))));
  });

  test("has every field that the schema wants, and nothing that it doesn't know", () => {
    expect(ModelProto.verify(ModelProto.toObject(ModelProto.decode(bytes)))).toBeNull();
    // Decoding drops fields that the schema doesn't know; ONNX's own bytes have none.
    expect(bytes.length).toBe(Uint8Array.from(Buffer.from(expected.model, "base64")).length);
  });

  test("declares operators, shapes and constants", () => {
    const { graph, irVersion, opsetImport } = decode(bytes);
    expect(irVersion).toBe(7);
    expect(opsetImport.map(({ domain, version }) => [domain, version])).toEqual([["", 13]]);
    expect(graph.node.length).toBeGreaterThan(10);
    const element = TensorProto.DataType[precision === "float32" ? "FLOAT" : "DOUBLE"];
    const { INT8, INT64 } = TensorProto.DataType;
    const shapes = [...graph.input, ...graph.output].map(({ name, type }) => [
      name,
      type.tensorType.elemType,
      type.tensorType.shape.dim.map(({ dimValue }) => dimValue),
    ]);
    const fed = [["signs", INT8, [5, 64]]];
    expect(shapes).toEqual([
      ["X", element, [5, 3]],
      ["A", element, [64, 3]],
      ...(baked ? [] : fed),
      ["excess", element, [64]],
      ["logs", element, [2]],
      ["subjects", element, [5, 3]],
      ["items", element, [64, 3]],
    ]);
    const constants = graph.initializer.map(({ name, dataType, dims: sides }) => [name, dataType, sides]);
    expect(constants).toEqual([...(baked ? fed : []), ["number 1", element, [1]], ["integers 0", INT64, [1]]]);
    if (baked) expect(Uint8Array.from(graph.initializer[0]!.rawData)).toEqual(new Uint8Array(signs.buffer));
    // Every value is made before it is used, once.
    const made = new Set([...graph.input, ...graph.initializer].map(({ name }) => name));
    for (const { input, output, attribute } of graph.node) {
      for (const name of input) expect(made).toContain(name);
      for (const name of output) {
        expect(made).not.toContain(name);
        made.add(name);
      }
      for (const { type } of attribute) expect(type).toBe(AttributeProto.AttributeType.INT);
    }
    for (const { name } of graph.output) expect(made).toContain(name);
  });

  test("computes in ONNX Runtime what the reference evaluator does", async () => {
    const session = await InferenceSession.create(bytes, { executionProviders: ["cpu"], intraOpNumThreads: 1 });
    const numbers = precision === "float32" ? Float32Array : Float64Array;
    const x: number[] = [];
    for (let m = 0; m < subjects; m++) x.push(...reference.theta.slice(m * dims, (m + 1) * dims), -1);
    const y: number[] = [];
    for (let i = 0; i < items; i++) y.push(...reference.a.slice(i * dims, (i + 1) * dims), reference.b[i]!);
    const result = await session.run({
      ...(!baked && { signs: new Tensor("int8", signs, [subjects, items]) }),
      X: new Tensor(precision, numbers.from(x) as never, [subjects, dims + 1]),
      A: new Tensor(precision, numbers.from(y) as never, [items, dims + 1]),
    });
    await session.release();
    expect(Object.keys(result).sort()).toEqual(Object.keys(expected.outputs).sort());
    let value = 0;
    for (const [name, output] of Object.entries(result)) {
      const own = output.data as Float64Array;
      expect(largestDifference(own, expected.outputs[name]!)).toBeLessThan(10 * reference.tolerance[precision]);
      if (name !== "subjects" && name !== "items") value += own.reduce((sum: number, part: number) => sum + part, 0);
    }
    const missing = reference.signs.filter((sign) => sign === 0).length;
    expect(Math.abs(value - missing * Math.LN2 - expected.direct)).toBeLessThan(200 * reference.tolerance[precision]);
  });
});

test("element types have ONNX's numbers", () => {
  expect(ELEMENT_TYPES).toEqual({
    float32: TensorProto.DataType.FLOAT,
    int8: TensorProto.DataType.INT8,
    int64: TensorProto.DataType.INT64,
    bool: TensorProto.DataType.BOOL,
    float64: TensorProto.DataType.DOUBLE,
  });
});

test("a graph's parts come back from the bytes, names in any script and sides of any length", () => {
  const { graph } = decode(
    encodeOnnxModel({
      name: "größe 模型",
      inputs: [{ name: "x", type: "int64", shape: [127, 128, 16383, 16384, 2 ** 31, 2 ** 40] }],
      outputs: [{ name: "y", type: "int64", shape: [] }],
      constants: [],
      nodes: [{ op: "ReduceMax", inputs: ["x"], outputs: ["y"], attributes: { keepdims: 0, select: 300 } }],
    }),
  );
  expect(graph.name).toBe("größe 模型");
  expect(graph.input[0]!.type.tensorType.shape.dim.map(({ dimValue }) => dimValue)).toEqual([
    127, 128, 16383, 16384, 2147483648, 1099511627776,
  ]);
  expect(graph.output[0]!.type.tensorType.shape.dim).toEqual([]);
  expect(graph.node[0]!.attribute.map(({ name, i }) => [name, i])).toEqual([
    ["keepdims", 0],
    ["select", 300],
  ]);
});

test("a graph that an operator repeats comes back as its attribute", () => {
  const value = (name: string) => ({ name, type: "float32" as const, shape: [2] });
  const body = {
    name: "once more",
    inputs: [value("x")],
    outputs: [value("y")],
    constants: [],
    nodes: [{ op: "Neg", inputs: ["x"], outputs: ["y"] }],
  };
  const bytes = encodeOnnxModel({
    name: "all",
    inputs: [value("a")],
    outputs: [value("b")],
    constants: [{ name: "yes", type: "bool", shape: [], data: Uint8Array.of(1) }],
    nodes: [{ op: "Scan", inputs: ["a"], outputs: ["b"], attributes: { body, num_scan_inputs: 1 } }],
  });
  expect(ModelProto.verify(ModelProto.toObject(ModelProto.decode(bytes)))).toBeNull();
  const { graph } = decode(bytes);
  const [attribute, count] = ModelProto.decode(bytes).graph!.node![0]!.attribute!;
  expect(attribute).toMatchObject({ name: "body", type: AttributeProto.AttributeType.GRAPH });
  expect(attribute!.g).toMatchObject({ name: "once more", node: [{ opType: "Neg", input: ["x"], output: ["y"] }] });
  expect(attribute!.g!.input!.map(({ name }) => name)).toEqual(["x"]);
  expect(count).toMatchObject({ name: "num_scan_inputs", type: AttributeProto.AttributeType.INT });
  expect(graph.initializer.map(({ name, dataType, dims: sides }) => [name, dataType, sides])).toEqual([
    ["yes", TensorProto.DataType.BOOL, []],
  ]);
});
