import * as Plot from "@observablehq/plot";
import { LEAST_MODELS_FOR_COVERAGE } from "../../fit/measured-coverage.ts";
import { coverageSeries, type CoveragePoint, type CoverageSeries } from "../coverage-series.ts";
import { counted, percent } from "../format.ts";
import { html, type Html } from "../html.ts";
import { legend, type KeyEntry } from "../legend.ts";
import { figure, panels, type Panel } from "../panels.ts";
import type { ReportData } from "../report-data.ts";
import { chart, PANEL_WIDTH } from "../svg.ts";

const NOMINAL = 95;
const MARGINS = { marginLeft: 44, marginRight: 8 };

/** How a series is drawn, in the order in which a form's stand side by side. */
interface Style {
  readonly split: CoveragePoint["split"];
  readonly evidence: CoveragePoint["evidence"];
  readonly colour: "like" | "stronger";
  readonly symbol: "circle" | "diamond";
  readonly label: string;
  readonly mark: KeyEntry["mark"];
}

const STYLES: readonly Style[] = [
  style("interpolation", "served", "like the models seen"),
  style("interpolation", "alone", "like the models seen, a scenario’s own answers alone"),
  style("extrapolation", "served", "stronger than any seen"),
  style("extrapolation", "alone", "stronger, a scenario’s own answers alone"),
];

function style(split: CoveragePoint["split"], evidence: CoveragePoint["evidence"], label: string): Style {
  const [colour, symbol] =
    split === "interpolation" ? (["like", "circle"] as const) : (["stronger", "diamond"] as const);
  const hollow = symbol === "circle" ? "ring" : "diamond";
  const mark = evidence === "alone" ? hollow : symbol === "circle" ? "circle" : "solid-diamond";
  return { split, evidence, colour, symbol, label, mark };
}

/** How many of the 95 % intervals hold the true score, by the number of items: one panel a scenario. */
export function coverage({ manifest }: ReportData): Html {
  const series = coverageSeries(manifest);
  if (series.length === 0)
    return html`<p class="missing">
      Not measured: coverage takes at least ${LEAST_MODELS_FOR_COVERAGE} held-out models, and intervals that they can be
      given.
    </p>`;
  const points = series.flatMap((own) => own.points);
  const drawn = stylesOf(points);
  const lowest = 100 * Math.min(...points.map(({ low }) => low));
  const from = Math.max(0, Math.min(80, 10 * Math.floor(lowest / 10)));
  return figure(
    html`Share of 95 % intervals that hold the true score, of held-out models, by the number of items asked. Marks on
    the dashed line keep the promise; below it they promise too much, above it the intervals are wider than they need
    be. A bar is where the share itself may lie, 19 times in 20, as held-out models are few.
    ${
      drawn.some(({ evidence }) => evidence === "alone")
        ? "Where the score rests on the answers to all scenarios, hollow marks are what its own answers alone would give."
        : null
    }
    All panels share one vertical scale.`,
    legend([
      ...drawn.map(({ label, colour, mark }) => ({ label, colour, mark })),
      { label: "95 %, as promised", colour: "muted", mark: "none", line: "dashed" },
    ]),
    panels(series.map((own) => panel(own, from))),
  );
}

function stylesOf(points: readonly CoveragePoint[]): Style[] {
  return STYLES.filter((own) => points.some((point) => isOf(point, own)));
}

function isOf(point: CoveragePoint, { split, evidence }: Style): boolean {
  return point.split === split && point.evidence === evidence;
}

function panel({ id, items, points }: CoverageSeries, from: number): Panel {
  const drawn = stylesOf(points);
  const gap = Math.min(0.2, 0.8 / drawn.length);
  const label = points.map(
    (point) => `${items[point.place]!} items, ${STYLES.find((own) => isOf(point, own))!.label}: ${told(point)}`,
  );
  const marks = drawn.flatMap((own, k) => {
    const shift = (k - (drawn.length - 1) / 2) * gap;
    const x = ({ place }: CoveragePoint): number => place + shift;
    const list = points.filter((point) => isOf(point, own));
    const stroke = `var(--${own.colour})`;
    const ends = { y1: (d: CoveragePoint) => 100 * d.low, y2: (d: CoveragePoint) => 100 * d.high };
    return [
      Plot.ruleX(list, { x, ...ends, stroke, strokeWidth: own.evidence === "served" ? 2 : 1.2 }),
      Plot.dot(list, {
        x,
        y: (d: CoveragePoint) => 100 * d.coverage,
        title: (d: CoveragePoint) => `${items[d.place]!} items: ${told(d)}`,
        symbol: own.symbol,
        r: 3.2,
        fill: own.evidence === "served" ? stroke : "var(--page)",
        stroke,
        strokeWidth: 1.4,
      }),
    ];
  });
  return {
    title: id,
    note: modelsOf(points),
    chart: chart(`${id}, share of 95 % intervals that hold the true score. ${label.join("; ")}.`, {
      height: 210,
      ...MARGINS,
      marginTop: 10,
      marginBottom: 34,
      x: { domain: [-0.5, items.length - 0.5] },
      y: { domain: [from, 100], grid: false },
      marks: [
        Plot.gridY({ ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
        Plot.axisY({
          ticks: 5,
          tickSize: 0,
          tickFormat: (d: number) => `${d} %`,
          label: null,
          color: "var(--muted)",
        }),
        Plot.axisX(ticks(items), {
          tickSize: 3,
          tickFormat: (place: number) => String(items[place]!),
          label: "items asked",
          labelAnchor: "center",
          labelArrow: "none",
          labelOffset: 32,
          color: "var(--muted)",
        }),
        Plot.ruleY([NOMINAL], { stroke: "var(--muted)", strokeWidth: 1.4, strokeDasharray: "4 3" }),
        ...marks,
      ],
    }),
  };
}

function told({ coverage: share, low, high, models }: CoveragePoint): string {
  return `${percent(share)} (${percent(low)} to ${percent(high)}) of ${counted(models, "model")}`;
}

/** Held-out models behind a panel. */
function modelsOf(points: readonly CoveragePoint[]): string {
  const of = (split: CoveragePoint["split"]): number =>
    Math.max(0, ...points.filter((point) => point.split === split).map(({ models }) => models));
  const [like, stronger] = [of("interpolation"), of("extrapolation")];
  if (like === 0 || stronger === 0) return counted(Math.max(like, stronger), "model");
  return `${counted(like, "model")}, ${stronger} stronger`;
}

/** Places that have room for their label, the last always. */
function ticks(items: readonly number[]): number[] {
  const room = (PANEL_WIDTH - MARGINS.marginLeft - MARGINS.marginRight) / items.length;
  const longest = Math.max(...items.map((n) => String(n).length));
  const step = Math.ceil((7 * longest + 6) / room);
  return items.map((_, place) => place).filter((place) => (items.length - 1 - place) % step === 0);
}
