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
  /**
   * Receives the load, so that it finishes even if the request that began it is cancelled. Each request has its own: by it the
   * requests are told apart.
   */
  readonly keepAlive: (work: Promise<unknown>) => void;
}

/** How a load ended. */
type Outcome<T> = { readonly value: T } | { readonly error: Error };

interface Entry<T> {
  /** For the request that began it alone. */
  promise: Promise<T>;
  readonly request: Load<T>["keepAlive"];
  readonly since: number;
  /** When its load began, after the wait for room. */
  begun: number | null;
  /** Null while it loads. */
  outcome: Outcome<T> | null;
  /** @unit bytes */
  size: number;
}

/** A load that takes longer is considered lost together with its request. @unit milliseconds */
const LOST_AFTER = 30_000;

/** A load that other requests wait for is begun anew by one of them after this: as long as storage may take. @unit milliseconds */
const TAKE_OVER = 5000;

/** Failures of other requests' loads, for reasons that are perhaps theirs alone, after which one is taken for one's own. */
const MOST_FAILURES = 2;

/** Interval at which another request's load, or room, is looked for: it can't wake this one. @unit milliseconds */
const POLL_INTERVAL = 5;

/**
 * A cache of values by key, bounded in bytes. Concurrent readers of a missing value share one load, failed loads are
 * forgotten, and loads in progress count. A load larger than the bound runs when no other is in progress.
 *
 * Requests share how a load ended, never its promise: that is I/O of the request that began it, which may be cut off at any
 * moment. Others look by timers of their own whether it has ended, and one of them begins it anew where it doesn't.
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
      if (entry.outcome !== null) return settled(entry.outcome);
      return entry.request === how.keepAlive
        ? inTime(entry.promise, this.#patience, key)
        : this.#awaitOther(key, entry, how);
    }
    this.#drop(key);
    const request = how.keepAlive;
    const fresh: Entry<T> = { promise: undefined!, request, since: this.#now(), begun: null, outcome: null, size: 0 };
    this.#entries.set(key, fresh);
    fresh.promise = this.#load(key, fresh, how);
    how.keepAlive(fresh.promise.catch(() => undefined));
    return inTime(fresh.promise, this.#patience, key);
  }

  /** Waits for the load of another request, or takes it over. */
  async #awaitOther(key: string, first: Entry<T>, how: Load<T>): Promise<T> {
    let entry = first;
    let failures = 0;
    for (let waited = 0; waited < this.#patience; waited += POLL_INTERVAL) {
      const { outcome, begun } = entry;
      if (outcome !== null) {
        const isItsOwn = "error" in outcome && !(outcome.error instanceof AnchorEvalError);
        if (!isItsOwn || ++failures >= MOST_FAILURES) return settled(outcome);
      } else if (begun !== null && this.#now() - begun >= TAKE_OVER && this.#entries.get(key) === entry)
        this.#drop(key);
      if (outcome !== null || this.#entries.get(key) !== entry) {
        const next = this.#entries.get(key);
        if (next === undefined || !this.#isFresh(next)) return this.get(key, how);
        if (next.outcome !== null) return settled(next.outcome);
        entry = next;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    }
    throw new AnchorEvalError("unavailable", `${key}: no answer within ${this.#patience} ms`);
  }

  /** A value that is here. */
  peek(key: string): T | null {
    const entry = this.#entries.get(key);
    const outcome = entry && this.#isFresh(entry) ? entry.outcome : null;
    return outcome && "value" in outcome ? outcome.value : null;
  }

  /** Forgets a value; one that is loading won't be kept. */
  delete(key: string): void {
    this.#drop(key);
  }

  #isFresh({ outcome, since }: Entry<T>): boolean {
    return this.#now() - since < (outcome === null ? LOST_AFTER : (this.#options.maxAge ?? Infinity));
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
      entry.begun = this.#now();
      const value = await load();
      this.#keep(key, entry, value);
      return value;
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#drop(key);
      entry.outcome = { error: error as Error }; // those who wait have the entry itself
      throw error;
    }
  }

  /** Starts counting a load, if there is room for it beside the others. */
  #begin(entry: Entry<T>, takes: number): boolean {
    for (const [key, other] of this.#entries) if (other.outcome === null && !this.#isFresh(other)) this.#drop(key);
    if (this.#loadingBytes > 0 && this.#loadingBytes + takes > this.#options.maxBytes) return false;
    this.#makeRoom(takes);
    entry.size = takes;
    this.#bytes += takes;
    this.#loadingBytes += takes;
    return true;
  }

  #keep(key: string, entry: Entry<T>, value: T): void {
    const isKept = this.#entries.get(key) === entry;
    if (isKept) {
      const size = this.#options.sizeOf(value);
      this.#loadingBytes -= entry.size;
      this.#bytes += size - entry.size;
      entry.size = size;
    }
    entry.outcome = { value };
    if (isKept) this.#makeRoom(0);
  }

  #makeRoom(bytes: number): void {
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

function settled<T>(outcome: Outcome<T>): Promise<T> {
  return "value" in outcome ? Promise.resolve(outcome.value) : Promise.reject(outcome.error);
}
