/** What a request may wait for: names are stable, listed in docs/deploy.md. */
export type Phase = "names" | "index" | "manifest" | "bundle" | "items" | "routing" | "file";

/**
 * How long one request waited for each phase of reading, whoever began the load. Clocks of Workers advance with I/O
 * alone, so these are waits, not CPU; 0 is what the isolate had.
 */
export class Phases {
  readonly #longest = new Map<Phase, number>();
  readonly #now: () => number;

  /** @param now - @unit milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Times the work, failed or not; of several of one phase the longest counts. */
  async time<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const begun = this.#now();
    try {
      return await work();
    } finally {
      this.#longest.set(phase, Math.max(this.#longest.get(phase) ?? 0, this.#now() - begun));
    }
  }

  /** Waits by phase. @unit milliseconds */
  get waits(): Readonly<Partial<Record<Phase, number>>> {
    return Object.fromEntries(this.#longest);
  }

  /** As a `Server-Timing` header; null where nothing was read. */
  get serverTiming(): string | null {
    const entries = [...this.#longest].map(([phase, milliseconds]) => `${phase};dur=${milliseconds}`);
    return entries.length > 0 ? entries.join(", ") : null;
  }
}
