import { intervalWords } from "../../../sdk/words/result-words.ts";
import { points } from "../../../sdk/words/figures.ts";
import { chartMark, intervalBar, margins, PANEL_WIDTH, placeAxis, type Chart } from "./chart.ts";

const MARGIN = 14;
const STRIP = 78;

export interface SourceStripOptions {
  /** A model's score, shown above the others. */
  readonly shown?: {
    readonly score: number;
    readonly interval: { readonly low: number; readonly high: number } | null;
  };
  /** @unit pixels @default that of a panel */
  readonly width?: number;
}

/**
 * The source models along their full scores as stacked dots; what lies beyond the weakest and the strongest is tinted.
 * @param sourceScores - fractions, in any order
 * @example
 * const { score, interval } = estimateFromAnchors(bundle, responses).scenarios["gsm8k"]!;
 * const { sourceScores } = bundle.scenarios.get("gsm8k")!;
 * sourceStripChart("gsm8k", sourceScores, { shown: { score: score!, interval } });
 */
export function sourceStripChart(
  title: string,
  sourceScores: ArrayLike<number>,
  { shown, width = PANEL_WIDTH }: SourceStripOptions = {},
): Chart {
  const sorted = Array.from(sourceScores).sort((x, y) => x - y);
  const [low, high, median] = [sorted[0]!, sorted.at(-1)!, sorted[Math.floor((sorted.length - 1) / 2)]!];
  const { dots, radius } = stack(sorted, width);
  const rows = STRIP / (2 * radius);
  return {
    label: `${title}: ${sorted.length} models with scores from ${points(low)} to ${points(high)} points, median ${points(median)}.${shown ? toldOf(shown) : ""}`,
    width,
    height: STRIP + 44 + (shown ? 24 : 0),
    ...margins(6, MARGIN, 38, MARGIN),
    x: { domain: [0, 100] },
    y: { axis: null, domain: [shown ? -rows * 0.34 : 0, Math.max(rows, ...dots.map(({ y }) => y + 0.5))] },
    marks: [
      chartMark("rect", [0], { x1: 100 * high, x2: 100, fill: "var(--stronger)", fillOpacity: 0.14 }),
      chartMark("rect", [0], { x1: 0, x2: 100 * low, fill: "var(--muted)", fillOpacity: 0.14 }),
      placeAxis("full score, points"),
      chartMark("dot", dots, { x: "x", y: "y", r: 0.9 * radius, fill: "var(--item)" }),
      chartMark("ruleY", [0], { stroke: "var(--rule)" }),
      ...(shown ? shownMarks(shown, rows) : []),
    ],
  };
}

type Shown = NonNullable<SourceStripOptions["shown"]>;

function toldOf({ score, interval }: Shown): string {
  const words = interval && intervalWords({ level: 0.95, method: "design-based", ...interval });
  return ` This model: ${points(score)}${words === null ? "" : `, interval ${words}`}.`;
}

function shownMarks({ score, interval }: Shown, rows: number): Chart["marks"] {
  const at = [{ x: 100 * score, y: -rows * 0.16, top: rows }];
  const ends = interval ? [{ low: 100 * interval.low, high: 100 * interval.high, y: at[0]!.y }] : [];
  return [
    intervalBar(ends, "y"),
    chartMark("ruleX", at, { x: "x", y1: "y", y2: "top", stroke: "var(--accent)", strokeWidth: 1.2 }),
    chartMark("dot", at, { x: "x", y: "y", r: 5.5, fill: "var(--accent)" }),
  ];
}

/** Dots of one column stand on each other; the largest radius of which the highest stack has room, 1 at least. */
function stack(scores: readonly number[], width: number): { dots: { x: number; y: number }[]; radius: number } {
  const stacks = [4, 3.5, 3, 2.5, 2, 1.6, 1.3, 1].map((radius) => {
    const wide = (200 * radius) / (width - 2 * MARGIN);
    const heights = new Map<number, number>();
    const dots = scores.map((score) => {
      const column = Math.min(Math.floor(100 / wide), Math.floor((100 * score) / wide));
      const height = heights.get(column) ?? 0;
      heights.set(column, height + 1);
      return { x: Math.min(100, (column + 0.5) * wide), y: height + 0.5 };
    });
    return { dots, radius, fits: 2 * radius * Math.max(...heights.values()) <= STRIP };
  });
  return stacks.find(({ fits }) => fits) ?? stacks.at(-1)!;
}
