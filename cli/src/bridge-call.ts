import type { ComparedModel } from "anchoreval/internal/compare/types";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { ItemLines } from "anchoreval/internal/core/bundle/item-lines";

/** The subject of a request to the bridge. */
export interface BridgeSubject {
  readonly bundle: Bundle;
  readonly models: readonly ComparedModel[];
  /** The names of all the bundle's items, which are read for this. */
  readonly lines: () => Promise<ItemLines>;
}

/** A call of a feature. @param request - as it came, with the fields that are the call's alone */
export type BridgeCall = (subject: BridgeSubject, request: never) => Promise<unknown>;
