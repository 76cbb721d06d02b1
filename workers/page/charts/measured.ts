import type { Manifest } from "anchoreval/bundle";
import {
  comparableForms,
  coverageChart,
  coverageKinds,
  coverageSeries,
  errorBySizeChart,
  type ErrorLine,
  lowestCoverage,
  type MeasuredScenario,
} from "anchoreval/charts";
import { figureOf } from "anchoreval/core";
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

/** How many of the 95 % intervals hold the true score, by the number of items. Null where that isn't measured. */
export function coverage(manifest: Manifest): HTMLElement | null {
  const series = coverageSeries(manifest).map((own) => ({
    ...own,
    points: own.points.filter(({ evidence }) => evidence === "served"),
  }));
  if (series.length === 0) return null;
  const from = lowestCoverage(series);
  return figure(
    "Share of 95 % intervals that hold the true score, of models that were held out. Marks near the dashed line keep the promise. A bar is where the share itself may lie, as held-out models are few.",
    key([
      ...coverageKinds(series.flatMap(({ points }) => points)).map(({ colour, label }) => ({
        mark: `dot ${colour}`,
        label,
      })),
      { mark: "line dashed", label: "95 %, as promised" },
    ]),
    panels(series.map((own) => ({ title: idText(own.id), draw: () => drawn(coverageChart(own, from)) }))),
  );
}
