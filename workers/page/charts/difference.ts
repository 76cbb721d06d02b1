import type { Difference } from "anchoreval";
import { chartMark, placeAxis, type Chart } from "anchoreval/charts";
import { differenceWords, signedPoints } from "anchoreval/words";

interface Row {
  readonly label: string;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** Differences with their intervals about zero, and the margin as a band: the overall one and every scenario's. Null where there is none. */
export function differenceChart(
  list: readonly (readonly [label: string, difference: Difference])[],
  { names, margin, width }: { names: { a: string; b: string }; margin: number; width: number },
): Chart | null {
  const rows = list.flatMap(([label, { difference, interval }]): Row[] =>
    difference === null
      ? []
      : [
          {
            label,
            difference: 100 * difference,
            low: 100 * (interval?.low ?? difference),
            high: 100 * (interval?.high ?? difference),
          },
        ],
  );
  if (rows.length === 0) return null;
  const reach = 1.12 * Math.max(1, 200 * margin, ...rows.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
  const longest = Math.max(...rows.map(({ label }) => label.length));
  return {
    label: `${names.b} minus ${names.a}, in points. ${list.map(([label, own]) => `${label}: ${own.difference === null ? "none" : signedPoints(own.difference)}, interval ${differenceWords(own.interval)}`).join("; ")}.`,
    width,
    height: 66 + 34 * rows.length,
    marginLeft: Math.min(0.36 * width, 14 + 6.6 * longest),
    marginRight: 16,
    marginTop: 26,
    marginBottom: 38,
    x: { domain: [-reach, reach] },
    y: { domain: rows.map(({ label }) => label), label: null },
    marks: [
      ...(margin > 0
        ? [chartMark("rect", [0], { x1: -100 * margin, x2: 100 * margin, fill: "var(--muted)", fillOpacity: 0.16 })]
        : []),
      chartMark("gridX", null, { ticks: 6, stroke: "var(--grid)", strokeOpacity: 1 }),
      chartMark("axisY", null, { tickSize: 0, label: null, color: "var(--ink)" }),
      placeAxis("difference, points", { tickFormat: (x: number) => (x > 0 ? `+${x}` : String(x).replace("-", "−")) }),
      chartMark("ruleX", [0], { stroke: "var(--muted)", strokeWidth: 1.4 }),
      chartMark("text", [`← ${names.a} better`], { frameAnchor: "top-left", dy: -20, fill: "var(--muted)" }),
      chartMark("text", [`${names.b} better →`], { frameAnchor: "top-right", dy: -20, fill: "var(--muted)" }),
      chartMark("link", rows, {
        x1: "low",
        x2: "high",
        y1: "label",
        y2: "label",
        stroke: "var(--accent)",
        strokeWidth: 5,
        strokeOpacity: 0.45,
        strokeLinecap: "round",
      }),
      chartMark("dot", rows, { x: "difference", y: "label", r: 5, fill: "var(--accent)" }),
    ],
  };
}
