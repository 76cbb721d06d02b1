import { expect, test } from "vitest";
import { plainReason, runtimeError } from "../../../offline-trainer/src/backends/onnx/session.ts";

test.each([
  ["Failed to load shared library\n  more lines", "Failed to load shared library"],
  [
    // as onnxruntime-node 1.30.0 says it without a driver
    "/onnxruntime_src/onnxruntime/core/providers/webgpu/webgpu_context.cc:136 onnxruntime::webgpu::WebGpuContext::" +
      "Initialize(const onnxruntime::webgpu::WebGpuContextConfig&)::<lambda()> adapter_result.status == " +
      "wgpu::RequestAdapterStatus::Success was false. Failed to get a WebGPU adapter: No supported adapters",
    "Failed to get a WebGPU adapter: No supported adapters",
  ],
  ["what it was false. about", "what it was false. about"],
])("%j is told as %j", (message, reason) => {
  expect(plainReason(new Error(message))).toBe(reason);
});

test("what isn't an error is told as it is", () => {
  expect(plainReason("out of memory")).toBe("out of memory");
});

test("a runtime's failure is `unavailable`, and keeps its cause", () => {
  const cause = new Error("no adapter\nat x");
  expect(runtimeError("could not start its webgpu provider", cause)).toMatchObject({
    code: "unavailable",
    message: "ONNX Runtime could not start its webgpu provider: no adapter",
    cause,
  });
});
