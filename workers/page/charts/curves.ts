import * as Plot from "@observablehq/plot";
import { chart, placeAxis, valueAxis } from "./chart.ts";

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
export function curves(scores: readonly number[], list: readonly Curve[], options: CurvesOptions): SVGElement {
  const marks = list.flatMap(({ label, values, strong }) => {
    const line = values.map((value, k) => ({ x: 100 * scores[k]!, y: value, label }));
    const top = line.reduce((best, point) => (point.y > best.y ? point : best));
    return [
      Plot.line(line, {
        x: "x",
        y: "y",
        stroke: strong ? "var(--accent)" : "var(--item)",
        strokeWidth: strong ? 2.4 : 1.4,
        title: "label",
      }),
      ...(list.length > 1
        ? [Plot.text([top], { x: "x", y: "y", text: "label", dy: -8, fill: strong ? "var(--accent)" : "var(--muted)" })]
        : []),
    ];
  });
  return chart(options.told, {
    width: options.width,
    height: Math.round(Math.min(300, 0.62 * options.width)),
    marginLeft: 44,
    marginRight: 14,
    marginTop: 24,
    marginBottom: 38,
    x: { domain: [0, 100] },
    y: { domain: [...options.domain] },
    marks: [
      valueAxis(options.label, options.tickFormat ? { tickFormat: options.tickFormat } : {}),
      placeAxis("full score of a model, points"),
      ...marks,
    ],
  });
}
