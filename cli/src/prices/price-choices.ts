import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import {
  MOST_SCENARIOS,
  type ScenarioChoice,
  scenarioChoices,
  undercut,
} from "anchoreval/internal/plan/scenario-choices";
import type { Plan } from "anchoreval/internal/plan/types";
import { type BundlePrices, formPrices, priceWords, wholePrice } from "anchoreval/internal/prices/bundle-prices";
import { percent, points, textTable } from "anchoreval/internal/words/figures";
import { type Budget, commonUnit } from "./price-options.ts";

/** Prices of forms, and the one to ask. */
export interface PriceChoices {
  readonly unit: string | null;
  readonly budget: number | null;
  /** Of all items of the benchmark. */
  readonly whole: number;
  /** Forms and, where scenarios can be predicted, which of them to ask: the cheapest first, each narrower than all before. */
  readonly choices: readonly ScenarioChoice[];
  /** The cheapest that is as narrow as was asked for, else the narrowest within the budget; null where none is within it. */
  readonly chosen: ScenarioChoice | null;
  /** Some scenarios may be left to prediction; of more than 16 all are asked. */
  readonly predicting: boolean;
}

/** @throws AnchorEvalError `invalid_option` for a budget in another unit */
export function priceChoices(
  bundle: Bundle,
  { forms, level, wanted }: Plan,
  prices: BundlePrices,
  budget: Budget | null,
): PriceChoices {
  const unit = commonUnit(prices.unit, budget?.unit ?? null, "--budget");
  const pricesOf = (form: string): Map<string, number> => formPrices(bundle, prices, form);
  const { manifest } = bundle;
  const predicting = manifest.unasked !== undefined && manifest.scenarios.length <= MOST_SCENARIOS;
  const choices = predicting
    ? scenarioChoices(manifest, pricesOf, level)
    : undercut(
        forms.map(({ form, overall: { halfWidth } }) => {
          const own = pricesOf(form!);
          const cost = Array.from(own.values()).reduce((sum, price) => sum + price, 0);
          return { form: form!, scenarios: [...own.keys()], cost, halfWidth };
        }),
      );
  const affordable = choices.filter(({ cost }) => budget === null || cost <= budget.amount);
  const goal = wanted && "halfWidth" in wanted ? wanted.halfWidth : 0;
  const chosen = affordable.find(({ halfWidth }) => halfWidth <= goal) ?? affordable.at(-1) ?? null;
  return { unit, budget: budget && budget.amount, whole: wholePrice(prices), choices, chosen, predicting };
}

/** Most choices that are shown: the others lie between them. */
const MOST_SHOWN = 12;

export function choiceLines(found: PriceChoices, { level, wanted }: Plan): string[] {
  const { unit, budget, whole, choices, chosen, predicting } = found;
  const every = Math.ceil(choices.length / MOST_SHOWN);
  const shown = choices.filter((own, k) => own === chosen || (choices.length - 1 - k) % every === 0);
  const goal = wanted && "halfWidth" in wanted ? wanted.halfWidth : null;
  const within = budget === null ? "" : ` within ${priceWords(budget, unit)}`;
  return [
    ...textTable(
      [
        [
          "",
          "form",
          unit === null ? "price" : `price (${unit})`,
          `half-width (${percent(level)})`,
          ...(predicting ? ["scenarios to ask"] : []),
        ],
        ...shown.map((own) => [
          own === chosen ? ">" : "",
          own.form,
          priceWords(own.cost, null),
          points(own.halfWidth),
          ...(predicting ? [own.scenarios.join(", ")] : []),
        ]),
      ],
      predicting ? "llrrl" : "llrr",
    ),
    `All items of the benchmark cost ${priceWords(whole, unit)}.`,
    ...(chosen === null
      ? [`No ${predicting ? "choice" : "form"} is${within === "" ? " there" : within}.`]
      : goal !== null && chosen.halfWidth > goal
        ? [`None${within} is as narrow as asked for: the narrowest is marked.`]
        : []),
    predicting
      ? "Scenarios that aren't asked are predicted from the others; half-widths by price are of the overall score, of a model in the middle of the source models."
      : "Half-widths by price are of the overall score, those that nine models in ten have at most.",
  ];
}
