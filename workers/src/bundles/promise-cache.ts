import { AnchorEvalError } from "anchoreval";
import { inTime } from "../in-time.ts";

export interface PromiseCacheOptions<T> {
  /** Largest sum of sizes, of values and of loads under way; the longest unused values go first. @unit bytes */
  readonly maxBytes: number;
  readonly sizeOf: (value: T) => number;
  /** Values older than this are loaded again. @unit milliseconds @default Infinity */
  readonly maxAge?: number;
  /** @default Date.now */
  readonly now?: () => number;
  /** Longest wait for a load, one's own or another's, and for room to begin it. @unit milliseconds @default 15 000 */
  readonly patience?: number;
}

/** How a missing value comes. */
export interface Load<T> {
  /** Called where the key has no value. */
  readonly load: () => Promise<T>;
  /** What it takes in memory meanwhile: it waits until there is room. @unit bytes @default 0 */
  readonly takes?: number;
  /** Is given the load, so that it ends although the request that began it is cancelled. */
  readonly keepAlive: (work: Promise<unknown>) => void;
}

interface Entry<T> {
  promise: Promise<T>;
  readonly since: number;
  loading: boolean;
  /** What it counts. @unit bytes */
  size: number;
}

/** A load that takes longer is taken for lost with the request that began it. @unit milliseconds */
const LOST_AFTER = 30_000;

/** Between looks whether there is room: who makes it may be another request, which can't wake this one. @unit milliseconds */
const LOOK_AGAIN = 5;

/**
 * Keeps values by key, bounded in bytes: concurrent readers of a missing value wait for one load, a failed load is
 * forgotten, and loads under way count too. One that alone is larger than the bound goes when no other is under way.
 */
export class PromiseCache<T> {
  /** In the order of last use. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #options: PromiseCacheOptions<T>;
  readonly #now: () => number;
  readonly #patience: number;
  #bytes = 0;
  /** Of all bytes, those of loads under way. */
  #underWay = 0;

  constructor(options: PromiseCacheOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#patience = options.patience ?? 15_000;
  }

  /** What values and loads under way count now. @unit bytes */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws AnchorEvalError `unavailable` where a load, or the room for it, doesn't come in time; what the load throws */
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

  /** The value, if it is here and fresh. */
  peek(key: string): Promise<T> | null {
    const entry = this.#entries.get(key);
    return entry && !entry.loading && this.#isFresh(entry) ? entry.promise : null;
  }

  /** Forgets a value; one that is loading isn't kept. */
  delete(key: string): void {
    this.#drop(key);
  }

  #isFresh({ loading, since }: Entry<T>): boolean {
    return this.#now() - since < (loading ? LOST_AFTER : (this.#options.maxAge ?? Infinity));
  }

  async #load(key: string, entry: Entry<T>, { load, takes = 0 }: Load<T>): Promise<T> {
    try {
      for (let waited = 0; !this.#begin(entry, takes); waited += LOOK_AGAIN) {
        if (waited >= this.#patience)
          throw new AnchorEvalError("unavailable", `${key}: no memory for ${takes} bytes beside what is being loaded`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
        if (this.#entries.get(key) !== entry)
          throw new AnchorEvalError("unavailable", `${key}: taken back while its load waited for memory; ask again`);
      }
      const value = await load();
      this.#keep(key, entry, this.#options.sizeOf(value));
      return value;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#drop(key);
      throw error;
    }
  }

  /** Counts a load as under way, if there is room for it beside the others. */
  #begin(entry: Entry<T>, takes: number): boolean {
    for (const [key, other] of this.#entries) if (other.loading && !this.#isFresh(other)) this.#drop(key);
    if (this.#underWay > 0 && this.#underWay + takes > this.#options.maxBytes) return false;
    this.#makeRoom(takes);
    entry.size = takes;
    this.#bytes += takes;
    this.#underWay += takes;
    return true;
  }

  #keep(key: string, entry: Entry<T>, size: number): void {
    if (this.#entries.get(key) !== entry) return;
    this.#underWay -= entry.size;
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
    if (entry.loading) this.#underWay -= entry.size;
    this.#entries.delete(key);
  }
}
