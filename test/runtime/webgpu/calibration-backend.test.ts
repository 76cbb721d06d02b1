import { afterAll } from "vitest";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { describeCalibrationBackend } from "../../conformance/calibration-backend.suite.ts";
import { keepOpen } from "../../support/keep-open.ts";
import { whyNot } from "../../support/why-not.ts";

// Blocks so small that a software device computes several of them in time.
const backend = onnxNodeBackend({ provider: "webgpu", blockCells: 2048 });
const unavailable = await whyNot(backend);
if (unavailable === null) afterAll(await keepOpen(backend));

describeCalibrationBackend(`${backend.name} in Node`, backend, {
  unavailable,
  manyBlocks: [
    { subjects: 20, items: 200 },
    { subjects: 100, items: 40 },
  ],
});
