import { setTimeout as wait } from "node:timers/promises";

/**
 * Keeps a thread from being ended amid native code, which would end the whole process: ONNX Runtime aborts when it comes
 * back into a thread that is going. Two words that a thread shares with its pool: whether it is to stop, and in how many
 * sections it is.
 */
export type ThreadLock = Int32Array;

const STOP = 0;
const INSIDE = 1;
/** Between two looks at the lock. @unit milliseconds */
const PAUSE = 2;

export function threadLock(): ThreadLock {
  return new Int32Array(new SharedArrayBuffer(8));
}

/**
 * The pool's side: from now on the thread enters no section.
 * @param gone - whether the thread has ended by itself
 * @returns when it is in none, and may be ended
 */
export async function untilOutside(lock: ThreadLock, gone: () => boolean): Promise<void> {
  Atomics.store(lock, STOP, 1);
  while (Atomics.load(lock, INSIDE) > 0 && !gone()) await wait(PAUSE);
}

/** The thread's side: does `work` without being ended meanwhile; where the thread is to stop, nothing more ever. */
export async function inSection<T>(lock: ThreadLock, work: () => Promise<T>): Promise<T> {
  Atomics.add(lock, INSIDE, 1);
  try {
    if (Atomics.load(lock, STOP) === 0) return await work();
  } finally {
    Atomics.sub(lock, INSIDE, 1);
  }
  return new Promise(() => undefined);
}
