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
          return onRemark(data.message);
        case "progress":
          return onProgress(data.share, data.note);
        case "failed":
          return reject(
            data.code === null
              ? new Error(data.message)
              : new AnchorEvalError(data.code as AnchorEvalErrorCode, data.message, { issues: data.issues }),
          );
        case "done":
          return resolve({
            files: new Map(data.files.map(([name, bytes]) => [name, new Blob([bytes])])),
            words: data.words,
          });
      }
    };
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
