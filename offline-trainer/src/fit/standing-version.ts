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
  /** Ids of the earlier anchors that are still items, by scenario and form. */
  readonly anchors: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  /** Ids of the items that weren't in the earlier version, and so could be no anchors. */
  readonly fresh: ReadonlySet<string>;
  /** What the manifest says of it. */
  readonly record: Omit<BaseManifest, "anchors">;
}
