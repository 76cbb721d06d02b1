import { createRandom } from "anchoreval/core";
import fc from "fast-check";
import * as runtime from "onnxruntime-node";
import { describe, expect, test } from "vitest";
import { onnxBackend } from "../../../offline-trainer/src/backends/onnx/onnx-backend.ts";
import type { OnnxRuntime } from "../../../offline-trainer/src/backends/onnx/open-session.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";

/** ONNX Runtime, its open sessions counted; the one of a given number fails. */
function counted(fails = Infinity): { runtime: OnnxRuntime; opened: () => number; open: () => number } {
  let [opened, open] = [0, 0];
  const create = async (...given: Parameters<typeof runtime.InferenceSession.create>): Promise<object> => {
    if (++opened === fails) throw new Error("out of memory");
    const session = await runtime.InferenceSession.create(...given);
    open++;
    return {
      run: session.run.bind(session),
      release: () => {
        open--;
        return session.release();
      },
    };
  };
  return {
    runtime: { Tensor: runtime.Tensor, InferenceSession: { create } as unknown as OnnxRuntime["InferenceSession"] },
    opened: () => opened,
    open: () => open,
  };
}

const random = createRandom("points");
const points = { count: 400, dims: 4, values: Float64Array.from({ length: 1600 }, () => random.normal()) };
const centroids = points.values.slice(0, 40);

describe("nearest centroids on ONNX Runtime", () => {
  test("open a session only where it pays", async () => {
    const { runtime: own, opened } = counted();
    const backend = onnxBackend(own, { provider: "cpu" });
    const small = await backend.openNearest(points, 10);
    expect(await small.assign(centroids)).toEqual(nearest());
    expect(opened()).toBe(0);
    const large = await backend.openNearest(points, 200); // 320 000 distances
    await large.dispose();
    expect(opened()).toBe(1);
    await onnxBackend(own, { provider: "cuda" }).openNearest(points, 200);
    expect(opened()).toBe(1);
  });

  test("give all of it back, also when it fails on the way", async () => {
    // A device has its points baked in, a session a block; the CPU stands for it.
    const options = { provider: "webgpu", blockCells: 1000, leastDistances: 0 };
    const onCpu = (own: OnnxRuntime): OnnxRuntime => ({
      ...own,
      InferenceSession: {
        create: (model: Uint8Array, given: object) =>
          own.InferenceSession.create(model, { ...given, executionProviders: ["cpu"] }),
      } as unknown as OnnxRuntime["InferenceSession"],
    });
    const whole = counted();
    const search = await onnxBackend(onCpu(whole.runtime), options).openNearest(points, 10);
    expect(whole.open()).toBe(4);
    expect(await search.assign(centroids)).toEqual(nearest());
    await search.dispose();
    expect(whole.open()).toBe(0);

    const failing = counted(3);
    const error = await rejection(onnxBackend(onCpu(failing.runtime), options).openNearest(points, 10));
    expectRefusal(error, "unavailable", "out of memory");
    expect({ opened: failing.opened(), open: failing.open() }).toEqual({ opened: 3, open: 0 });
  });

  test("are those of the plain sums among duplicates, ties and offsets", async () => {
    const backend = onnxBackend(runtime, { provider: "cpu", blockCells: 64, leastDistances: 0 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 7, maxLength: 120 }),
        fc.constantFrom(0, 0.1, 1e8),
        fc.constantFrom(1, 1e-3, 1 / 3),
        async (dims, k, steps, offset, step) => {
          const values = Float64Array.from(steps, (value) => offset + step * value);
          const own = { count: Math.floor(values.length / dims), dims, values };
          const at = Float64Array.from({ length: k * dims }, (_, j) => (values[j % 7]! + values[(3 * j) % 5]!) / 2);
          const search = await backend.openNearest(own, k);
          const expected = await typescriptBackend.openNearest(own, k);
          try {
            expect(await search.assign(at)).toEqual(await expected.assign(at));
          } finally {
            await search.dispose();
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** By the definition. */
function nearest(): { labels: Int32Array; squares: Float64Array } {
  const squares = (p: number): number[] =>
    Array.from({ length: 10 }, (_, c) =>
      [0, 1, 2, 3].reduce((sum, d) => {
        const gap = points.values[4 * p + d]! - centroids[4 * c + d]!;
        return sum + gap * gap;
      }, 0),
    );
  const all = Array.from({ length: points.count }, (_, p) => squares(p));
  return {
    labels: Int32Array.from(all, (own) => own.indexOf(Math.min(...own))),
    squares: Float64Array.from(all, (own) => Math.min(...own)),
  };
}
