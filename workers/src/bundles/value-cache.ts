import { AnchorEvalError } from "anchoreval";
import { inTime, STORAGE_DEADLINE } from "../platform/deadline.ts";

interface ValueCacheOptions<T> {
  /** Bound on the sizes of all values and loads in progress; the least recently used values go first. @unit bytes */
  readonly maxBytes: number;
  readonly sizeOf: (value: T) => number;
  /** Older values are loaded again. @unit milliseconds @default Infinity */
  readonly maxAge?: number;
  /** @default Date.now */
  readonly now?: () => number;
  /** Longest wait for a load, one's own or another's, and for room to begin it. @unit milliseconds @default 15 000 */
  readonly patience?: number;
}

export interface Load<T> {
  readonly load: () => Promise<T>;
  /** Memory that the load takes; it waits until there is room. @unit bytes @default 0 */
  readonly takes?: number;
  /** Receives the load, so that it finishes even if the request that began it is cancelled. */
  readonly keepAlive: (work: Promise<unknown>) => void;
}

interface Entry<T> {
  /** When the load began, or last waited for room. */
  since: number;
  /** Null while the load goes on. */
  outcome: { readonly value: T } | { readonly error: unknown } | null;
  /** @unit bytes */
  size: number;
}

/** A load that takes longer than storage may for an object and its body is considered lost together with its request. @unit milliseconds */
const LOST_AFTER = 2 * STORAGE_DEADLINE;

/** First and longest interval at which a waiting request looks again; in between, a quarter of what it has waited. @unit milliseconds */
const [POLL_INTERVAL, LONGEST_INTERVAL] = [5, 100];

/**
 * A cache of values by key, bounded in bytes. Concurrent readers of a missing value share one load, failed loads are
 * forgotten, and loads in progress count. A load larger than the bound runs when no other is in progress.
 *
 * Requests share values, never a promise: a request that awaits another's may go on in the other's name, where its own I/O
 * is refused, or wait for good once the other is cut off (test/attacks/sharing.test.ts). Who waits looks again by a timer
 * of its own, and if the load is lost, one of those who wait begins it anew.
 */
export class ValueCache<T> {
  /** By last use, oldest first. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #options: ValueCacheOptions<T>;
  readonly #now: () => number;
  readonly #patience: number;
  #bytes = 0;
  /** The share of the bytes that loads in progress take. */
  #loadingBytes = 0;

  constructor(options: ValueCacheOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#patience = options.patience ?? 15_000;
  }

  /** Size of all values and loads in progress. @unit bytes */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws AnchorEvalError `unavailable` if the load, or room for it, takes too long; errors of the load */
  async get(key: string, how: Load<T>): Promise<T> {
    let [waited, failures] = [0, 0];
    for (let entry = this.#current(key); entry !== null;) {
      const { outcome } = entry;
      if (outcome !== null && "value" in outcome) return outcome.value;
      // Another's load may fail for a reason of its request: what it was allowed to ask, say. Once, it is tried again.
      if (outcome !== null && (++failures > 1 || isForAll(outcome.error))) throw outcome.error;
      if (outcome !== null || !this.#isFresh(entry)) entry = this.#current(key);
      else if (waited >= this.#patience)
        throw new AnchorEvalError("unavailable", `${key}: no answer within ${this.#patience} ms`);
      else waited += await pause(waited);
    }
    return this.#begin(key, how);
  }

  peek(key: string): T | null {
    const entry = this.#entries.get(key);
    return entry?.outcome && "value" in entry.outcome && this.#isFresh(entry) ? entry.outcome.value : null;
  }

  /** Forgets a value; one that is loading won't be kept. */
  delete(key: string): void {
    this.#drop(key);
  }

  /** The entry of a key as the last used one; null if there is none, or none that still counts. */
  #current(key: string): Entry<T> | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    if (!this.#isFresh(entry)) {
      this.#drop(key);
      return null;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #isFresh({ outcome, since }: Entry<T>): boolean {
    return this.#now() - since < (outcome === null ? LOST_AFTER : (this.#options.maxAge ?? Infinity));
  }

  #begin(key: string, how: Load<T>): Promise<T> {
    const entry: Entry<T> = { since: this.#now(), outcome: null, size: 0 };
    this.#entries.set(key, entry);
    const work = this.#load(key, entry, how);
    how.keepAlive(work.catch(() => undefined));
    return inTime(work, this.#patience, key);
  }

  async #load(key: string, entry: Entry<T>, { load, takes = 0 }: Load<T>): Promise<T> {
    try {
      for (let waited = 0; !this.#makeRoom(entry, takes);) {
        if (waited >= this.#patience)
          throw new AnchorEvalError("unavailable", `${key}: no room for ${takes} bytes besides the loads in progress`);
        waited += await pause(waited);
        if (this.#entries.get(key) !== entry)
          throw new AnchorEvalError("unavailable", `${key}: dropped while its load waited for memory; try again`);
        entry.since = this.#now();
      }
      const value = await load();
      this.#keep(key, entry, value);
      return value;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#drop(key);
      entry.outcome = { error };
      throw error;
    }
  }

  #makeRoom(entry: Entry<T>, takes: number): boolean {
    for (const [key, other] of this.#entries) if (other.outcome === null && !this.#isFresh(other)) this.#drop(key);
    if (this.#loadingBytes > 0 && this.#loadingBytes + takes > this.#options.maxBytes) return false;
    this.#dropOldest(takes);
    entry.size = takes;
    this.#bytes += takes;
    this.#loadingBytes += takes;
    return true;
  }

  #keep(key: string, entry: Entry<T>, value: T): void {
    const size = this.#options.sizeOf(value);
    entry.outcome = { value };
    if (this.#entries.get(key) !== entry) return;
    this.#loadingBytes -= entry.size;
    this.#bytes += size - entry.size;
    entry.size = size;
    this.#dropOldest(0);
  }

  /** Drops the longest unused values until there is room for so many bytes. */
  #dropOldest(bytes: number): void {
    for (const [oldest, { outcome }] of this.#entries) {
      if (this.#bytes + bytes <= this.#options.maxBytes) return;
      if (outcome !== null) this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#bytes -= entry.size;
    if (entry.outcome === null) this.#loadingBytes -= entry.size;
    this.#entries.delete(key);
  }
}

/** Whether a load fails so for whoever tries it: what is wrong lies in what was read. */
function isForAll(error: unknown): boolean {
  return error instanceof AnchorEvalError && error.code !== "unavailable";
}

/** Waits, by a timer of the request that calls, the longer the longer it has waited. @returns for how long. @unit milliseconds */
async function pause(waited: number): Promise<number> {
  const time = Math.min(Math.max(POLL_INTERVAL, waited / 4), LONGEST_INTERVAL);
  await new Promise((resolve) => setTimeout(resolve, time));
  return time;
}
