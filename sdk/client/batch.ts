import type { Issue } from "../core/errors.ts";
import type { Estimate } from "../estimate/types.ts";

/** Why there is no estimate. */
interface Unscored {
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
