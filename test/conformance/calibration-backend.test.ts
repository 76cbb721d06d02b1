import * as web from "onnxruntime-web";
import { expect, test } from "vitest";
import { onnxNodeBackend } from "../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { onnxBackend } from "../../offline-trainer/src/backends/onnx/onnx-backend.ts";
import { PROVIDERS } from "../../offline-trainer/src/backends/resolve-backend.ts";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../offline-trainer/src/calibrate/types.ts";
import { whyNot } from "../support/why-not.ts";
import { describeCalibrationBackend } from "./calibration-backend.suite.ts";

web.env.wasm.numThreads = 1;

const put = new Set<string>();
const describeBackend = (backend: CalibrationBackend, unavailable: string | null = null): void => {
  put.add(backend.name);
  describeCalibrationBackend(`${backend.name}, ${backend.precision}`, backend, { unavailable });
};

// These must start wherever the tests run.
describeBackend(typescriptBackend);
for (const precision of ["float32", "float64"] as const) {
  describeBackend(onnxNodeBackend({ provider: "cpu", precision, threads: 1 }));
  describeBackend(onnxBackend(web, { provider: "wasm", precision }));
}
const cuda = onnxNodeBackend({ provider: "cuda" });
describeBackend(cuda, await whyNot(cuda));

test("every provider is put to the suite; webgpu in test/runtime/webgpu, where a device may be found", () => {
  const named = PROVIDERS.filter((provider) => provider !== "auto" && provider !== "webgpu").map((provider) =>
    provider === "typescript" ? provider : `onnxruntime-${provider}`,
  );
  expect([...put].sort()).toEqual([...named, "onnxruntime-wasm"].sort());
});
