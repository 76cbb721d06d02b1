import { coverageChart, coverageKinds, coverageSeries, lowestCoverage } from "anchoreval/charts";
import type { Manifest } from "anchoreval/bundle";
import { idText } from "../dom.ts";
import { drawn, figure, key, panels } from "./chart.ts";

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
