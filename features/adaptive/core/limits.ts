import type { BundlePart } from "../../../sdk/core/bundle/part.ts";
import { anything } from "../../../sdk/core/bundle/schema.ts";

/** Limits that earlier trainers could put on how often adaptive evaluations give an item; these evaluations are refused. */
export const limitsPart: BundlePart<unknown> = { key: "exposure", at: "manifest", bears: "beside", schema: anything };
