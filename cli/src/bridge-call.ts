import type { ComparedModel } from "anchoreval/internal/compare/types";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { ItemLines } from "anchoreval/internal/core/bundle/item-lines";

/** What a request to the bridge is about. */
export interface BridgeSubject {
  readonly bundle: Bundle;
  readonly models: readonly ComparedModel[];
  /** The names of all the bundle's items, which are read for this. */
  readonly lines: () => Promise<ItemLines>;
}

/** A call of a feature. @param request - as it came, with the fields that are the call's alone */
export type BridgeCall = (subject: BridgeSubject, request: never) => Promise<unknown>;
