/** A lease that is held longer is taken for lost, with the request that had it. @unit milliseconds */
const LOST_AFTER = 60_000;

/** A bound in bytes on what is held in memory at the same time. */
export class MemoryRoom {
  readonly #bytes: number;
  readonly #now: () => number;
  readonly #leases = new Set<{ readonly bytes: number; readonly since: number }>();

  /** @param bytes - how much may be held */
  constructor(bytes: number, now: () => number) {
    this.#bytes = bytes;
    this.#now = now;
  }

  /** Room for so many bytes, to be given back by calling what comes; null where there is none. */
  take(bytes: number): (() => void) | null {
    let held = 0;
    for (const lease of this.#leases)
      if (this.#now() - lease.since >= LOST_AFTER) this.#leases.delete(lease);
      else held += lease.bytes;
    if (held + bytes > this.#bytes) return null;
    const lease = { bytes, since: this.#now() };
    this.#leases.add(lease);
    return () => void this.#leases.delete(lease);
  }
}
