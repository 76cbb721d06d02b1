/**
 * Does two things at once of which the second waits for other threads, and knows when the first is done. Where either
 * fails, the other is told to stop and waited for.
 * @param signal - stops both
 * @throws what was thrown first
 */
export async function sideBySide<A, B>(
  one: (signal: AbortSignal) => Promise<A>,
  other: (signal: AbortSignal, one: Promise<A>) => Promise<B>,
  signal?: AbortSignal,
): Promise<[A, B]> {
  const failed = new AbortController();
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const first = one(either);
  const both = [first, other(either, first)] as const;
  for (const work of both) work.catch((error: unknown) => failed.abort(error)); // the first reason stays
  await Promise.allSettled(both);
  if (failed.signal.aborted) throw failed.signal.reason;
  return Promise.all(both);
}

/** Where time goes: a lap ends with the stage that it is named after, and begins with the end of the one before. */
export function stopwatch() {
  const laps: Record<string, number> = {};
  let last = performance.now();
  const lap = (name: string): void => {
    const now = performance.now();
    laps[name] = (laps[name] ?? 0) + (now - last);
    last = now;
  };
  return { lap, /** Sums by name. @unit milliseconds */ laps };
}

/** @param share - of a part, in [0,1] */
export type PartProgress = (share: number, note: string) => void;

/** Adds up what folds and the fit on all models report, each in its turn or both at once. A fold takes as long as it. */
export function progressOf(names: string, folds: number, onProgress: PartProgress) {
  const done = { folds: 0, final: 0 };
  return ({ loss = null, ...news }: { folds?: number; final?: number; loss?: number | null }): void => {
    Object.assign(done, news);
    const note = loss === null ? names : `${names}: loss ${Math.round(loss)} nats`;
    onProgress((done.folds * folds + done.final) / (folds + 1), note);
  };
}
