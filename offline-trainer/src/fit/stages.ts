/**
 * Does two things at once of which one waits for other threads. Where either fails, the other is told to stop and waited
 * for.
 * @param signal - stops both
 * @throws what was thrown first
 */
export async function sideBySide<A, B>(
  one: (signal: AbortSignal) => Promise<A>,
  other: (signal: AbortSignal) => Promise<B>,
  signal?: AbortSignal,
): Promise<[A, B]> {
  const failed = new AbortController();
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
  const errors: unknown[] = [];
  const watched = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => {
      errors.push(error);
      failed.abort();
    });
  const [first, second] = [one(either), other(either)];
  await Promise.all([watched(first), watched(second)]);
  if (errors.length > 0) throw errors[0];
  return [await first, await second];
}

/** Where time goes: a lap ends with the stage that it is named after, and begins with the end of the one before. */
export interface Stopwatch {
  lap(name: string): void;
  /** Sums by name. @unit milliseconds */
  readonly laps: Readonly<Record<string, number>>;
}

export function stopwatch(): Stopwatch {
  const laps: Record<string, number> = {};
  let last = performance.now();
  return {
    laps,
    lap: (name) => {
      const now = performance.now();
      laps[name] = (laps[name] ?? 0) + (now - last);
      last = now;
    },
  };
}

/** @param share - of a part, in [0,1] */
export type PartProgress = (share: number, note: string) => void;

/** Adds up what folds and the fit on all models report, each in its turn or both at once. A fold takes as long as it. */
export function progressOf(
  names: string,
  folds: number,
  onProgress: PartProgress,
): (news: { readonly folds?: number; readonly final?: number; readonly loss?: number | null }) => void {
  const done = { folds: 0, final: 0 };
  return ({ folds: share = done.folds, final = done.final, loss = null }) => {
    Object.assign(done, { folds: share, final });
    const note = loss === null ? names : `${names}: loss ${Math.round(loss)} nats`;
    onProgress((done.folds * folds + done.final) / (folds + 1), note);
  };
}
