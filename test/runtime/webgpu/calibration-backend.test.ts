import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { resolveBackend } from "../../../offline-trainer/src/backends/resolve-backend.ts";
import { calibrate } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { describeCalibrationBackend } from "../../conformance/calibration-backend.suite.ts";
import { describeDeviceOptimizer } from "../../conformance/device-optimizer.suite.ts";
import { whyNot } from "../../support/why-not.ts";
import { simulatedResponses } from "../../unit/calibrate/simulated-responses.ts";

// Blocks so small that a software device computes several of them in time.
const backend = onnxNodeBackend({ provider: "webgpu", blockCells: 2048 });
const unavailable = await whyNot(backend);

describeCalibrationBackend(`${backend.name} in Node`, backend, {
  unavailable,
  manyBlocks: [
    { subjects: 20, items: 200 },
    { subjects: 100, items: 40 },
  ],
});

const steps = onnxNodeBackend({ provider: "webgpu", rounds: "steps", blockCells: 250 });
describeDeviceOptimizer(`${steps.name} in Node, in steps,`, steps, { unavailable, runs: 1 });

const title = "--provider webgpu ends at the CPU's float64 optimum";
test.skipIf(unavailable !== null)(unavailable === null ? title : `${title} (${unavailable})`, async () => {
  const { responses } = simulatedResponses({ subjects: 24, items: 48, dims: 2, missing: 0.1 });
  // One round: the scales stay at where they begin, and both have the same optimum to find.
  const options = { dims: 2, rounds: 1, tolerance: 1e-13, maxEvaluations: 300 };
  const { backend: webgpu } = await resolveBackend("webgpu", { threads: 1 });
  const own = await calibrate(responses, { ...options, backend: webgpu, random: createRandom(1) });
  const cpu = onnxNodeBackend({ provider: "cpu", precision: "float64", threads: 1 });
  const { value } = await calibrate(responses, { ...options, backend: cpu, random: createRandom(1) });
  expect(Math.abs(own.value / value - 1)).toBeLessThan(1e-9);
});
