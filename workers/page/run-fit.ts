import { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "anchoreval";

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

/**
 * What the page and its worker (offline-trainer/browser) say to each other. The worker has these types too: workers and
 * trainer import nothing of each other, a test holds both to be the same.
 */
export interface FitRequest {
  /** Scores of many models on all items, as `fit --responses` reads them. */
  readonly responses: File;
  /** Items with their scenarios, as `fit --items` reads them. */
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
  /** @param share - of the fit that is done, in [0,1] */
  | { readonly kind: "progress"; readonly share: number; readonly note: string }
  /** The bundle's files, and what they are worth in plain words. */
  | {
      readonly kind: "done";
      readonly files: readonly (readonly [name: string, bytes: Uint8Array<ArrayBuffer>])[];
      readonly words: readonly string[];
    }
  | {
      readonly kind: "failed";
      /** Null for what isn't an AnchorEvalError. */
      readonly code: string | null;
      readonly message: string;
      readonly issues: readonly Issue[];
    };
