import { decodeJson } from "./schema.ts";

/** yanked.json of a version: the last word on whether it is yanked. */
export type Yank = { readonly yanked: true; readonly reason: string } | { readonly yanked: false };

/** Parses yanked.json; one that is damaged still yanks: someone wanted nobody to take this version. */
export function parseYank(bytes: Uint8Array): Yank {
  try {
    const { yanked, reason } = decodeJson(bytes) as Partial<Yank> & {
      reason?: unknown;
    };
    if (yanked === false) return { yanked };
    if (typeof reason === "string") return { yanked: true, reason };
  } catch {
    // Not JSON: see below.
  }
  return { yanked: true, reason: "its yanked.json is damaged" };
}
