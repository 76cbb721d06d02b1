import {
  coverageChart,
  coverageKinds,
  coverageSeries,
  lowestCoverage,
  type CoverageKind,
  type CoveragePoint,
} from "anchoreval/charts";
import { counted } from "anchoreval/words";
import { LEAST_MODELS_FOR_COVERAGE } from "../../fit/errors.ts";
import { html, type Html } from "../html.ts";
import { legend, type KeyEntry } from "../legend.ts";
import { figure, panels } from "../panels.ts";
import type { ReportData } from "../report-data.ts";
import { drawn } from "../svg.ts";

/** How many of the 95 % intervals hold the true score, by the number of items: one panel a scenario. */
export function coverage({ manifest }: ReportData): Html {
  const series = coverageSeries(manifest);
  if (series.length === 0)
    return html`<p class="missing">
      Not measured: coverage takes at least ${LEAST_MODELS_FOR_COVERAGE} held-out models, and intervals that they can be
      given.
    </p>`;
  const kinds = coverageKinds(series.flatMap(({ points }) => points));
  const from = lowestCoverage(series);
  return figure(
    html`Share of 95 % intervals that hold the true score, of held-out models, by the number of items asked. Marks on
    the dashed line keep the promise; below it they promise too much, above it the intervals are wider than they need
    be. A bar is where the share itself may lie, 19 times in 20, as held-out models are few.
    ${
      kinds.some(({ hollow }) => hollow)
        ? "Where the score rests on the answers to all scenarios, hollow marks are what its own answers alone would give."
        : null
    }
    All panels share one vertical scale.`,
    legend([
      ...kinds.map((kind) => ({ label: kind.label, colour: kind.colour, mark: markOf(kind) })),
      { label: "95 %, as promised", colour: "muted", mark: "none", line: "dashed" },
    ]),
    panels(
      series.map((own) => ({ title: own.id, note: modelsOf(own.points), chart: drawn(coverageChart(own, from)) })),
    ),
  );
}

function markOf({ symbol, hollow }: CoverageKind): KeyEntry["mark"] {
  if (symbol === "circle") return hollow ? "ring" : "circle";
  return hollow ? "diamond" : "solid-diamond";
}

/** Held-out models behind a panel. */
function modelsOf(points: readonly CoveragePoint[]): string {
  const of = (split: CoveragePoint["split"]): number =>
    Math.max(0, ...points.filter((point) => point.split === split).map(({ models }) => models));
  const [like, stronger] = [of("interpolation"), of("extrapolation")];
  if (like === 0 || stronger === 0) return counted(Math.max(like, stronger), "model");
  return `${counted(like, "model")}, ${stronger} stronger`;
}
