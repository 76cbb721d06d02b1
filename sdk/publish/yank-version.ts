import { manifestKey, yankedKey } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { sha256 } from "../digest.ts";
import type { BundleIndex } from "./bundle-index.ts";
import type { BundleStore } from "./bundle-store.ts";
import { equalBytes } from "./equal-bytes.ts";
import { updateIndex, type UpdateOptions } from "./update-index.ts";
import { encodeYank, type Yank } from "./yank.ts";

/** Which version is taken back, and how. */
export interface YankOptions extends UpdateOptions {
  readonly benchmark: string;
  readonly version: string;
}

/** Others that change the same version's yank in the meantime are tried against so often. */
const ATTEMPTS = 5;

/**
 * Yanks a version, or takes that back: its `yanked.json` says so, and the index follows. A yanked version goes on answering
 * by its number, with a warning; it isn't listed and is never `latest`. Doing it again finishes what broke off.
 * @throws AnchorEvalError `not_found`, `unavailable`
 * @example await yankVersion(store, { benchmark: "mine", version: "1.0.0" }, { yanked: true, reason: "wrong keys: use 1.0.1" })
 */
export async function yankVersion(
  store: BundleStore,
  { benchmark, version, ...options }: YankOptions,
  yank: Yank,
): Promise<BundleIndex> {
  const manifest = await store.get(manifestKey(benchmark, version));
  if (manifest === null) throw new AnchorEvalError("not_found", `no bundle ${benchmark}@${version} is published here`);
  await writeYank(store, yankedKey(benchmark, version), encodeYank(yank));
  return updateIndex(store, benchmark, `sha256:${await sha256(manifest.bytes)}`, options);
}

async function writeYank(store: BundleStore, key: string, bytes: Uint8Array): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const there = await store.get(key);
    if (there && equalBytes(there.bytes, bytes)) return;
    if (there ? await store.putIfMatch(key, bytes, there.etag) : await store.putIfAbsent(key, bytes)) return;
  }
  throw new AnchorEvalError("unavailable", `${key} is being changed by others all the time: try again`);
}
