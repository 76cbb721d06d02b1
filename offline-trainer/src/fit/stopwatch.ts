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
