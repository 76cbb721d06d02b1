export interface PromiseCacheOptions<T> {
  /** Largest sum of sizes; the longest unused values go first. @unit bytes */
  readonly maxBytes: number;
  readonly sizeOf: (value: T) => number;
  /** Values older than this are loaded again. @unit milliseconds @default Infinity */
  readonly maxAge?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

interface Entry<T> {
  readonly promise: Promise<T>;
  readonly since: number;
  /** null while it is loading. */
  size: number | null;
}

/** A load that takes longer is taken for lost with the request that began it. @unit milliseconds */
const LOST_AFTER = 30_000;

/**
 * Keeps values by key, bounded in bytes: concurrent readers of a missing value wait for one load, and a failed load is
 * forgotten.
 */
export class PromiseCache<T> {
  /** In the order of last use. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #options: PromiseCacheOptions<T>;
  readonly #now: () => number;
  #bytes = 0;

  constructor(options: PromiseCacheOptions<T>) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * @param load - called where the key has no value
   * @param keepAlive - is given the load, so that it ends although the request that began it is cancelled
   */
  get(key: string, load: () => Promise<T>, keepAlive: (work: Promise<unknown>) => void): Promise<T> {
    const entry = this.#entries.get(key);
    if (entry && this.#now() - entry.since < (entry.size === null ? LOST_AFTER : (this.#options.maxAge ?? Infinity))) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      return entry.promise;
    }
    this.#drop(key);
    const promise = load();
    this.#entries.set(key, { promise, since: this.#now(), size: null });
    const settled = promise.then(
      (value) => this.#keep(key, promise, this.#options.sizeOf(value)),
      () => this.#forget(key, promise),
    );
    keepAlive(settled);
    return promise;
  }

  /** Forgets a value; one that is loading isn't kept. */
  delete(key: string): void {
    this.#drop(key);
  }

  #keep(key: string, promise: Promise<T>, size: number): void {
    const entry = this.#entries.get(key);
    if (entry?.promise !== promise) return;
    entry.size = size;
    this.#bytes += size;
    for (const [oldest, { size: freed }] of this.#entries) {
      if (this.#bytes <= this.#options.maxBytes) return;
      if (freed !== null) this.#drop(oldest);
    }
  }

  #forget(key: string, promise: Promise<T>): void {
    if (this.#entries.get(key)?.promise === promise) this.#entries.delete(key);
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
