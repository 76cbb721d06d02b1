import type { ResolvedBackend } from "../backends/resolve-backend.ts";

/** Threads that held-out models are computed on, beside the caller's own, which fits all models meanwhile. */
export interface FoldThreads {
  readonly count: number;
  /** What calibrates there: the provider of the fit's own backend. */
  readonly provider: ResolvedBackend["provider"];
}

/** Cells of a leaderboard from which threads are worth their start, a quarter of a second each. */
const THREAD_CELLS = 1 << 16;

/**
 * Threads for the folds of a fit: none where one thread is all there is, where a fold takes no longer than to start one,
 * or where a device calibrates, whose memory is there once.
 */
export function foldThreads(
  provider: ResolvedBackend["provider"],
  threads: number,
  cells: number,
): FoldThreads | undefined {
  const here = provider === "cpu" || provider === "typescript";
  return here && threads > 1 && cells >= THREAD_CELLS ? { count: threads, provider } : undefined;
}
