import { DataIssues } from "../tables/data-issues.ts";
import { numberOf } from "./json.ts";

/** Kinds of cost of an answer: tokens in and out, seconds, dollars. */
export const COST_KINDS = ["tokens", "seconds", "price"] as const;

export type CostKind = (typeof COST_KINDS)[number];

/** Cost of an answer, of each kind above 0; absent where nothing says it. */
export type Cost = Readonly<Partial<Record<CostKind, number>>>;

/** Cost of an answer as a log has it: null where it isn't known. */
export type LoggedCost = Readonly<Partial<Record<CostKind, number | null>>>;

/** The sum of what a log says; null where it lacks a part. @example totalOf(120, 30) // 150 */
export function totalOf(...parts: readonly unknown[]): number | null {
  const numbers = parts.map(numberOf);
  return numbers.includes(null) ? null : numbers.reduce<number>((sum, part) => sum + part!, 0);
}

/**
 * The cost of an attempt by its log, of each kind that it says: a value that is null, NaN or absent isn't known, and neither is 0,
 * which harnesses write for what they don't count.
 * @throws AnchorEvalError `invalid_data` naming file and sample, for what is below 0 or not finite
 * @example attemptCost({ tokens: 120, seconds: 0 }, "a.eval", "sample", 7) // { cost: { tokens: 120 } }
 */
export function attemptCost(
  logged: LoggedCost,
  file: string,
  noun: string,
  id: string | number,
): { readonly cost?: Cost } {
  const cost: Partial<Record<CostKind, number>> = {};
  for (const kind of COST_KINDS) {
    const value = logged[kind] ?? 0;
    if (value < 0 || value === Infinity)
      new DataIssues(file, { row: noun }).fail(
        { row: id, column: kind },
        "out_of_range",
        `${kind} of an answer are a number above 0, got ${value}`,
      );
    if (value > 0) cost[kind] = value;
  }
  return Object.keys(cost).length === 0 ? {} : { cost };
}

/**
 * Mean cost of attempts, of each kind over those that say it; null where none says anything.
 * @example meanCost([{ tokens: 120 }, { tokens: 180 }, undefined]) // { tokens: 150 }
 */
export function meanCost(costs: readonly (Cost | undefined)[]): Cost | null {
  if (costs.every((cost) => cost === undefined)) return null;
  const mean: Partial<Record<CostKind, number>> = {};
  for (const kind of COST_KINDS) {
    const values = costs.flatMap((cost) => cost?.[kind] ?? []);
    if (values.length > 0) mean[kind] = values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  return Object.keys(mean).length === 0 ? null : mean;
}

/** Cost of a run's answers by its logs: of each kind the sum over all trials, and the items whose log says it. */
export type LoggedCosts = Readonly<Partial<Record<CostKind, { readonly total: number; readonly items: number }>>>;

/** Sums what samples took, attempts that say nothing taken to cost what the others did; null where no log says anything. */
export function loggedCosts(
  samples: readonly { readonly attempts: readonly { readonly cost?: Cost }[] }[],
): LoggedCosts | null {
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
