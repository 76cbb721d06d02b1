import * as web from "onnxruntime-web";
import { expect, test } from "vitest";
import { onnxNodeBackend } from "../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { onnxBackend } from "../../offline-trainer/src/backends/onnx/onnx-backend.ts";
import { PROVIDERS } from "../../offline-trainer/src/backends/resolve-backend.ts";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../offline-trainer/src/calibrate/types.ts";
import { whyNot } from "../support/why-not.ts";
import { WHOLE } from "../support/whole.ts";
import { describeDeviceOptimizer } from "./device-optimizer.suite.ts";
import { type ConformanceOptions, describeCalibrationBackend } from "./calibration-backend.suite.ts";

web.env.wasm.numThreads = 1;

const put = new Set<string>();
const describeBackend = (backend: CalibrationBackend, options: ConformanceOptions = {}): void => {
  put.add(backend.name);
  describeCalibrationBackend(`${backend.name}, ${backend.precision}`, backend, options);
};

// These must start wherever the tests run.
// Many blocks take seconds: once for each runtime and precision, and the reference isn't held against itself.
const few = WHOLE ? {} : { manyBlocks: [] };
describeBackend(typescriptBackend, few);
for (const precision of ["float32", "float64"] as const) {
  describeBackend(onnxNodeBackend({ provider: "cpu", precision, threads: 1 }), precision === "float64" ? few : {});
  describeBackend(onnxBackend(web, { provider: "wasm", precision }), precision === "float32" ? few : {});
}
const cuda = onnxNodeBackend({ provider: "cuda", rounds: "loop" });
const noCuda = await whyNot(cuda);
describeBackend(cuda, { unavailable: noCuda });
describeDeviceOptimizer("onnxruntime-cuda", cuda, { unavailable: noCuda });

// The graphs of whole rounds run on the CPU as well: in one block, in blocks of a row, and with a padded last one.
for (const rounds of ["loop", "steps"] as const) {
  for (const blockCells of [1 << 20, 1, 250])
    describeDeviceOptimizer(
      `a ${rounds === "loop" ? "round" : "step"} in a graph, on the CPU, ${blockCells} cells a block,`,
      onnxNodeBackend({ provider: "cpu", precision: "float64", rounds, blockCells }),
      { runs: WHOLE ? 200 : 8 },
    );
  describeDeviceOptimizer(
    `a ${rounds === "loop" ? "round" : "step"} in a graph, on the CPU, float32,`,
    onnxNodeBackend({ provider: "cpu", rounds, blockCells: 250 }),
    { runs: 3 },
  );
}

test("every provider is put to the suite; webgpu in test/runtime/webgpu, where a device may be found", () => {
  const named = PROVIDERS.filter((provider) => provider !== "auto" && provider !== "webgpu").map((provider) =>
    provider === "typescript" ? provider : `onnxruntime-${provider}`,
  );
  expect([...put].sort()).toEqual([...named, "onnxruntime-wasm"].sort());
});
