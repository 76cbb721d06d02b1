import { expect, test } from "vitest";
import { onnxNodeBackend } from "../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { PROVIDERS } from "../../offline-trainer/src/backends/resolve-backend.ts";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import type { CalibrationBackend } from "../../offline-trainer/src/calibrate/types.ts";
import { describeCalibrationBackend } from "./calibration-backend.suite.ts";

/** Why a backend doesn't start here; null where it does. */
async function whyNot(backend: CalibrationBackend): Promise<string | null> {
  try {
    const objective = await backend.open({ subjects: 1, items: 1, signs: Int8Array.of(1) }, 1);
    await objective.dispose();
    return null;
  } catch (error) {
    expect(error).toMatchObject({ code: "unavailable" });
    return (error as Error).message;
  }
}

const put = new Set<string>();
const describeBackend = (backend: CalibrationBackend, unavailable: string | null): void => {
  put.add(backend.name);
  describeCalibrationBackend(`${backend.name}, ${backend.precision}`, backend, unavailable);
};

describeBackend(typescriptBackend, null);
// These two must start wherever the tests run.
describeBackend(onnxNodeBackend({ provider: "cpu", precision: "float32", threads: 1 }), null);
describeBackend(onnxNodeBackend({ provider: "cpu", precision: "float64", threads: 1 }), null);
for (const accelerated of [
  onnxNodeBackend({ provider: "cuda", precision: "float64" }),
  onnxNodeBackend({ provider: "webgpu", precision: "float32" }),
])
  describeBackend(accelerated, await whyNot(accelerated));

test("every provider is put to the suite", () => {
  const named = PROVIDERS.filter((provider) => provider !== "auto").map((provider) =>
    provider === "typescript" ? provider : `onnxruntime-${provider}`,
  );
  expect([...put].sort()).toEqual(named.toSorted());
});
