import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import type { BundleFact } from "../../../sdk/words/bundle-words.ts";
import { counted } from "../../../sdk/words/figures.ts";
import { subscoresPart } from "../core/part.ts";

/** The groups that a bundle knows scores of. */
export function subscoreFacts(manifest: Manifest): BundleFact[] {
  const noted = Object.entries(partOf(manifest, subscoresPart) ?? {});
  if (noted.length === 0) return [];
  const value = noted.map(([id, { groups }]) => `${id} ${counted(groups.length, "group")}`).join(", ");
  return [{ label: "subscores", value }];
}
