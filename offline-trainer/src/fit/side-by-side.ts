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
