import { availableParallelism } from "node:os";
import { AnchorEvalError, checkNames, invalidOption, type OptionNames } from "anchoreval/internal/core/errors";
import { type CalibrationWork, predictedSeconds } from "../calibrate/calibration-work.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { uninterrupted } from "../threads/run-on-threads.ts";
import { aroundBackend } from "./interruptible.ts";
import { plainReason } from "./onnx/session.ts";
import { probeBackend } from "./probe-backend.ts";
import { typescriptBackend } from "./typescript.ts";

/** Where calibrations can be computed, by name. */
export const PROVIDERS = ["auto", "cuda", "webgpu", "cpu", "typescript"] as const;

/** Where calibrations are computed. */
export type Provider = (typeof PROVIDERS)[number];

/** A backend that has started, and why it is this one. */
export interface ResolvedBackend {
  readonly backend: CalibrationBackend;
  /** The provider that `auto` chose, or the one asked for. */
  readonly provider: Exclude<Provider, "auto">;
  /** Which provider is used, and why: one plain line. */
  readonly reason: string;
}

/** ONNX Runtime's part: its import fails where there is no build for the machine. */
type OnnxModule = Pick<typeof import("./node/onnx-node-backend.ts"), "onnxNodeBackend">;

/** ONNX Runtime by itself first: a failure below another module ends the process in Node 20, caught or not. */
async function loadOnnx(): Promise<OnnxModule> {
  await import("onnxruntime-node");
  return import("./node/onnx-node-backend.ts");
}

interface BackendOptions {
  /** Of the CPU provider. @default one a core */
  readonly threads?: number;
  /** The calibrations to come, for `auto` to weigh. */
  readonly work: CalibrationWork;
  /** Imports ONNX Runtime's part; called only where it is needed. */
  readonly load?: () => Promise<OnnxModule>;
}

const BACKEND_OPTIONS: OptionNames<BackendOptions> = { threads: "number", work: true, load: true };

/**
 * Chooses the backend of calibration. `auto` tries CUDA where the work takes less time there, its start counted in, and
 * falls back to the CPU, or to plain TypeScript where ONNX Runtime can't be loaded, with the reason.
 * @throws AnchorEvalError `unavailable` where a provider that is asked for by name doesn't start; `invalid_option` for
 *   `auto` without work
 * @example
 * const work = { models: 40, items: 300, dims: 8, scenarios: 3, calibrations: 7 };
 * const { backend, reason } = await resolveBackend("auto", { work });
 */
export function resolveBackend(
  provider: Exclude<Provider, "auto">,
  options?: Partial<BackendOptions>,
): Promise<ResolvedBackend>;
export function resolveBackend(provider: Provider, options: BackendOptions): Promise<ResolvedBackend>;
export async function resolveBackend(
  provider: Provider,
  options: Partial<BackendOptions> = {},
): Promise<ResolvedBackend> {
  checkNames<Partial<BackendOptions>>(options, BACKEND_OPTIONS);
  const { threads = availableParallelism(), work, load = loadOnnx } = options;
  if (provider === "typescript") return { backend: typescriptBackend, provider, reason: "plain TypeScript: asked for" };
  let seconds: ReturnType<typeof predictedSeconds> | null = null;
  if (provider === "auto") {
    if (work === undefined)
      throw invalidOption(
        "the provider auto weighs the calibrations to come, the option work: give it, or another provider",
      );
    seconds = predictedSeconds(work, threads);
  }
  let onnxNodeBackend: OnnxModule["onnxNodeBackend"];
  try {
    ({ onnxNodeBackend } = await load());
  } catch (cause) {
    const machine = `${process.platform} ${process.arch}`;
    const failed = `ONNX Runtime can't be loaded on this machine (${machine}): ${plainReason(cause)}`;
    const reason = `plain TypeScript, much slower: ${failed}`;
    if (provider === "auto") return { backend: typescriptBackend, provider: "typescript", reason };
    throw new AnchorEvalError("unavailable", `${failed}; \`provider: "typescript"\` needs nothing of it`, { cause });
  }
  const onCpu = (precision: "float32" | "float64"): CalibrationBackend =>
    onnxNodeBackend({ provider: "cpu", precision, threads });
  if (provider === "cpu") return { backend: onCpu("float32"), provider, reason: "ONNX Runtime on the CPU: asked for" };
  if (provider === "webgpu") {
    const backend = onnxNodeBackend({ provider, rounds: "steps", finish: onCpu("float64") });
    await probeBackend(backend, { keep: true });
    return { backend, provider, reason: "ONNX Runtime on WebGPU: asked for" };
  }
  if (seconds !== null && seconds.cpu <= seconds.cuda) {
    const reason = `ONNX Runtime on the CPU: calibrations take about ${inSeconds(seconds.cpu)} here, ${inSeconds(seconds.cuda)} on a card with its start`;
    return { backend: onCpu("float32"), provider: "cpu", reason };
  }
  try {
    const backend = onnxNodeBackend({ provider: "cuda", rounds: "loop" });
    await probeBackend(backend);
    const how =
      seconds === null
        ? "asked for"
        : `calibrations take about ${inSeconds(seconds.cuda)} here with its start, ${inSeconds(seconds.cpu)} on the CPU`;
    return { backend, provider: "cuda", reason: `ONNX Runtime on CUDA: ${how}` };
  } catch (error) {
    if (provider === "cuda" || !(error instanceof AnchorEvalError)) throw error;
    const cause = plainReason(error.cause ?? error);
    const absent = /Failed to load shared library|backend not found/.test(cause); // as on most machines: nothing has gone wrong
    const why = absent ? "CUDA's libraries aren't here" : `CUDA can't be used: ${cause}`;
    return { backend: onCpu("float32"), provider: "cpu", reason: `ONNX Runtime on the CPU: ${why} (docs/gpu.md)` };
  }
}

function inSeconds(seconds: number): string {
  return seconds < 1 ? "a second" : `${Math.ceil(seconds)} s`;
}

/** The backend of a provider for one thread of many: the thread is never ended amid one of its calls. */
export async function threadBackend(provider: ResolvedBackend["provider"]): Promise<CalibrationBackend> {
  const { backend } = await uninterrupted(() => resolveBackend(provider, { threads: 1 }));
  return aroundBackend(backend, uninterrupted);
}
