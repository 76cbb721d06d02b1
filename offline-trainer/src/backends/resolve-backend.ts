import { AnchorEvalError } from "anchoreval/core";
import type { CalibrationBackend, Parameters } from "../calibrate/types.ts";
import { typescriptBackend } from "./typescript.ts";

export const PROVIDERS = ["auto", "cuda", "webgpu", "cpu", "typescript"] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface ResolvedBackend {
  readonly backend: CalibrationBackend;
  /** Which provider is used, and why: one plain line. */
  readonly reason: string;
}

/** ONNX Runtime's part: its import fails where there is no build for the machine. */
type OnnxModule = Pick<typeof import("./onnx/onnx-backend.ts"), "onnxBackend">;

/** ONNX Runtime by itself first: a failure below another module ends the process in Node 20, caught or not. */
async function loadOnnx(): Promise<OnnxModule> {
  await import("onnxruntime-node");
  return import("./onnx/onnx-backend.ts");
}

/**
 * Chooses the backend of calibration. `auto` tries CUDA, and falls back to the CPU, or to plain TypeScript where ONNX
 * Runtime can't be loaded, with the reason; a provider that is asked for by name must start. CUDA runs the float64
 * graph: its float32 is TF32, which misleads L-BFGS.
 * @param threads - threads of the CPU provider
 * @param load - imports ONNX Runtime's part; called only where it is needed
 * @throws AnchorEvalError `unavailable` where the named provider doesn't start
 */
export async function resolveBackend(
  provider: Provider,
  threads?: number,
  load: () => Promise<OnnxModule> = loadOnnx,
): Promise<ResolvedBackend> {
  if (provider === "typescript") return { backend: typescriptBackend, reason: "plain TypeScript: asked for" };
  let onnxBackend: OnnxModule["onnxBackend"];
  try {
    ({ onnxBackend } = await load());
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n")[0]! : String(cause);
    const failed = `ONNX Runtime can't be loaded on this machine (${process.platform} ${process.arch}): ${why}`;
    if (provider === "auto") return { backend: typescriptBackend, reason: `plain TypeScript, much slower: ${failed}` };
    throw new AnchorEvalError("unavailable", `${failed}; --provider typescript needs nothing of it`, { cause });
  }
  const cpu = onnxBackend({ provider: "cpu", precision: "float32", ...(threads !== undefined && { threads }) });
  if (provider === "cpu") return { backend: cpu, reason: "ONNX Runtime on the CPU: asked for" };
  const other =
    provider === "webgpu"
      ? onnxBackend({ provider: "webgpu", precision: "float32" })
      : onnxBackend({ provider: "cuda", precision: "float64" });
  try {
    await probe(other);
    return {
      backend: other,
      reason: `ONNX Runtime on ${provider === "webgpu" ? "WebGPU" : "CUDA"}: ${provider === "auto" ? "found" : "asked for"}`,
    };
  } catch (error) {
    if (provider !== "auto" || !(error instanceof AnchorEvalError)) throw error;
    return {
      backend: cpu,
      reason: "ONNX Runtime on the CPU: CUDA's provider did not start (docs/gpu.md tells how to install it)",
    };
  }
}

/** Runs one tiny objective: providers fail at the first session or the first run. */
async function probe(backend: CalibrationBackend): Promise<void> {
  const zeros = (): Parameters => ({ theta: new Float64Array(1), a: new Float64Array(1), b: new Float64Array(1) });
  const objective = await backend.open({ subjects: 1, items: 1, signs: Int8Array.of(1) }, 1);
  const value = await objective.evaluate(zeros(), zeros());
  await objective.dispose();
  if (!(Math.abs(value - Math.LN2) < 1e-3))
    throw new AnchorEvalError("unavailable", `${backend.name} computes wrong values (log 2 as ${value})`);
}
