import { equalBytes } from "../../../sdk/bundles/bytes.ts";
import { decodeJson, nullable, object, readOrNull, text } from "../../../sdk/core/bundle/schema.ts";
import { indexKey, logKey, publisherKey, yankedKey } from "../../../sdk/core/bundle/names.ts";
import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { parseYank } from "../../../sdk/core/bundle/decode-manifest.ts";
import { type BundleIndex, completeIndex, parseIndex } from "../../../sdk/bundles/bundle-index.ts";
import { encodeJson, putVersion, type BundleStore } from "../../../sdk/bundles/bundle-store.ts";
import {
  headOf,
  type LogEntry,
  type PublicationLog,
  type Publisher,
  readLog,
  requireHead,
  statesOf,
  withEntries,
} from "../../../sdk/bundles/publication-log.ts";

/** How an index is changed that others may be changing, too. */
export interface UpdateOptions {
  /** Waits before another try at an index that another publisher is changing. @default setTimeout */
  readonly pause?: (milliseconds: number) => Promise<void>;
  /** Who makes the change, for the log: a token's id, or a public key. @default null, nobody who is known */
  readonly publisher?: string | null;
  /** Milliseconds since 1970, for the log. @default Date.now */
  readonly now?: () => number;
}

/** The name and time that the log is to have of a change, written beside it before it counts: whoever comes next can log it, too. */
export function signature({ publisher = null, now = Date.now }: UpdateOptions): Publisher {
  return { publisher, time: new Date(now()).toISOString() };
}

/** R2 allows one write a second per key; the index and the log are the only keys that publishers share. */
const INDEX_ATTEMPTS = 8;
const INDEX_WAIT = 1100;

/** A version that was changed. */
export interface ChangedVersion {
  readonly benchmark: string;
  readonly version: string;
  /** Of the bundle: waits differ with it between publishers. */
  readonly digest: string;
  /**
   * Sees to it that the version's contents are there, now that its manifest is, or throws: a sweep that had looked before the
   * manifest was there may have removed one. Called before the version is listed. @default they are looked for
   */
  readonly ensureContents?: () => Promise<void>;
}

/**
 * Brings the log and then the index to what lies in the versions' folders, unless another publisher is quicker: then once more
 * from what that one wrote. What was written is compared with the folders again: whoever writes the index last has read them
 * last, so that of two who yank and take it back at once the index says what `yanked.json` says.
 *
 * Each write is made only on what was read before. The log is read after the index that names its head, so it has come at
 * least that far; the index has the versions that the log has, and names the head that has them. A publisher that dies before
 * either leaves what the next one logs, from what {@link signature} left; one that dies between leaves a log that is ahead.
 * A version has a line, and is listed, only once its contents were seen to be there after its manifest.
 * @throws AnchorEvalError `unavailable` after the last attempt; `bundle_corrupt` where the log was changed by another hand
 */
export async function updateIndex(
  store: BundleStore,
  { benchmark, version, digest, ensureContents }: ChangedVersion,
  { pause = sleep }: UpdateOptions,
): Promise<BundleIndex> {
  const key = indexKey(benchmark);
  const jitter = Number.parseInt(digest.slice(-3), 16) / 4; // up to a second, other for every bundle
  let cause: unknown;
  for (let attempt = 0; attempt < INDEX_ATTEMPTS; attempt++) {
    if (attempt > 0) await pause(INDEX_WAIT + attempt * jitter);
    try {
      await ensureContents?.();
      const there = await store.get(key);
      const earlier = there && parseIndex(there.bytes);
      const before = await readLog(store, benchmark);
      if (earlier?.log) requireHead(before, earlier.log, `${store.name}: ${logKey(benchmark)}`, "its index");
      const logged = before.entries.map((entry) => entry.version);
      const content = await completeIndex(store, benchmark, earlier, ensureContents ? [version, ...logged] : logged);
      const log = await extendLog(store, content, before);
      if (log === null || (log !== before && !(await putVersion(store, logKey(benchmark), log.bytes, before.etag))))
        continue;
      const head = headOf(log);
      const index = { ...content, ...(head && { log: head }) };
      const bytes = encodeJson(index);
      if (there && equalBytes(there.bytes, bytes)) return index;
      if (!(await putVersion(store, key, bytes, there && there.etag))) continue;
      const { versions, latest } = await completeIndex(store, benchmark, index);
      if (equalBytes(encodeJson({ ...index, latest, versions }), bytes)) return index;
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

/**
 * A log with an entry of all that an index says and the log doesn't.
 * @returns null where a version was yanked or offered again since the index was made
 * @throws AnchorEvalError `bundle_corrupt` where a version is another bundle than the one that was published
 */
async function extendLog(
  store: Pick<BundleStore, "get">,
  { benchmark, versions }: BundleIndex,
  log: PublicationLog,
): Promise<PublicationLog | null> {
  const states = statesOf(log);
  const added: Omit<LogEntry, "entry" | "previous">[] = [];
  for (const { version, digest, yanked, reason } of versions) {
    const logged = states.get(version);
    if (logged && logged.digest !== digest)
      throw new AnchorEvalError(
        "bundle_corrupt",
        `${benchmark}@${version} is ${digest}, and was published as ${logged.digest}: restore that one`,
      );
    if (!logged) {
      const by = readPublisher((await store.get(publisherKey(benchmark, digest.slice("sha256:".length))))?.bytes);
      added.push({ version, digest, action: by.time === null ? "found" : "publish", ...by });
    }
    if (yanked === (logged?.yanked ?? false) && reason === logged?.reason) continue;
    const record = await store.get(yankedKey(benchmark, version));
    const now = record && parseYank(record.bytes); // null: a version that was yanked before there were such files
    if (now && (now.yanked !== yanked || (now.yanked ? now.reason : undefined) !== reason)) return null;
    const by = readPublisher(record?.bytes);
    added.push({ version, digest, action: yanked ? "yank" : "unyank", ...by, ...(reason !== undefined && { reason }) });
  }
  return added.length === 0 ? log : withEntries(log, added);
}

const publisherRecord = object({ publisher: nullable(text()), time: nullable(text()) });

function readPublisher(bytes: Uint8Array | undefined): Publisher {
  const record = bytes && readOrNull(publisherRecord, () => decodeJson(bytes));
  return record ?? { publisher: null, time: null }; // nothing is there, or it is damaged: nobody knows
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
