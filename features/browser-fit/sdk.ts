import type { Issue } from "../../sdk/core/errors.ts";

/** The message that the page sends to a worker of the browser, which has the trainer (offline-trainer/browser/fit-worker.ts). */
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

/** The worker's messages to the page. */
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
