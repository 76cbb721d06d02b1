import type { ComparedModel } from "anchoreval/internal/features/sdk";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { ItemLines } from "anchoreval/internal/core/bundle/item-lines";

/** The subject of a request to the bridge. */
export interface BridgeSubject {
  readonly bundle: Bundle;
  readonly models: readonly ComparedModel[];
  /** Earlier runs of theirs. */
  readonly before: readonly ComparedModel[];
  /** Reads what answers to other items than anchors need. */
  readonly ready: () => Promise<void>;
  /** The names of all the bundle's items, which are read for this. */
  readonly lines: () => Promise<ItemLines>;
}

/** A call of a feature. @param request - as it came, with the fields that are the call's alone */
export type BridgeCall = (subject: BridgeSubject, request: never) => Promise<unknown>;

/** A call that needs no bundle. @param models - answers @param options - as they came */
export type BareCall = (models: readonly ComparedModel[], options: never) => unknown;
