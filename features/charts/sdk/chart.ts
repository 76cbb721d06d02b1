export type MarkName =
  "axisX" | "axisY" | "dot" | "gridX" | "gridY" | "line" | "link" | "rect" | "ruleX" | "ruleY" | "text";

/** One mark of a chart: a function of Plot, by name, with what it takes. */
export interface ChartMark {
  readonly mark: MarkName;
  /** Null where the mark needs none: axes and grids with ticks of their own. */
  readonly data: readonly unknown[] | null;
  /** Channels are names of the data's fields. */
  readonly options: Readonly<Record<string, unknown>>;
}

interface ChartScale {
  readonly domain: readonly (number | string)[];
  readonly [option: string]: unknown;
}

/**
 * A chart as a description that Observable Plot draws, in Node, in a page or in a notebook: the SDK itself depends on no
 * library for it. Colours are variables of a style sheet: `--accent`, `--stronger`, `--miss`, `--item`, `--muted`,
 * `--grid`, `--rule`, `--page`.
 * @example
 * const { label, marks, ...options } = errorBySizeChart("overall", lines, 0.08);
 * Plot.plot({ ...options, ariaLabel: label, marks: plotMarks(marks, Plot) });
 */
export interface Chart extends ReturnType<typeof margins> {
  readonly label: string;
  /** @unit pixels */
  readonly width: number;
  readonly height: number;
  readonly x: ChartScale;
  readonly y: ChartScale;
  readonly marks: readonly ChartMark[];
}

/** Width of one of several charts side by side: a phone's column. @unit pixels */
export const PANEL_WIDTH = 320;

/** Margins of a chart. @unit pixels */
export function margins(marginTop: number, marginRight: number, marginBottom: number, marginLeft: number) {
  return { marginTop, marginRight, marginBottom, marginLeft };
}

/** A mark of some data, or one that needs none. */
export function chartMark(mark: MarkName, data: ChartMark["data"], options: ChartMark["options"] = {}): ChartMark {
  return { mark, data, options };
}

/** Bars from `low` to `high`, at the places of a channel. */
export function intervalBar(data: readonly unknown[], y: string): ChartMark {
  const stroke = { stroke: "var(--accent)", strokeWidth: 5, strokeLinecap: "round", strokeOpacity: 0.45 };
  return chartMark("link", data, { x1: "low", x2: "high", y1: y, y2: y, ...stroke });
}

/**
 * The marks of a chart, made by Observable Plot.
 * @param plot - its functions by name: the library, or those of it that a bundle shall have
 * @example plotMarks(chart.marks, Plot)
 */
export function plotMarks<Mark>(marks: readonly ChartMark[], plot: Readonly<Record<MarkName, unknown>>): Mark[] {
  return marks.map(({ mark, data, options }) => {
    const make = plot[mark] as (...input: unknown[]) => Mark;
    return data === null ? make(options) : make(data, options);
  });
}

/** Grid lines and an axis of values; its label stands above it. */
export function valueAxis(label: string | null, options: ChartMark["options"] = {}): ChartMark[] {
  const above = { labelArrow: "none", labelAnchor: "top" };
  return [
    chartMark("gridY", null, { ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
    chartMark("axisY", null, { ticks: 5, tickSize: 0, label, ...above, color: "var(--muted)", ...options }),
  ];
}

/** An axis of places, its label below it. @param ticks - where they stand @default evenly */
export function placeAxis(
  label: string | null,
  options: ChartMark["options"] = {},
  ticks: readonly number[] | null = null,
): ChartMark {
  const below = { labelAnchor: "center", labelArrow: "none", labelOffset: 32 };
  const few = ticks === null ? { ticks: 6 } : {};
  return chartMark("axisX", ticks, { ...few, tickSize: 3, label, ...below, color: "var(--muted)", ...options });
}

/** The smallest and the largest of some values, of which there may be more than a call takes. */
export function extent(values: ArrayLike<number>): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  return [low, high];
}

/**
 * At most `limit` of a list's elements, evenly spread over it and always the same ones.
 * @example thin([0, 1, 2, 3, 4, 5], 3) // [0, 2, 4]
 */
export function thin<T>(list: readonly T[], limit: number): T[] {
  if (list.length <= limit) return [...list];
  return Array.from({ length: limit }, (_, k) => list[Math.floor((k * list.length) / limit)]!);
}
