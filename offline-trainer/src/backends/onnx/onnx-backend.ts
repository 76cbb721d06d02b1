import { AnchorEvalError } from "anchoreval/core";
import { env, InferenceSession, Tensor } from "onnxruntime-node";
import type { CalibrationBackend, CodedResponses, Objective, Parameters } from "../../calibrate/types.ts";
import { objectiveGraph } from "./objective-graph.ts";

export interface OnnxBackendOptions {
  /** Execution provider of ONNX Runtime: `cpu`, `cuda`, `webgpu`, … */
  readonly provider: string;
  readonly precision: "float32" | "float64";
  /** Threads of the CPU provider. @default ONNX Runtime's own choice */
  readonly threads?: number;
}

// A provider that does not start is reported by its error, not on standard error besides.
env.logLevel = "fatal";

/** Calibration on ONNX Runtime: the value-and-gradient graph on any of its execution providers. */
export function onnxBackend({ provider, precision, threads }: OnnxBackendOptions): CalibrationBackend {
  return {
    name: `onnxruntime-${provider}`,
    precision,
    open: async (responses, dims) => {
      let session: InferenceSession;
      try {
        session = await InferenceSession.create(objectiveGraph(responses, dims, precision), {
          executionProviders: [provider],
          logSeverityLevel: 4,
          ...(threads !== undefined && { intraOpNumThreads: threads }),
        });
      } catch (cause) {
        throw unavailable(`could not start its ${provider} provider`, cause);
      }
      return onnxObjective(session, responses, dims, { provider, precision });
    },
  };
}

/** Some providers fail when a session is made, others at its first run. */
function unavailable(what: string, cause: unknown): AnchorEvalError {
  const why = cause instanceof Error ? cause.message.split("\n")[0]! : String(cause);
  return new AnchorEvalError("unavailable", `ONNX Runtime ${what}: ${why}`, { cause });
}

function onnxObjective(
  session: InferenceSession,
  responses: CodedResponses,
  dims: number,
  { provider, precision }: Pick<OnnxBackendOptions, "provider" | "precision">,
): Objective {
  const { subjects, items, signs } = responses;
  const width = dims + 1;
  let missing = 0;
  for (const sign of signs) if (sign === 0) missing++;
  const array = (length: number): Float32Array | Float64Array =>
    precision === "float32" ? new Float32Array(length) : new Float64Array(length);
  const x = array(subjects * width);
  const y = array(items * width);
  const feeds = {
    X: new Tensor(precision, x as never, [subjects, width]),
    A: new Tensor(precision, y as never, [items, width]),
  };
  const evaluate = async ({ theta, a, b }: Parameters, gradient: Parameters): Promise<number> => {
    for (let m = 0; m < subjects; m++) {
      for (let d = 0; d < dims; d++) x[m * width + d] = theta[m * dims + d]!;
      x[m * width + dims] = -1;
    }
    for (let i = 0; i < items; i++) {
      for (let d = 0; d < dims; d++) y[i * width + d] = a[i * dims + d]!;
      y[i * width + dims] = b[i]!;
    }
    const results = await session.run(feeds).catch((cause: unknown) => {
      throw unavailable(`failed on its ${provider} provider`, cause);
    });
    const values = results["value"]!.data as Float32Array;
    const bySubject = results["subjects"]!.data as Float32Array;
    const byItem = results["items"]!.data as Float32Array;
    for (let m = 0; m < subjects; m++)
      for (let d = 0; d < dims; d++) gradient.theta[m * dims + d] = bySubject[m * width + d]!;
    let value = -missing * Math.LN2; // a missing cell has log 2
    for (let i = 0; i < items; i++) {
      value += values[i]!;
      for (let d = 0; d < dims; d++) gradient.a[i * dims + d] = byItem[i * width + d]!;
      gradient.b[i] = byItem[i * width + dims]!;
    }
    return value;
  };
  return { evaluate, dispose: () => session.release() };
}
