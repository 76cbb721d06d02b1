import { COST_KINDS, type CostKind, meanCost } from "anchoreval/internal/logs/cost";
import type { LoggedSample } from "anchoreval/internal/logs/run-log";
import { priceWords } from "anchoreval/internal/prices/bundle-prices";

/** Cost of a run's answers by its logs: of each kind the sum over all trials, and the items whose log says it. */
export type LoggedCosts = Readonly<Partial<Record<CostKind, { readonly total: number; readonly items: number }>>>;

/** Sums what samples took, attempts that say nothing taken to cost what the others did; null where no log says anything. */
export function loggedCosts(samples: readonly Pick<LoggedSample, "attempts">[]): LoggedCosts | null {
  const costs: Partial<Record<CostKind, { total: number; items: number }>> = {};
  for (const { attempts } of samples) {
    const mean = meanCost(attempts.map(({ cost }) => cost)) ?? {};
    for (const kind of COST_KINDS) {
      const one = mean[kind];
      if (one === undefined) continue;
      const { total, items } = costs[kind] ?? { total: 0, items: 0 };
      costs[kind] = { total: total + one * attempts.length, items: items + 1 };
    }
  }
  return Object.keys(costs).length === 0 ? null : costs;
}

/**
 * @param isRepeated - items were asked several times
 * @example "By its logs the run took 61 234 tokens and 310 seconds (48 of 50 items say so)."
 */
export function loggedWords(costs: LoggedCosts, answered: number, isRepeated: boolean): string {
  const parts = COST_KINDS.flatMap((kind) => {
    const own = costs[kind];
    if (own === undefined) return [];
    const partly = own.items < answered ? ` (${own.items} of ${answered} items say so)` : "";
    return [priceWords(own.total, kind === "price" ? "usd" : kind) + partly];
  });
  return `By its logs the run took ${parts.join(" and ")}${isRepeated ? ", all trials together" : ""}.`;
}
