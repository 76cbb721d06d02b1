import { createRandom } from "anchoreval/core";
import onnxProto from "onnx-proto";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { describe, expect, test } from "vitest";
import { nearestGraph } from "../../../offline-trainer/src/backends/onnx/nearest-graph.ts";
import { nearestSlack } from "../../../offline-trainer/src/backends/onnx/nearest-slack.ts";
import { readFixture } from "../../support/fixture.ts";
import { decodeModel } from "./decode-model.ts";

const { ModelProto } = onnxProto.onnx;

/** The same models, built and checked by ONNX's Python package, and what its reference evaluator computes. */
const reference = readFixture<{
  points: number[];
  centroids: number[];
  slack: number[];
  /** By the distances alone: the nearest centroid, and how many are as near but for the slack. */
  nearest: number[];
  within: number[];
  cases: { precision: "float32" | "float64"; baked: boolean; model: string; labels: number[]; rivals: number[] }[];
}>("onnx/nearest.json");

const [dims, k] = [3, 5];
const rows = reference.slack.length;

describe.each(reference.cases)("the $precision graph of nearest centroids, points baked in: $baked", (expected) => {
  const { precision, baked } = expected;
  const numbers = precision === "float32" ? Float32Array : Float64Array;
  const points = numbers.from(reference.points);
  const bytes = nearestGraph({ rows, k, dims, type: precision, ...(baked && { points }) });
  const theirs = Uint8Array.from(Buffer.from(expected.model, "base64"));

  test("is the message that ONNX's own package writes, every field known to the schema", () => {
    expect(decodeModel(bytes)).toEqual(decodeModel(theirs));
    expect(ModelProto.verify(ModelProto.toObject(ModelProto.decode(bytes)))).toBeNull();
    expect(bytes.length).toBe(theirs.length);
    const attributes = decodeModel(bytes).graph.node.flatMap(({ attribute }) => attribute);
    expect(attributes.find(({ name }) => name === "axes")).toMatchObject({ ints: [1] });
  });

  test("computes in ONNX Runtime what the reference evaluator does, and the distances alone say", async () => {
    const session = await InferenceSession.create(bytes, { executionProviders: ["cpu"], intraOpNumThreads: 1 });
    const tensor = (values: readonly number[], sides: number[]): Tensor =>
      new Tensor(precision, numbers.from(values) as never, sides);
    const norms = Array.from({ length: k }, (_, c) =>
      reference.centroids.slice(c * dims, (c + 1) * dims).reduce((sum, value) => sum + value * value, 0),
    );
    const { labels, rivals } = await session.run({
      ...(!baked && { points: tensor(reference.points, [rows, dims]) }),
      centroids: tensor(
        reference.centroids.map((value) => -2 * value),
        [k, dims],
      ),
      norms: tensor(norms, [k]),
      slack: tensor(reference.slack, [rows, 1]),
    });
    await session.release();
    expect(Array.from(labels!.data as BigInt64Array, Number)).toEqual(expected.labels);
    expect(Array.from(rivals!.data as Float32Array)).toEqual(expected.rivals);
    expect(expected.labels).toEqual(reference.nearest);
    expect(expected.rivals).toEqual(reference.within);
    expect(new Set(expected.rivals).size).toBeGreaterThan(2);
  });
});

test("few points are left to be settled elsewhere: in float32, less than one in a hundred of a Gaussian cloud", async () => {
  const [count, sides, centroids] = [2000, 11, 100];
  const random = createRandom("cloud");
  const draw = (length: number): Float32Array => Float32Array.from({ length }, () => random.normal() / 4);
  const [x, c] = [draw(count * sides), draw(centroids * sides)];
  const length = (values: Float32Array, row: number): number =>
    Math.hypot(...values.subarray(row * sides, (row + 1) * sides));
  const norms = Float32Array.from({ length: centroids }, (_, row) => length(c, row) ** 2);
  const reach = Math.sqrt(Math.max(...norms));
  const slack = Float32Array.from({ length: count }, (_, row) => nearestSlack(sides, "float32", length(x, row), reach));
  const model = nearestGraph({ rows: count, k: centroids, dims: sides, type: "float32" });
  const session = await InferenceSession.create(model, { executionProviders: ["cpu"], intraOpNumThreads: 1 });
  const { rivals } = await session.run({
    points: new Tensor("float32", x, [count, sides]),
    centroids: new Tensor(
      "float32",
      c.map((value) => -2 * value),
      [centroids, sides],
    ),
    norms: new Tensor("float32", norms, [centroids]),
    slack: new Tensor("float32", slack, [count, 1]),
  });
  await session.release();
  const open = (rivals!.data as Float32Array).filter((number) => number !== 1);
  expect(open.length).toBeLessThan(count / 100);
  expect(open.every((number) => number > 1)).toBe(true);
});
