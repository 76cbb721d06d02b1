import { figureOf } from "anchoreval/core";
import { comparableForms, errorBySizeChart, type ErrorLine, type MeasuredScenario } from "anchoreval/charts";
import { idText } from "../dom.ts";
import { drawn, figure, key, panels } from "./chart.ts";

/** Typical error by the number of items asked, against as many random items: a panel a scenario. Null where none is measured. */
export function errorBySize(scenarios: readonly MeasuredScenario[]): HTMLElement | null {
  const measured = scenarios.flatMap((scenario) => {
    const forms = comparableForms(scenario);
    if (forms.length === 0) return [];
    return [{ id: scenario.id, models: forms[0]!.measured!.interpolation!.models, lines: linesOf(scenario) }];
  });
  if (measured.length === 0) return null;
  const highest = Math.max(
    ...measured.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ error }) => error))),
  );
  return figure(
    "Typical (mean absolute) error of the score on models that were held out, by the number of items asked. Lower is better; below the dashed line is better than as many items drawn at random.",
    key([
      { mark: "line accent", label: "like the models seen" },
      { mark: "line stronger", label: "stronger than any seen" },
      { mark: "line dashed", label: "as many random items" },
    ]),
    panels(
      measured.map(({ id, models, lines }) => ({
        title: idText(id),
        note: `${models} models`,
        draw: () => drawn(errorBySizeChart(id, lines, highest)),
      })),
    ),
  );
}

function linesOf(scenario: MeasuredScenario): ErrorLine[] {
  const mae = (split: "interpolation" | "extrapolation"): ErrorLine["points"] =>
    comparableForms(scenario, split).map(({ items, form, measured }) => ({
      items,
      error: figureOf(measured![split]!.estimators, form.estimator).mae,
    }));
  return [
    {
      label: "as many random items",
      points: comparableForms(scenario).map(({ items, measured }) => ({
        items,
        error: measured!.interpolation!.randomMae,
      })),
      colour: "muted",
      symbol: null,
      kind: "dashed",
    },
    {
      label: "stronger than any seen",
      points: mae("extrapolation"),
      colour: "stronger",
      symbol: "diamond",
      kind: "plain",
    },
    { label: "like the models seen", points: mae("interpolation"), colour: "accent", symbol: "circle", kind: "strong" },
  ];
}
