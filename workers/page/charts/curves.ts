import { chartMark, placeAxis, valueAxis, type Chart } from "anchoreval/charts";

/** Lines over the full score: of items, or of forms. */
export interface Curve {
  readonly label: string;
  readonly values: readonly number[];
  /** Drawn strongly; the others stand behind. */
  readonly strong: boolean;
}

export interface CurvesOptions {
  readonly told: string;
  readonly label: string;
  /** Of the values, as they are drawn. */
  readonly domain: readonly [number, number];
  readonly tickFormat?: (value: number) => string;
  readonly width: number;
}

/** Curves over the full score that a model is expected to have, in points, from weak models to strong ones. */
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
    label: options.told,
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
