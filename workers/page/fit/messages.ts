import type { Issue } from "anchoreval";

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
