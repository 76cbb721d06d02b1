import { points as inPoints } from "../../../sdk/words/figures.ts";
import { chartMark, margins, PANEL_WIDTH, placeAxis, valueAxis, type Chart, type ChartMark } from "./chart.ts";

/** The errors of one estimator, or of one kind of models, over the sizes of forms. */
export interface ErrorLine {
  readonly label: string;
  /** The mean absolute error of a form, a fraction, by the items that it asks. */
  readonly points: readonly { readonly items: number; readonly error: number }[];
  /** Variable of the style sheet. */
  readonly colour: string;
  /** A symbol of Plot; null for a line without marks. */
  readonly symbol: string | null;
  /** `strong`: what the chart is about; `plain`: beside it; `faint`: for comparison, not told; `dashed`: the bar to beat. */
  readonly kind: "strong" | "plain" | "faint" | "dashed";
}

const STROKES: Readonly<Record<ErrorLine["kind"], ChartMark["options"]>> = {
  strong: { strokeWidth: 2.6 },
  plain: { strokeWidth: 1.8 },
  faint: { strokeWidth: 1.2 },
  dashed: { strokeWidth: 1.6, strokeDasharray: "4 3" },
};

/**
 * Typical error in points by the number of items asked, on a logarithmic axis.
 * @param lines - drawn in this order, the last on top
 * @param highest - error at which the scale ends: the same in charts that are to be compared
 * @example
 * const [overall] = measuredScenarios(bundle.manifest);
 * const points = comparableForms(overall!).map(({ items, form, measured }) =>
 *   ({ items, error: estimatorFigure(measured!.interpolation!.estimators, form.estimator).mae }));
 * errorBySizeChart("overall", [{ label: "score", points, colour: "accent", symbol: "circle", kind: "strong" }], 0.1);
 */
export function errorBySizeChart(title: string, lines: readonly ErrorLine[], highest: number): Chart {
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(({ items }) => items)))].sort((x, y) => x - y);
  const labelled = lines.filter(({ kind }) => kind !== "faint");
  const label = sizes.map((items) => {
    const values = labelled.flatMap((line) => {
      const point = line.points.find((candidate) => candidate.items === items);
      return point ? [`${line.label} ${inPoints(point.error)}`] : [];
    });
    return `${items} items: ${values.join(", ")}`;
  });
  return {
    label: `${title}: typical error in points. ${label.join("; ")}.`,
    width: PANEL_WIDTH,
    height: 200,
    ...margins(22, 14, 36, 34),
    x: { domain: domainOf(sizes), insetLeft: 10, insetRight: 10 },
    y: { domain: [0, 105 * highest], grid: false },
    marks: [
      ...valueAxis("points"),
      placeAxis(
        "items asked",
        { tickFormat: (x: number) => String(Math.round(Math.exp(x))) },
        withRoom(sizes).map(Math.log),
      ),
      ...lines.flatMap(lineMarks),
    ],
  };
}

function lineMarks({ points, colour, symbol, kind }: ErrorLine): ChartMark[] {
  const drawn = points.map(({ items, error }) => ({ x: Math.log(items), y: 100 * error }));
  const at = { x: "x", y: "y" };
  const stroke = `var(--${colour})`;
  const line = chartMark("line", drawn, { ...at, stroke, ...STROKES[kind] });
  if (symbol === null) return [line];
  const faint = kind === "faint";
  const fill = faint ? { fill: "var(--page)", stroke, strokeWidth: 1.2 } : { fill: stroke };
  return [line, chartMark("dot", drawn, { ...at, r: faint ? 2.6 : 3.6, symbol, ...fill })];
}

/** Logarithms are taken here: on a logarithmic scale of its own Plot leaves out labels of sizes that are asked for. */
function domainOf(sizes: readonly number[]): [number, number] {
  const [low, high] = [Math.log(sizes[0]!), Math.log(sizes.at(-1)!)];
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

/** Sizes that have room for their label, the largest first. */
function withRoom(sizes: readonly number[]): number[] {
  return sizes.reduceRight<number[]>((kept, n) => (n * 1.3 <= (kept.at(-1) ?? Infinity) ? [...kept, n] : kept), []);
}
