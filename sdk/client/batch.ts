import type { Issue } from "../core/errors.ts";
import type { Estimate } from "../estimate/types.ts";

/** Why there is no estimate. */
export interface Unscored {
  readonly problem: { readonly code: string; readonly detail: string; readonly issues: readonly Issue[] };
}

/** One model of a batch: its estimate, or why there is none. */
export type BatchResult =
  { readonly model: string; readonly estimate: Estimate } | ({ readonly model: string } & Unscored);

/** A line of results: a model's place in the request, and its estimate or why there is none. */
export type BatchLine =
  | { readonly index: number; readonly model: string; readonly estimate: Estimate }
  | ({
      readonly index: number;
      /** null where the line of the request names none. */
      readonly model: string | null;
    } & Unscored);

/** A job: many models, estimated one part after another. */
export interface JobStatus {
  /** 128 random bits: whoever knows it may read the job. */
  readonly id: string;
  readonly benchmark: string;
  readonly version: string;
  /** Digest of the bundle. */
  readonly digest: string;
  readonly state: "running" | "done";
  readonly models: number;
  /** Models with an estimate so far. */
  readonly results: number;
  /** Models with a problem so far. */
  readonly problems: number;
  /** ISO 8601. */
  readonly created: string;
  /** When it can't be read any more. */
  readonly expires: string;
}
