import { type BundleContent, encodeLines } from "../../../sdk/core/bundle/encode.ts";
import type { BundleFileName } from "../../../sdk/core/bundle/names.ts";
import { withPart } from "../../../sdk/core/bundle/part.ts";
import { type ColdItemRecord, type ColdStartManifest, coldStartPart } from "./cold-start.ts";
import { encodeRouting, type RoutingContent } from "./routing-file.ts";

/** Items without answers, and what routes are made from where the source models have names. */
export interface ColdStart {
  readonly manifest: ColdStartManifest;
  readonly items: readonly ColdItemRecord[];
  readonly routing: RoutingContent | null;
}

/** A bundle's content with a cold start, and the files that it has. */
export function withColdStart(content: BundleContent, { manifest, items, routing }: ColdStart): BundleContent {
  const ids = content.manifest.scenarios.map(({ id }) => id);
  const files = new Map<BundleFileName, Uint8Array>(content.files);
  files.set("cold-items.jsonl", encodeLines(items));
  if (routing) files.set("routing.safetensors", encodeRouting(routing, ids));
  return { ...content, manifest: withPart(content.manifest, coldStartPart, manifest), files };
}
