import type { BundleScenario } from "anchoreval";
import { type Chart, chartMark, extent, itemMapChart, placeAxis, shownParameters, valueAxis } from "anchoreval/charts";
import { counted } from "anchoreval/words";
import { element, idText } from "../dom.ts";
import { drawn, figure, key, wideChart } from "./chart.ts";

/** A line over the full score, of an item or a form. */
interface Curve {
  readonly label: string;
  readonly values: readonly number[];
  /** Drawn with emphasis. */
  readonly strong: boolean;
}

interface CurvesOptions {
  /** The chart in words, for screen readers. */
  readonly description: string;
  readonly label: string;
  /** Range of the vertical axis. */
  readonly domain: readonly [number, number];
  readonly tickFormat?: (value: number) => string;
  readonly width: number;
}

/** Curves over a model's expected full score, in points, from weak models to strong ones. */
export function curvesChart(scores: readonly number[], list: readonly Curve[], options: CurvesOptions): Chart {
  const marks = list.flatMap(({ label, values, strong }) => {
    const line = values.map((value, k) => ({ x: 100 * scores[k]!, y: value, label }));
    const top = line.reduce((best, point) => (point.y > best.y ? point : best));
    const name = { x: "x", y: "y", text: "label", dy: -8, fill: strong ? "var(--accent)" : "var(--muted)" };
    return [
      chartMark("line", line, {
        x: "x",
        y: "y",
        stroke: strong ? "var(--accent)" : "var(--item)",
        strokeWidth: strong ? 2.4 : 1.4,
        title: "label",
      }),
      ...(list.length > 1 ? [chartMark("text", [top], name)] : []),
    ];
  });
  return {
    label: options.description,
    width: options.width,
    height: Math.round(Math.min(300, 0.62 * options.width)),
    marginLeft: 44,
    marginRight: 14,
    marginTop: 24,
    marginBottom: 38,
    x: { domain: [0, 100] },
    y: { domain: options.domain },
    marks: [
      ...valueAxis(options.label, options.tickFormat ? { tickFormat: options.tickFormat } : {}),
      placeAxis("full score of a model, points"),
      ...marks,
    ],
  };
}

/** Most dots that are drawn, besides anchors. */
const MOST_DOTS = 3000;

/** The item map of a scenario with its caption. Pointing at an anchor names it. */
export function itemMapFigure({ id, bank, forms }: BundleScenario, form: string): HTMLElement {
  const parameters = shownParameters(bank);
  const { anchors, itemIds } = forms.get(form)!;
  const names = new Map(Array.from(anchors.items, (item, k) => [item, itemIds[k]!]));
  const [low, high] = extent(parameters.discrimination);
  const room = Math.max(0.05, 0.08 * (high - low));
  return figure(
    [
      element("strong", {}, idText(id)),
      `: each dot is one of the ${counted(bank.count, "item")}. Further right is harder, further up tells strong models from weak ones more sharply${bank.dims > 1 ? ` (over all ${bank.dims} abilities)` : "; below zero, stronger models do worse on it"}.`,
      parameters.beyond > 0
        ? ` ${counted(parameters.beyond, "item")} with a difficulty beyond the axis ${parameters.beyond === 1 ? "is" : "are"} drawn at its edge.`
        : null,
    ],
    key([
      { mark: "dot accent", label: `asked in form ${form}` },
      { mark: "dot item", label: "other items" },
    ]),
    drawn(
      itemMapChart({
        title: id,
        parameters,
        anchors: anchors.items,
        nameOf: (item) => names.get(item)!,
        most: MOST_DOTS,
        width: wideChart(),
        domain: [low - room, high + room],
      }),
    ),
  );
}
