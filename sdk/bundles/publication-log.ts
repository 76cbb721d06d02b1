import { sha256 } from "./bytes.ts";
import { decodeJson, nullable, number, object, oneOf, readOrNull, text } from "../core/bundle/schema.ts";
import { logKey, VERSION } from "../core/bundle/names.ts";
import { AnchorEvalError } from "../core/errors.ts";
import type { BundleStore } from "./bundle-store.ts";

/** Who changes a benchmark, and when. */
export interface Publisher {
  /** The id of the token that was sent, or the public key that signed; null where there is neither. */
  readonly publisher: string | null;
  /** UTC, as ISO 8601; null where nobody knows: what was found there when the log was begun. */
  readonly time: string | null;
}

/** A line of log.jsonl: what was done to a version. */
export interface LogEntry extends Publisher {
  /** From 1, in steps of one. */
  readonly entry: number;
  readonly version: string;
  /** Digest of the bundle, `sha256:…`. */
  readonly digest: string;
  /** `found`: a version that was published before the benchmark had a log. */
  readonly action: "publish" | "found" | "yank" | "unyank";
  /** Of a yank. */
  readonly reason?: string;
  /** Digest of the line before this one, `sha256:…`; null for the first. */
  readonly previous: string | null;
}

/** A moment of a log: how many lines it had, and the digest of the last one, without its line end: `sha256:…`. */
export interface LogHead {
  readonly entries: number;
  readonly head: string;
}

/** A version as log and index know it. */
interface VersionState {
  readonly version: string;
  readonly digest: string;
  readonly yanked: boolean;
  readonly reason?: string | undefined;
}

/** log.jsonl, whose chain was checked. */
export interface PublicationLog {
  readonly bytes: Uint8Array;
  readonly entries: readonly LogEntry[];
  /** The digest of every line. */
  readonly heads: readonly string[];
}

const line = object(
  {
    entry: number({ min: 1, integer: true }),
    version: text({ pattern: VERSION }),
    digest: text(),
    action: oneOf(["publish", "found", "yank", "unyank"]),
    publisher: nullable(text()),
    time: nullable(text()),
    previous: nullable(text()),
  },
  { reason: text() },
);

/** Far above a line with the longest reason, which yanked.json has room for. @unit bytes */
const LONGEST_LINE = 1 << 20;

export const logHead = object({ entries: number({ min: 1, integer: true }), head: text() });

/**
 * Reads log.jsonl and checks its chain: each line names the digest of the one before.
 * @param name - for messages: the file and where it lies
 * @throws AnchorEvalError `bundle_corrupt`, which says at which line an entry was changed, cut out or moved
 */
export async function parseLog(bytes: Uint8Array, name: string): Promise<PublicationLog> {
  const [lines, entries]: [string[], LogEntry[]] = [[], []];
  // One after another: what isn't a log is given up at its first line.
  for (let begin = 0; begin < bytes.length;) {
    const end = bytes.indexOf(0x0a, begin);
    if (end < 0) throw broken(`${name} ends within line ${lines.length + 1}`);
    const content = bytes.subarray(begin, end);
    const entry = end - begin > LONGEST_LINE ? null : readOrNull(line, () => decodeJson(content));
    if (entry === null) throw broken(`${name}: line ${lines.length + 1} can't be read`);
    lines.push(new TextDecoder().decode(content));
    entries.push(entry);
    begin = end + 1;
  }
  const heads = await Promise.all(lines.map(digestOf));
  for (const [k, { entry, previous }] of entries.entries()) {
    if (entry <= k || (entry > k + 1 && entries.some((other, at) => at > k && other.entry < entry)))
      throw broken(`${name}: line ${k + 1} is entry ${entry}: entries were reordered`);
    if (entry > k + 1) throw broken(`${name}: line ${k + 1} is entry ${entry}: an entry before it was cut out`);
    if (previous !== (heads[k - 1] ?? null))
      throw broken(
        k === 0
          ? `${name}: entry 1 follows another one: entries were cut out before it`
          : `${name}: entry ${k} isn't the one that entry ${k + 1} follows: it was changed`,
      );
  }
  return { bytes, entries, heads };
}

async function digestOf(content: string): Promise<string> {
  return `sha256:${await sha256(new TextEncoder().encode(content))}`;
}

/** Reads a benchmark's log; one without lines where there is none. @throws AnchorEvalError `bundle_corrupt`, `unavailable` */
export async function readLog(store: Pick<BundleStore, "get" | "name">, benchmark: string) {
  const there = await store.get(logKey(benchmark));
  const log = await parseLog(there?.bytes ?? new Uint8Array(), `${store.name}: ${logKey(benchmark)}`);
  return { ...log, etag: there?.etag ?? null };
}

/** Where a log has come to; null before its first line. */
export function headOf({ heads }: Pick<PublicationLog, "heads">): LogHead | null {
  return heads.length === 0 ? null : { entries: heads.length, head: heads.at(-1)! };
}

/**
 * Checks that a log goes on from a moment that is known of it.
 * @param whose - who knows it, for messages: "its index"
 * @throws AnchorEvalError `bundle_corrupt`
 */
export function requireHead(
  { heads }: Pick<PublicationLog, "heads">,
  { entries, head }: LogHead,
  name: string,
  whose: string,
): void {
  if (heads.length < entries)
    throw broken(`${name} ends after entry ${heads.length}, and ${whose} names entry ${entries}: entries were cut off`);
  if (heads[entries - 1] !== head)
    throw broken(
      `${name}: entry ${entries} isn't the one that ${whose} names: another log was put in its place (fork)`,
    );
}

/**
 * Checks a log against the index beside it, which was read before it: the log has come to the head that the index names, and by then
 * said of each version what the index says, and of no other. Lines after that are of publications that are under way.
 * @throws AnchorEvalError `bundle_corrupt`
 */
export function requireIndexed(
  log: PublicationLog,
  index: { readonly versions: readonly VersionState[]; readonly log?: LogHead | undefined },
  name: string,
): void {
  if (index.log) requireHead(log, index.log, name, "its index");
  const logged = statesOf({ entries: log.entries.slice(0, index.log?.entries) });
  for (const { version, digest, yanked, reason } of index.versions) {
    const entry = logged.get(version);
    if (!entry) throw broken(`${name} has no entry of version ${version}, which its index names: it was cut out`);
    if (entry.digest !== digest)
      throw broken(`${name}: version ${version} was published as ${entry.digest}, its index names ${digest}`);
    if (entry.yanked !== yanked || entry.reason !== reason)
      throw broken(`${name} and its index differ in whether version ${version} is yanked, or why`);
  }
  for (const version of logged.keys())
    if (!index.versions.some((entry) => entry.version === version))
      throw broken(`${name}: version ${version} was published, and its index doesn't name it any more`);
}

/** The last word of a log on each version. */
export function statesOf({ entries }: Pick<PublicationLog, "entries">): Map<string, VersionState> {
  const states = new Map<string, VersionState>();
  for (const { version, digest, action, reason } of entries)
    states.set(version, { version, digest, yanked: action === "yank", reason });
  return states;
}

/** A log with further lines. */
export async function withEntries(
  log: PublicationLog,
  added: readonly Omit<LogEntry, "entry" | "previous">[],
): Promise<PublicationLog> {
  const [entries, heads] = [[...log.entries], [...log.heads]];
  let lines = "";
  for (const change of added) {
    const entry: LogEntry = { entry: entries.length + 1, ...change, previous: heads.at(-1) ?? null };
    const content = JSON.stringify(entry);
    lines += `${content}\n`;
    entries.push(entry);
    heads.push(await digestOf(content));
  }
  const more = new TextEncoder().encode(lines);
  const bytes = new Uint8Array(log.bytes.length + more.length);
  bytes.set(log.bytes);
  bytes.set(more, log.bytes.length);
  return { bytes, entries, heads };
}

function broken(message: string): AnchorEvalError {
  return new AnchorEvalError("bundle_corrupt", `${message}; restore log and index from a copy`);
}
