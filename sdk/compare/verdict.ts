import type { Interval } from "../estimate/types.ts";
import type { Verdict } from "./types.ts";

/**
 * What an interval of S_B − S_A says against a margin: one model is better by more than the margin where the whole
 * interval lies beyond it, there is no difference that matters where it lies inside ±margin, else one can't tell.
 * @param margin - the largest difference that doesn't matter, at least 0
 */
export function verdict({ low, high }: Pick<Interval, "low" | "high">, margin: number): Verdict {
  if (low > margin) return "b-better";
  if (high < -margin) return "a-better";
  if (low >= -margin && high <= margin) return "no-difference";
  return "undecided";
}
