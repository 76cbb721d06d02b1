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

/** Typical error by the number of items asked, beside that of as many random items, by scenario. Null if none is measured. */
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
    "Typical (mean absolute) error of the score on held-out models, by the number of items asked. Lower is better; below the dashed line is better than as many random items.",
    key([
      { mark: "line accent", label: "like the source models" },
      { mark: "line stronger", label: "stronger than any source model" },
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
      label: "stronger than any source model",
      points: mae("extrapolation"),
      colour: "stronger",
      symbol: "diamond",
      kind: "plain",
    },
    {
      label: "like the source models",
      points: mae("interpolation"),
      colour: "accent",
      symbol: "circle",
      kind: "strong",
    },
  ];
}

/** Coverage of the 95 % intervals by the number of items. Null if it isn't measured. */
export function coverage(manifest: Manifest): HTMLElement | null {
  const series = coverageSeries(manifest).map((own) => ({
    ...own,
    points: own.points.filter(({ evidence }) => evidence === "served"),
  }));
  if (series.length === 0) return null;
  const from = lowestCoverage(series);
  return figure(
    "Share of 95 % intervals that contain the true score of held-out models. Marks should lie near the dashed line. Bars show the uncertainty of the share itself, since held-out models are few.",
    key([
      ...coverageKinds(series.flatMap(({ points }) => points)).map(({ colour, label }) => ({
        mark: `dot ${colour}`,
        label,
      })),
      { mark: "line dashed", label: "95 %, the nominal share" },
    ]),
    panels(series.map((own) => ({ title: idText(own.id), draw: () => drawn(coverageChart(own, from)) }))),
  );
}
