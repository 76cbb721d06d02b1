import type { Bundle } from "../core/bundle/bundle.ts";
import { invalidOption } from "../core/errors.ts";
import { knownPrices } from "../../features/prices/sdk/bundle-prices.ts";
import { planTrials, type TrialPlan, type TrialPlanOptions } from "../../features/trials/sdk/plan-trials.ts";
import { planFromBundle } from "./plan-from-bundle.ts";
import { priceChoices, type PriceChoices } from "../../features/prices/sdk/price-choices.ts";
import type { Plan, PlanOptions } from "./types.ts";

/** A plan of items; in a bundle that was fitted by prices, of what they cost. */
export interface PlanRequest extends PlanOptions {
  /** The most that the answers may cost, in the unit of the bundle's prices. */
  readonly budget?: number;
}

/** A plan of items, with the forms by price where the bundle was fitted by prices and no gap is asked for. */
export type ServedPlan = Plan & Partial<PriceChoices>;

/**
 * The plan that a request asks for, in one place for a Worker and Python's package: `planFromBundle`, with the forms by price
 * where the bundle knows prices; `planTrials` of `trials`.
 * @throws AnchorEvalError as these; `invalid_option` for a budget that isn't at least 0, or without prices, and for options
 * that don't go together
 */
export function planRequest(
  bundle: Bundle,
  request: PlanRequest & Partial<TrialPlanOptions> = {},
): ServedPlan | TrialPlan {
  const { trials, budget, ...options } = request;
  if (trials !== undefined) {
    const { gap, rankedRight, ...own } = options;
    const idle = Object.entries({ gap, rankedRight, budget }).find(([, value]) => value !== undefined);
    if (idle) throw invalidOption(`${idle[0]} doesn't go with trials`);
    return planTrials(bundle, { trials, ...own });
  }
  if (budget !== undefined && !(budget >= 0)) throw invalidOption(`budget must be at least 0, got ${budget}`);
  if (budget !== undefined && options.gap !== undefined)
    throw invalidOption("budget goes with halfWidth, not with gap");
  const plan = planFromBundle(bundle, options);
  const prices = options.gap === undefined ? knownPrices(bundle) : null;
  if (prices !== null) return { ...plan, ...priceChoices(bundle, plan, prices, budget ?? null) };
  if (budget !== undefined) throw invalidOption("budget needs prices, and this bundle wasn't fitted by any");
  return plan;
}
