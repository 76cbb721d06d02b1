import type { BaseManifest } from "anchoreval/bundle";
import type { KnownItems } from "../calibrate/known-items.ts";
import type { ScoreLink } from "./configuration.ts";

/** Items of a bank that all keep their parameters, and where its scores are cut. */
export interface StandingItems {
  readonly known: KnownItems;
  /** By scenario; null where every score is 0 or 1, or none is cut. */
  readonly thresholds: readonly (number | null)[];
}

/** A bank that is on an earlier version's scale. */
export interface StandingBank extends StandingItems {
  readonly dims: number;
  readonly link: ScoreLink;
}

/** What of an earlier version's bundle a fit keeps. */
export interface StandingVersion {
  /** By bank. */
  readonly banks: ReadonlyMap<string, StandingBank>;
  /** The earlier anchors by scenario and form: ids of those that are still items, of how many. */
  readonly anchors: ReadonlyMap<
    string,
    ReadonlyMap<string, { readonly kept: ReadonlySet<string>; readonly of: number }>
  >;
  /** Ids of the items that weren't in the earlier version, and so could be no anchors. */
  readonly fresh: ReadonlySet<string>;
  /** What the manifest says of it. */
  readonly record: Omit<BaseManifest, "anchors">;
}
