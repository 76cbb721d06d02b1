import type { PriceChoices } from "anchoreval/internal/features/prices/sdk/price-choices";
import type { Plan } from "anchoreval/internal/plan/types";
import { percent, points, priceWords, textTable } from "anchoreval/internal/words/figures";

/** Most choices that are shown: the others lie between them. */
const MOST_SHOWN = 12;

export function choiceLines(choosing: PriceChoices, { level, wanted }: Plan): string[] {
  const { unit, budget, whole, choices, chosen, predicting } = choosing;
  const every = Math.ceil(choices.length / MOST_SHOWN);
  const shown = choices.filter((choice, k) => choice === chosen || (choices.length - 1 - k) % every === 0);
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
        ...shown.map((choice) => [
          choice === chosen ? ">" : "",
          choice.form,
          priceWords(choice.cost, null),
          points(choice.halfWidth),
          ...(predicting ? [choice.scenarios.join(", ")] : []),
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
