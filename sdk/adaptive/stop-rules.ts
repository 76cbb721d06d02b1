import type { Population } from "../core/adaptive/population.ts";
import type { AdaptiveModel, AdaptivePair, AdaptivePlan, AdaptiveStop, AdaptiveInterval } from "./types.ts";
import { LEAST_ANSWERS } from "./adaptive-plan.ts";

/** What is known when a batch has been answered. */
export interface Findings {
  readonly asked: number;
  /** Of one model. */
  readonly model: AdaptiveModel | null;
  /** Of two. */
  readonly pair: AdaptivePair | null;
}

/** The rule that ends an evaluation here; null where it goes on. A rule that is met counts more than the budget's end. */
export function stoppedBy(
  { count }: Population,
  plan: AdaptivePlan,
  { asked, model, pair }: Findings,
): AdaptiveStop | null {
  const { stop, budget } = plan;
  const interval = pair ? pair.interval : model!.interval;
  const name = pair ? "difference" : "score";
  const half = interval && (interval.high - interval.low) / 2;
  const sure = `${points(plan.level)} %`;
  if (asked >= LEAST_ANSWERS && interval !== null) {
    if (stop.threshold !== undefined && !within(interval, stop.threshold)) {
      const verdict = interval.low > stop.threshold ? "above" : "below";
      const message = `the score is ${verdict} ${points(stop.threshold)}, at ${sure}`;
      return { rule: "threshold", verdict, message };
    }
    if (stop.better === true && !within(interval, 0)) {
      const verdict = interval.low > 0 ? "b-better" : "a-better";
      return { rule: "better", verdict, message: `${verdict === "b-better" ? "B" : "A"} is better, at ${sure}` };
    }
    if (stop.halfWidth !== undefined && half! <= stop.halfWidth)
      return {
        rule: "half-width",
        verdict: null,
        message: `the ${name} is known to ${points(half!)} points to either side, at ${sure}`,
      };
  }
  if (stop.standardError !== undefined) {
    const worst = Math.max(...Object.values(model!.abilities).flatMap(({ standardError }) => standardError));
    if (worst <= stop.standardError)
      return {
        rule: "standard-error",
        verdict: null,
        message: `the ability's largest standard error is ${worst.toFixed(3)}`,
      };
  }
  if (asked >= count) return { rule: "all-items", verdict: null, message: `all ${count} items have been asked` };
  if (asked >= budget) return { rule: "budget", verdict: null, message: `the budget of ${budget} items is spent` };
  return null;
}

function within({ low, high }: AdaptiveInterval, value: number): boolean {
  return low <= value && value <= high;
}

/** A fraction in points, one decimal. */
function points(fraction: number): string {
  return String(Math.round(1000 * fraction) / 10);
}
