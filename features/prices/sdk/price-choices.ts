import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import type { PlanRemark } from "../../plan/sdk/door.ts";
import {
  type BundlePrices,
  type CostOfWhole,
  formCosts,
  formPrices,
  knownPrices,
  wholePrice,
} from "./bundle-prices.ts";
import {
  predictsScenarios,
  type ScenarioChoice,
  scenarioChoices,
  undercut,
} from "../../unasked/sdk/scenario-choices.ts";
import type { Plan } from "../../plan/sdk/types.ts";

/** Prices of forms, and the one to ask. */
export interface PriceChoices {
  /** Of the prices; null where nothing says it. */
  readonly unit: string | null;
  readonly budget: number | null;
  /** The price of all items of the benchmark. */
  readonly whole: number;
  /** Forms and, where scenarios can be predicted, which of them to ask: the cheapest first, each narrower than all before. @default [] */
  readonly choices: readonly ScenarioChoice[];
  /** The cheapest that is as narrow as was asked for, else the narrowest within the budget; null where none is within it. */
  readonly chosen: ScenarioChoice | null;
  /** Of the chosen one, by measures that chose no anchors, such as seconds. */
  readonly beside?: readonly CostOfWhole[];
  /** Some scenarios may be left to prediction; of more than 16 all are asked. */
  readonly predicting: boolean;
}

/**
 * The forms, and which of their scenarios to ask where the others can be predicted, by price and half-width.
 * @param plan - of the bundle; the half-width that it wants counts, a gap doesn't
 * @param budget - the most that the answers may cost, in the prices' unit; null for no limit
 * @example priceChoices(bundle, planFromBundle(bundle, { halfWidth: 0.03 }), knownPrices(bundle)!, 5).chosen
 */
export function priceChoices(
  bundle: Bundle,
  { forms, level, wanted }: Plan,
  prices: BundlePrices,
  budget: number | null,
): PriceChoices {
  const { manifest } = bundle;
  const predicting = predictsScenarios(manifest);
  const choices = predicting
    ? scenarioChoices(manifest, (form) => formPrices(bundle, prices, form), level)
    : undercut(
        forms.map(({ form, overall: { halfWidth } }) => {
          const [{ cost }] = formCosts(bundle, prices, form!);
          return { form: form!, scenarios: [...bundle.scenarios.keys()], cost, halfWidth };
        }),
      );
  const affordable = choices.filter(({ cost }) => budget === null || cost <= budget);
  const goal = wanted && "halfWidth" in wanted ? wanted.halfWidth : 0;
  const chosen = affordable.find(({ halfWidth }) => halfWidth <= goal) ?? affordable.at(-1) ?? null;
  return {
    ...{ unit: prices.unit, budget, whole: wholePrice(prices), choices, chosen, predicting },
    ...(prices.beside && chosen && { beside: formCosts(bundle, prices, chosen.form, chosen.scenarios).slice(1) }),
  };
}

/**
 * The forms by price beside a plan of a bundle that was fitted by prices, where no gap is asked for.
 * @throws AnchorEvalError `invalid_option` for a budget that isn't at least 0, with a gap, or without prices
 */
export const priceRemark: PlanRemark<
  {
    /** The most that the answers may cost, in the unit of the bundle's prices. */
    readonly budget?: number;
  },
  PriceChoices
> = {
  options: { budget: "number" },
  beside: (bundle, plan, { budget, gap }) => {
    if (budget !== undefined && !(budget >= 0)) throw invalidOption(`budget must be at least 0, got ${budget}`);
    if (budget !== undefined && gap !== undefined) throw invalidOption("budget goes with halfWidth, not with gap");
    const prices = gap === undefined ? knownPrices(bundle) : null;
    if (prices !== null) return priceChoices(bundle, plan, prices, budget ?? null);
    if (budget !== undefined) throw invalidOption("budget needs prices, and this bundle wasn't fitted by any");
    return null;
  },
};
