import type { Manifest } from "anchoreval/bundle";
import type { ItemFeatures } from "../methods/sublime/item-features.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import type { FitConfiguration } from "./configuration.ts";
import type { FoldThreads } from "./fold-threads.ts";
import type { StandingVersion } from "./standing-version.ts";

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
  /** Anchors of all scenarios together, one form each, shared as evenly as the scenarios allow. @default none */
  readonly totals?: readonly number[];
  /** For each form a second one of as many other items. @default false */
  readonly secondForms?: boolean;
  readonly seed: number;
  /** Family by model name, for models that are held out by whole families; where it has none, the name tells. */
  readonly families?: ReadonlyMap<string, string>;
  /** What is known of the items apart from answers, in the order of the matrix, for selections that look at it. */
  readonly itemFeatures?: ItemFeatures;
  /** Names of models that describe subsets of items by their scores, for selections that ask some. */
  readonly anchorModels?: readonly string[];
  /** An earlier version's items and anchors that stay; held-out models are fitted without. @default none */
  readonly standing?: StandingVersion;
  readonly backend: CalibrationBackend;
  /** Held-out models are computed on threads. The bundle doesn't depend on it. @default on the caller's own */
  readonly threads?: FoldThreads;
  /** Folder where calibrations leave their state, after each round, to go on from there to the same end. */
  readonly checkpoint?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number, note: string) => void;
}
