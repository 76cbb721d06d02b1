import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { answeringDevice, askingBackend } from "../../../offline-trainer/src/calibrate/asked-device.ts";
import { calibrate } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { smallLeaderboard } from "../fit/small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 20, items: [24], missing: 0.1 });
const responses = codeResponses(matrix, [...matrix.subjects.keys()], null);
const graph = onnxNodeBackend({ provider: "cpu", precision: "float64", rounds: "loop" });

/** As threads ask: by copies, and other threads' questions in between. */
function asked(backend = graph) {
  const device = answeringDevice(() => backend);
  const of = (input: number) =>
    askingBackend(backend, async (question) => structuredClone(await device.answer(input, structuredClone(question))));
  return { device, of };
}
const calibrated = (backend = graph, seed = "asked") =>
  calibrate(responses, { dims: 2, backend, random: createRandom(seed) });

describe("a device that threads ask", () => {
  test("calibrates as it does for its own thread, for several at once", async () => {
    const { device, of } = asked();
    const both = await Promise.all([calibrated(of(0)), calibrated(of(1), "other")]);
    expect(both).toEqual([await calibrated(), await calibrated(graph, "other")]);
    await device.dispose();
  });

  test("calibrates some of a matrix's models", async () => {
    const { of } = asked();
    const rows = [0, 3, 4, 7, 8, 11, 15];
    const optima = [];
    for (const backend of [of(0), graph]) {
      const whole = await backend.openOptimizer!(responses, 1);
      const part = whole.among(rows);
      const point = () => ({ theta: new Float64Array(7), a: new Float64Array(24).fill(1), b: new Float64Array(24) });
      const scales = { aMean: Float64Array.of(1), aVariance: Float64Array.of(1), bMean: 0, bVariance: 4 };
      const prior = { mean: Float64Array.of(0), precision: Float64Array.of(1) };
      const scaling = {
        theta: new Float64Array(7).fill(9),
        a: new Float64Array(24).fill(9),
        b: new Float64Array(24).fill(9),
      };
      const at = point();
      const result = await part.optimize(at, {
        scales,
        prior,
        scaling,
        isFixed: null,
        maxEvaluations: 20,
        tolerance: 1e-9,
      });
      optima.push({ at, result, bytes: whole.bytes });
      await part.dispose();
      await whole.dispose();
    }
    expect(optima[0]).toEqual(optima[1]);
  });

  test("hands its failure to who asked, and answers others", async () => {
    const { device, of } = asked(onnxNodeBackend({ provider: "cpu", precision: "float64", rounds: "loop", memory: 1 }));
    expectRefusal(await rejection(calibrated(of(0))), "unavailable", "memory");
    expectRefusal(await rejection(calibrated(of(1))), "unavailable", "memory");
    await device.dispose();
  });
});
