import type { Weighting } from "anchoreval/bundle";
import type { SampleState } from "anchoreval/logs";
import type { HarnessName } from "anchoreval/node";
import type { RunMatching } from "./align-items.ts";
import type { ProtocolDifference } from "./check-protocols.ts";
import type { ScoreComparison } from "./compare-scores.ts";
import type { ErrorPolicy } from "./run-scores.ts";

/** What import.json holds: everything that was read, chosen and dropped. */
export interface ImportReport {
  readonly harness: HarnessName;
  readonly models: number;
  readonly items: number;
  readonly weighting: Weighting;
  /** For a bundle's manifest: one value where all runs agree, else by task, or `mixed`. */
  readonly protocol: Readonly<Record<string, string | number | boolean>>;
  readonly scenarios: readonly {
    readonly id: string;
    readonly tasks: readonly string[];
    readonly items: number;
    /** How the harness weights the tasks; null where nothing tells, or there is one task. */
    readonly weighting: Weighting | null;
  }[];
  readonly tasks: readonly { readonly task: string; readonly metric: string; readonly filter: string }[];
  readonly runs: readonly ReportedRun[];
  /** Older runs that were left out. */
  readonly dropped: readonly { readonly model: string; readonly task: string; readonly file: string }[];
  readonly errors: ErrorPolicy;
  readonly states: Readonly<Record<SampleState, number>>;
  readonly protocolDifferences: readonly ProtocolDifference[];
  /** Full scores beside the harness's own. */
  readonly scores: {
    readonly compared: number;
    readonly equal: number;
    readonly different: readonly ScoreComparison[];
  };
  readonly warnings: readonly string[];
}

/** A run as it was imported, and how it compares with what the harness reported. */
export interface ReportedRun extends RunMatching {
  readonly model: string;
  readonly task: string;
  readonly file: string;
  readonly results: string | null;
  readonly states: Readonly<Record<SampleState, number>>;
}
