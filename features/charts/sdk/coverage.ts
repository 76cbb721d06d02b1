import type { MeasuredErrors, SplitErrors } from "../../../sdk/core/bundle/manifest.ts";
import { wilsonInterval } from "../../../sdk/core/inference/score-interval.ts";
import { normalQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { counted, wholePercent } from "../../../sdk/words/figures.ts";
import { type Chart, chartMark, margins, PANEL_WIDTH, placeAxis, valueAxis } from "./chart.ts";
import { formTotals, isOneOfItsSize, type MeasuredManifest } from "../../../sdk/words/measured-forms.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

const NOMINAL = 95;
const MARGINS = margins(10, 8, 34, 44);

const LIKE = { split: "interpolation", colour: "accent", symbol: "circle" } as const;
const STRONGER = { split: "extrapolation", colour: "stronger", symbol: "diamond" } as const;
const SERVED = { evidence: "served", hollow: false } as const;
const ALONE = { evidence: "alone", hollow: true } as const;

/** How one kind of point is drawn, and what a key calls it. */
export type CoverageKind = (typeof LIKE | typeof STRONGER) &
  (typeof SERVED | typeof ALONE) & { readonly label: string };

/** In the order in which a form's points stand side by side. */
const KINDS: readonly CoverageKind[] = [
  { ...LIKE, ...SERVED, label: "like the models seen" },
  { ...LIKE, ...ALONE, label: "like the models seen, a scenario’s own answers alone" },
  { ...STRONGER, ...SERVED, label: "stronger than any seen" },
  { ...STRONGER, ...ALONE, label: "stronger, a scenario’s own answers alone" },
];

/** The kinds of points that there are, for a key. */
export function coverageKinds(points: readonly CoveragePoint[]): CoverageKind[] {
  return KINDS.filter((kind) => points.some((point) => isOf(point, kind)));
}

/** Where the scale of several charts begins that are to be compared: at 80 % or below. @unit percent */
export function lowestCoverage(series: readonly CoverageSeries[]): number {
  const lowest = Math.min(...series.flatMap(({ points }) => points.map(({ low }) => low)));
  return Math.max(0, Math.min(80, 10 * Math.floor(10 * lowest)));
}

/**
 * How many of the 95 % intervals hold the true score, by the number of items, with a bar over where the share itself may
 * lie.
 * @param from - where the scale begins ({@link lowestCoverage})
 * @example
 * const series = coverageSeries(bundle.manifest);
 * const charts = series.map((own) => coverageChart(own, lowestCoverage(series)));
 */
export function coverageChart({ id, items, points }: CoverageSeries, from: number): Chart {
  const kinds = coverageKinds(points);
  const gap = Math.min(0.2, 0.8 / kinds.length);
  const label = points.map(
    (point) =>
      `${items[point.place]!} items, ${kinds.find((kind) => isOf(point, kind))!.label}: ${coverageWords(point)}`,
  );
  const marks = kinds.flatMap((kind, k) => {
    const shift = (k - (kinds.length - 1) / 2) * gap;
    const drawn = points
      .filter((point) => isOf(point, kind))
      .map((point) => ({
        x: point.place + shift,
        y: 100 * point.coverage,
        low: 100 * point.low,
        high: 100 * point.high,
        title: `${items[point.place]!} items: ${coverageWords(point)}`,
      }));
    const stroke = `var(--${kind.colour})`;
    const colours = { fill: kind.hollow ? "var(--page)" : stroke, stroke, strokeWidth: 1.4 };
    return [
      chartMark("ruleX", drawn, { x: "x", y1: "low", y2: "high", stroke, strokeWidth: kind.hollow ? 1.2 : 2 }),
      chartMark("dot", drawn, { x: "x", y: "y", title: "title", symbol: kind.symbol, r: 3.2, ...colours }),
    ];
  });
  return {
    label: `${id}, share of 95 % intervals that hold the true score. ${label.join("; ")}.`,
    width: PANEL_WIDTH,
    height: 210,
    ...MARGINS,
    x: { domain: [-0.5, items.length - 0.5] },
    y: { domain: [from, 100], grid: false },
    marks: [
      ...valueAxis(null, { tickFormat: (share: number) => `${share} %` }),
      placeAxis("items asked", { tickFormat: (place: number) => String(items[place]!) }, ticks(items)),
      chartMark("ruleY", [NOMINAL], { stroke: "var(--muted)", strokeWidth: 1.4, strokeDasharray: "4 3" }),
      ...marks,
    ],
  };
}

function isOf(point: CoveragePoint, { split, evidence }: CoverageKind): boolean {
  return point.split === split && point.evidence === evidence;
}

function coverageWords({ coverage, low, high, models }: CoveragePoint): string {
  return `${wholePercent(coverage)} (${wholePercent(low)} to ${wholePercent(high)}) of ${counted(models, "model")}`;
}

/** Places that have room for their label, the last always. */
function ticks(items: readonly number[]): number[] {
  const room = (PANEL_WIDTH - MARGINS.marginLeft - MARGINS.marginRight) / items.length;
  const longest = Math.max(...items.map((n) => String(n).length));
  const step = Math.ceil((7 * longest + 6) / room);
  return items.map((_, place) => place).filter((place) => (items.length - 1 - place) % step === 0);
}

/** The coverage measured on one kind of held-out models, with one form and one kind of evidence. Shares. */
export interface CoveragePoint {
  readonly split: keyof MeasuredErrors;
  /** The answers behind the score: those that it is served from, or, where these are all scenarios', the scenario's own alone. */
  readonly evidence: "served" | "alone";
  /** Place of the form among the series'. */
  readonly place: number;
  readonly models: number;
  readonly coverage: number;
  /** Where the coverage may lie, for as many models ({@link coverageInterval}). */
  readonly low: number;
  readonly high: number;
}

/** A scenario's coverage, or the overall score's, in every form that doesn't ask it whole. */
export interface CoverageSeries {
  readonly id: string;
  readonly items: readonly number[];
  readonly points: readonly CoveragePoint[];
}

const SPLITS = ["interpolation", "extrapolation"] as const;

/** Coverage by scenario, the overall score's first; those where none is measured are left out. */
export function coverageSeries(manifest: MeasuredManifest): CoverageSeries[] {
  const forms = manifest.forms.filter((form) => isOneOfItsSize(form, manifest.forms));
  const overall = forms.flatMap((form): Sized[] => {
    const { items, whole } = formTotals(form);
    return form.overall === null || whole ? [] : [{ items, served: form.overall.measured, alone: null }];
  });
  const single = manifest.scenarios.map(({ id }) => ({
    id,
    sizes: forms.flatMap((form): Sized[] => {
      const { items, whole, measured, together } = lookUp(form.scenarios, id)!;
      if (whole) return [];
      return [
        together ? { items, served: together.measured, alone: measured } : { items, served: measured, alone: null },
      ];
    }),
  }));
  return [{ id: "overall", sizes: overall }, ...single]
    .map(({ id, sizes }) => ({
      id,
      items: sizes.map(({ items }) => items),
      points: sizes.flatMap(({ served, alone }, place) => [
        ...pointsOf("served", place, served),
        ...(alone ? pointsOf("alone", place, alone) : []),
      ]),
    }))
    .filter(({ points }) => points.length > 0);
}

/** The errors of a form by their evidence. */
interface Sized {
  readonly items: number;
  readonly served: MeasuredErrors;
  readonly alone: MeasuredErrors | null;
}

function pointsOf(evidence: CoveragePoint["evidence"], place: number, errors: MeasuredErrors): CoveragePoint[] {
  return SPLITS.flatMap((split): CoveragePoint[] => {
    const measured = errors[split];
    if (measured === null || measured.coverage95 === null) return [];
    return [
      {
        split,
        evidence,
        place,
        models: measured.models,
        coverage: measured.coverage95,
        ...coverageInterval(measured)!,
      },
    ];
  });
}

const Z = normalQuantile(0.975);

/**
 * Where a coverage may lie that was measured on few models: Wilson's 95 % interval at the number of independent
 * intervals that its standard error tells of, c(1−c)/SE². Where all of them held, or none, that is the number of models.
 * @returns shares; null where coverage isn't measured
 */
export function coverageInterval(errors: Pick<SplitErrors, "models" | "coverage95" | "coverageSe">) {
  const { models, coverage95, coverageSe } = errors;
  if (coverage95 === null) return null;
  const independent = coverageSe ? (coverage95 * (1 - coverage95)) / coverageSe ** 2 : models;
  return wilsonInterval(coverage95, independent, Z);
}
