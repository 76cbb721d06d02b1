import { AnchorEvalError } from "anchoreval";
import { inTime } from "../deadline.ts";

interface PromiseCacheOptions<T> {
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
  promise: Promise<T>;
  readonly since: number;
  loading: boolean;
  /** @unit bytes */
  size: number;
}

/** A load that takes longer is considered lost together with its request. @unit milliseconds */
const LOST_AFTER = 30_000;

/** Interval at which a waiting load checks for room: another request may free it but can't wake this one. @unit milliseconds */
const POLL_INTERVAL = 5;

/**
 * A cache of values by key, bounded in bytes. Concurrent readers of a missing value share one load, failed loads are
 * forgotten, and loads in progress count. A load larger than the bound runs when no other is in progress.
 */
export class PromiseCache<T> {
  /** By last use, oldest first. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #options: PromiseCacheOptions<T>;
  readonly #now: () => number;
  readonly #patience: number;
  #bytes = 0;
  /** The share of the bytes that loads in progress take. */
  #loadingBytes = 0;

  constructor(options: PromiseCacheOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#patience = options.patience ?? 15_000;
  }

  /** Size of all values and loads in progress. @unit bytes */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws AnchorEvalError `unavailable` if the load, or room for it, takes too long; errors of the load */
  get(key: string, how: Load<T>): Promise<T> {
    const entry = this.#entries.get(key);
    if (entry && this.#isFresh(entry)) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      return entry.loading ? inTime(entry.promise, this.#patience, key) : entry.promise;
    }
    this.#drop(key);
    const fresh: Entry<T> = { promise: undefined!, since: this.#now(), loading: true, size: 0 };
    this.#entries.set(key, fresh);
    fresh.promise = this.#load(key, fresh, how);
    how.keepAlive(fresh.promise.catch(() => undefined));
    return inTime(fresh.promise, this.#patience, key);
  }

  peek(key: string): Promise<T> | null {
    const entry = this.#entries.get(key);
    return entry && !entry.loading && this.#isFresh(entry) ? entry.promise : null;
  }

  /** Forgets a value; one that is loading won't be kept. */
  delete(key: string): void {
    this.#drop(key);
  }

  #isFresh({ loading, since }: Entry<T>): boolean {
    return this.#now() - since < (loading ? LOST_AFTER : (this.#options.maxAge ?? Infinity));
  }

  async #load(key: string, entry: Entry<T>, { load, takes = 0 }: Load<T>): Promise<T> {
    try {
      for (let waited = 0; !this.#begin(entry, takes); waited += POLL_INTERVAL) {
        if (waited >= this.#patience)
          throw new AnchorEvalError("unavailable", `${key}: no room for ${takes} bytes besides the loads in progress`);
        await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
        if (this.#entries.get(key) !== entry)
          throw new AnchorEvalError("unavailable", `${key}: dropped while its load waited for memory; try again`);
      }
      const value = await load();
      this.#keep(key, entry, this.#options.sizeOf(value));
      return value;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#drop(key);
      throw error;
    }
  }

  /** Starts counting a load, if there is room for it beside the others. */
  #begin(entry: Entry<T>, takes: number): boolean {
    for (const [key, other] of this.#entries) if (other.loading && !this.#isFresh(other)) this.#drop(key);
    if (this.#loadingBytes > 0 && this.#loadingBytes + takes > this.#options.maxBytes) return false;
    this.#makeRoom(takes);
    entry.size = takes;
    this.#bytes += takes;
    this.#loadingBytes += takes;
    return true;
  }

  #keep(key: string, entry: Entry<T>, size: number): void {
    if (this.#entries.get(key) !== entry) return;
    this.#loadingBytes -= entry.size;
    this.#bytes += size - entry.size;
    entry.size = size;
    entry.loading = false;
    this.#makeRoom(0);
  }

  #makeRoom(bytes: number): void {
    for (const [oldest, { loading }] of this.#entries) {
      if (this.#bytes + bytes <= this.#options.maxBytes) return;
      if (!loading) this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#bytes -= entry.size;
    if (entry.loading) this.#loadingBytes -= entry.size;
    this.#entries.delete(key);
  }
}
