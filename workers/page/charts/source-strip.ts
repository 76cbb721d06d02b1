import * as Plot from "@observablehq/plot";
import { intervalWords, points } from "anchoreval/words";
import { chart, PANEL_WIDTH, placeAxis } from "./chart.ts";

const MARGIN = 14;
const HEIGHT = 74;

/** A model's score to show among the others. */
export interface Shown {
  readonly score: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** The source models along their full scores as stacked dots; beyond the strongest is tinted. A score with its interval above them. */
export function sourceStrip(
  title: string,
  sourceScores: ArrayLike<number>,
  shown: Shown | null,
  width = PANEL_WIDTH,
): SVGElement {
  const sorted = Array.from(sourceScores).sort((x, y) => x - y);
  const [low, high] = [sorted[0]!, sorted.at(-1)!];
  const { dots, radius } = stack(sorted, width);
  const rows = HEIGHT / (2 * radius);
  const at = shown ? [{ x: 100 * shown.score, y: -rows * 0.16 }] : [];
  const told = shown
    ? ` This model: ${points(shown.score)}${shown.interval ? `, interval ${intervalWords({ level: 0.95, method: "design-based", ...shown.interval })}` : ""}.`
    : "";
  return chart(`${title}: ${sorted.length} models with scores from ${points(low)} to ${points(high)} points.${told}`, {
    width,
    height: HEIGHT + 62 + (shown ? 24 : 0),
    marginLeft: MARGIN,
    marginRight: MARGIN,
    marginTop: 6,
    marginBottom: 38,
    x: { domain: [0, 100] },
    y: { axis: null, domain: [shown ? -rows * 0.34 : 0, rows] },
    marks: [
      Plot.rect([0], { x1: 100 * high, x2: 100, fill: "var(--stronger)", fillOpacity: 0.14 }),
      Plot.rect([0], { x1: 0, x2: 100 * low, fill: "var(--muted)", fillOpacity: 0.14 }),
      placeAxis("full score, points"),
      Plot.dot(dots, { x: "x", y: "y", r: 0.9 * radius, fill: "var(--item)" }),
      Plot.ruleY([0], { stroke: "var(--rule)" }),
      ...(shown?.interval
        ? [
            Plot.link([shown.interval], {
              x1: (d: { low: number }) => 100 * d.low,
              x2: (d: { high: number }) => 100 * d.high,
              y1: at[0]!.y,
              y2: at[0]!.y,
              stroke: "var(--accent)",
              strokeWidth: 5,
              strokeLinecap: "round",
              strokeOpacity: 0.45,
            }),
          ]
        : []),
      ...(shown
        ? [
            Plot.ruleX(at, { x: "x", y1: "y", y2: rows, stroke: "var(--accent)", strokeWidth: 1.2 }),
            Plot.dot(at, { x: "x", y: "y", r: 5.5, fill: "var(--accent)" }),
          ]
        : []),
    ],
  });
}

/** Dots of one column stand on each other; the largest radius of which the highest stack has room. */
function stack(scores: readonly number[], width: number): { dots: { x: number; y: number }[]; radius: number } {
  for (const radius of [4, 3.5, 3, 2.5, 2, 1.6, 1.3, 1]) {
    const wide = (200 * radius) / (width - 2 * MARGIN);
    const heights = new Map<number, number>();
    const dots = scores.map((score) => {
      const column = Math.min(Math.floor(100 / wide), Math.floor((100 * score) / wide));
      const height = heights.get(column) ?? 0;
      heights.set(column, height + 1);
      return { x: Math.min(100, (column + 0.5) * wide), y: height + 0.5 };
    });
    if (radius === 1 || 2 * radius * Math.max(...heights.values()) <= HEIGHT) return { dots, radius };
  }
  throw new Error("unreachable");
}
