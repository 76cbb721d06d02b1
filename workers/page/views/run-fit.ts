import { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "anchoreval";

export interface FittedFiles {
  readonly files: ReadonlyMap<string, Blob>;
  /** The bundle's accuracy, one sentence per form and scenario. */
  readonly words: readonly string[];
}

interface RunFitOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number, note: string) => void;
  readonly onRemark: (message: string) => void;
}

/**
 * Fits a bundle in a web worker, which loads ONNX Runtime.
 * @throws AnchorEvalError errors of the fit; `aborted`; `unavailable` if the worker doesn't start
 */
export function runFit(request: FitRequest, { signal, onProgress, onRemark }: RunFitOptions): Promise<FittedFiles> {
  const worker = new Worker("/fit.js", { type: "module" });
  return new Promise<FittedFiles>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new AnchorEvalError("aborted", "the fit was stopped")));
    worker.onerror = (event) =>
      reject(new AnchorEvalError("unavailable", `the fit can't run in this browser: ${event.message || "no worker"}`));
    worker.onmessage = ({ data }: MessageEvent<FitReply>) => {
      switch (data.kind) {
        case "remark":
          onRemark(data.message);
          break;
        case "progress":
          onProgress(data.share, data.note);
          break;
        case "failed":
          reject(toError(data));
          break;
        case "done": {
          const files = new Map(data.files.map(([name, bytes]) => [name, new Blob([bytes])]));
          resolve({ files, words: data.words });
        }
      }
    };
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

function toError({ code, message, issues }: Extract<FitReply, { readonly kind: "failed" }>): Error {
  return code === null ? new Error(message) : new AnchorEvalError(code as AnchorEvalErrorCode, message, { issues });
}

/**
 * The message that the page sends to its worker (offline-trainer/browser/fit-worker.ts). The worker declares the same types, since
 * workers and trainer never import each other; a test compares them.
 */
export interface FitRequest {
  /** Scores of many models on all items, in the formats of `fit --responses`. */
  readonly responses: File;
  /** Items with their scenarios, in the formats of `fit --items`. */
  readonly items: File | null;
  readonly benchmark: string;
  readonly version: string;
  /** Anchors per scenario, one form each. */
  readonly anchors: readonly number[];
  readonly seed: number;
  readonly provider: "auto" | "webgpu" | "wasm";
}

export type FitReply =
  | { readonly kind: "remark"; readonly message: string }
  /** `share`: completed share of the fit, in [0,1]. */
  | { readonly kind: "progress"; readonly share: number; readonly note: string }
  /** The bundle's files, and its accuracy in sentences. */
  | {
      readonly kind: "done";
      readonly files: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[];
      readonly words: readonly string[];
    }
  | {
      readonly kind: "failed";
      /** Null for errors other than AnchorEvalError. */
      readonly code: string | null;
      readonly message: string;
      readonly issues: readonly Issue[];
    };
