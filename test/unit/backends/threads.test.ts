import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import type * as OnnxNodeBackend from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import type { Parameters } from "../../../offline-trainer/src/calibrate/types.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";

// Threads start from files, and Node reads only the built ones.
const { onnxNodeBackend, openThread } = (await import(
  new URL("../../../offline-trainer/dist/offline-trainer/src/backends/node/onnx-node-backend.js", import.meta.url).href
)) as typeof OnnxNodeBackend;

const [subjects, items, dims] = [300, 12_000, 3];
const random = createRandom("threads");
const draw = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
const responses = {
  subjects,
  items,
  signs: Int8Array.from({ length: subjects * items }, () => Math.floor(3 * random.next()) - 1),
};
const at: Parameters = { theta: draw(subjects * dims), a: draw(items * dims), b: draw(items) };

async function evaluated(threads: number): Promise<{ value: number; gradient: Parameters }> {
  const objective = await onnxNodeBackend({ provider: "cpu", precision: "float32", threads }).open(responses, dims);
  const gradient = {
    theta: new Float64Array(subjects * dims),
    a: new Float64Array(items * dims),
    b: new Float64Array(items),
  };
  try {
    await objective.evaluate(at, gradient); // threads and their arrays are used again
    return { value: await objective.evaluate(at, gradient), gradient };
  } finally {
    await objective.dispose();
  }
}

test("value and gradient are the same to the last bit on any number of threads", async () => {
  const alone = await evaluated(1);
  expect(alone.value).toBeGreaterThan(0);
  for (const threads of [2, 3]) expect(await evaluated(threads)).toEqual(alone);
});

test("a thread that doesn't start says why", async () => {
  const refused = openThread({
    layout: { subjects: 1, items: 1, rows: 1, columns: 32, down: 1, across: 1 },
    dims: 1,
    provider: "abacus",
    precision: "float32",
    blocks: new Map([[0, new Int8Array(32)]]),
  });
  expectRefusal(await rejection(refused), "unavailable", "could not start its abacus provider");
});
