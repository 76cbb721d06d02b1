import { AnchorEvalError, type AnchorEvalErrorCode } from "anchoreval";
import type { FitReply, FitRequest } from "./messages.ts";

export interface FittedFiles {
  readonly files: ReadonlyMap<string, Blob>;
  /** What the bundle is worth, a sentence a form and scenario. */
  readonly words: readonly string[];
}

export interface RunFitOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number, note: string) => void;
  readonly onRemark: (message: string) => void;
}

/**
 * Fits a bundle in a web worker; ONNX Runtime is loaded there, and only then.
 * @throws AnchorEvalError what the fit throws; `aborted`; `unavailable` where the worker doesn't start
 */
export function runFit(request: FitRequest, { signal, onProgress, onRemark }: RunFitOptions): Promise<FittedFiles> {
  const worker = new Worker("/fit.js", { type: "module" });
  return new Promise<FittedFiles>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new AnchorEvalError("aborted", "the fit was stopped")));
    worker.onerror = (event) =>
      reject(
        new AnchorEvalError("unavailable", `the fit doesn't run in this browser: ${event.message || "no worker"}`),
      );
    worker.onmessage = ({ data }: MessageEvent<FitReply>) => {
      switch (data.kind) {
        case "remark":
          onRemark(data.message);
          break;
        case "progress":
          onProgress(data.share, data.note);
          break;
        case "failed":
          reject(failure(data));
          break;
        case "done":
          resolve({
            files: new Map(data.files.map(([name, bytes]) => [name, new Blob([bytes])])),
            words: data.words,
          });
      }
    };
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

/** The worker's error, as it was there. */
function failure({ code, message, issues }: Extract<FitReply, { readonly kind: "failed" }>): Error {
  return code === null ? new Error(message) : new AnchorEvalError(code as AnchorEvalErrorCode, message, { issues });
}
