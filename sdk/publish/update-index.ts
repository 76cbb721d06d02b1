import { indexKey } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { completeIndex, encodeIndex, parseIndex, type BundleIndex } from "./bundle-index.ts";
import type { BundleStore } from "./bundle-store.ts";
import { equalBytes } from "./equal-bytes.ts";

/** How an index is changed that others may be changing, too. */
export interface UpdateOptions {
  /** Waits before another try at an index that another publisher is changing. @default setTimeout */
  readonly pause?: (milliseconds: number) => Promise<void>;
}

/** R2 allows one write a second per key; the index is the only key that publishers share. */
const INDEX_ATTEMPTS = 8;
const INDEX_WAIT = 1100;

/**
 * Brings the index to what lies in the versions' folders, unless another publisher is quicker: then once more from what
 * that one wrote. What was written is compared with the folders again: whoever writes the index last has read them last,
 * so that of two who yank and take it back at once the index says what `yanked.json` says.
 * @param digest - of the bundle, from which waits differ between publishers
 * @throws AnchorEvalError `unavailable` after the last attempt
 */
export async function updateIndex(
  store: BundleStore,
  benchmark: string,
  digest: string,
  { pause = sleep }: UpdateOptions,
): Promise<BundleIndex> {
  const key = indexKey(benchmark);
  const jitter = Number.parseInt(digest.slice(-3), 16) / 4; // up to a second, other for every bundle
  let cause: unknown;
  for (let attempt = 0; attempt < INDEX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(INDEX_WAIT + attempt * jitter);
    try {
      const there = await store.get(key);
      const index = await completeIndex(store, benchmark, there && parseIndex(there.bytes));
      const bytes = encodeIndex(index);
      if (there && equalBytes(there.bytes, bytes)) return index;
      const written = there ? await store.putIfMatch(key, bytes, there.etag) : await store.putIfAbsent(key, bytes);
      if (written && equalBytes(encodeIndex(await completeIndex(store, benchmark, index)), bytes)) return index;
    } catch (error) {
      if (!(error instanceof AnchorEvalError && error.code === "unavailable")) throw error;
      cause = error;
    }
  }
  throw new AnchorEvalError(
    "unavailable",
    `${benchmark}: the version is published, its index.json could not be updated in ${INDEX_ATTEMPTS} attempts; publish again to finish`,
    { cause },
  );
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
