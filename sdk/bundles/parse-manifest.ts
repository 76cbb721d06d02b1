import { decodeManifest } from "../core/bundle/decode-manifest.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import { PARTS } from "../../features/core.ts";

/**
 * Parses and checks manifest.json, and the parts in it that this version knows.
 * @throws AnchorEvalError `bundle_corrupt` where its bytes aren't those of its checksum, `bundle_format_unsupported` for a
 * newer format major, `bundle_invalid` with a list of issues for anything that breaks the format; unknown fields are ignored
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  return decodeManifest(bytes, PARTS);
}
