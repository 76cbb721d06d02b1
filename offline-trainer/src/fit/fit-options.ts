import type { Manifest } from "anchoreval/bundle";
import type { CalibrationBackend } from "../calibrate/types.ts";
import type { Calibrate } from "./checkpoint.ts";
import type { FitConfiguration } from "./configuration.ts";

/** What a bundle says about itself and its data. */
export interface BundleDescription {
  readonly benchmark: string;
  readonly version: string;
  /** ISO 8601; never the clock's. */
  readonly created: string;
  readonly benchmarkVersion?: string;
  readonly description?: string;
  readonly protocol?: Manifest["protocol"];
  readonly licence?: string;
  readonly source?: string;
  readonly includeModelNames?: boolean;
  readonly includeText?: boolean;
}

export interface FitOptions extends BundleDescription {
  readonly configuration: FitConfiguration;
  /** Anchors per scenario, one form each. */
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly backend: CalibrationBackend;
  /** What calibrates, say {@link checkpointed} in a folder. */
  readonly calibrator?: Calibrate;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number, note: string) => void;
}
