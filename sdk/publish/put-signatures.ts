import { encodeSignatures, mergeSignatures, parseSignatures } from "../core/bundle/signature.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { BundleStore } from "./bundle-store.ts";
import { equalBytes } from "./equal-bytes.ts";

/** Others that add theirs in the meantime are tried against so often. */
const ATTEMPTS = 5;

/**
 * Adds signatures of a manifest to those that lie there: a new key's beside the old one's.
 * @param bytes - manifest.sig
 * @returns manifest.sig as it is now
 * @throws AnchorEvalError `bundle_invalid` where it can't be read, `unavailable`
 */
export async function putSignatures(store: BundleStore, key: string, bytes: Uint8Array): Promise<Uint8Array> {
  const added = parseSignatures(bytes);
  if (added === null) throw new AnchorEvalError("bundle_invalid", "manifest.sig can't be read: sign the bundle again");
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const there = await store.get(key);
    const merged = encodeSignatures(mergeSignatures((there && parseSignatures(there.bytes)) ?? [], added));
    if (there && equalBytes(there.bytes, merged)) return merged;
    if (there ? await store.putIfMatch(key, merged, there.etag) : await store.putIfAbsent(key, merged)) return merged;
  }
  throw new AnchorEvalError("unavailable", `${key} is being changed by others all the time: try again`);
}
