import * as Plot from "@observablehq/plot";
import { points } from "../format.ts";
import { html, type Html } from "../html.ts";
import { figure, panels, type Panel } from "../panels.ts";
import type { ReportData } from "../report-data.ts";
import { chart, PANEL_WIDTH } from "../svg.ts";

const MARGIN = 12;
const STRIP = 84;

/** A model's dot: scores that are close are stacked. */
interface Stacked {
  readonly x: number;
  readonly k: number;
}

/** The models that the bundle was fitted on along their full scores, one strip a scenario. */
export function sourceModels({ manifest, scenarios }: ReportData): Html {
  const sorted = scenarios.map(({ id, content }) => ({
    id,
    scores: Array.from(content.sourceScores).sort((x, y) => x - y),
  }));
  const radius = radiusThatFits(sorted.map(({ scores }) => scores));
  return figure(
    html`Each dot is one of the ${manifest.sources.models} models that this bundle was fitted on, at its score on all
    items of the scenario, in points. The tinted part on the right is for models stronger than any seen: for them, go by
    the errors of such models above. The grey part on the left is weaker than any seen.`,
    panels(sorted.map(({ id, scores }) => panel(id, scores, radius))),
  );
}

function panel(title: string, scores: readonly number[], radius: number): Panel {
  const [low, high, middle] = [scores[0]!, scores.at(-1)!, scores[Math.floor((scores.length - 1) / 2)]!];
  const dots = stack(scores, radius);
  return {
    title,
    note: `${points(low)} to ${points(high)}, median ${points(middle)}`,
    chart: chart(
      `${title}: ${scores.length} models with scores from ${points(low)} to ${points(high)} points, median ${points(middle)}.`,
      {
        height: STRIP + 34,
        marginLeft: MARGIN,
        marginRight: MARGIN,
        marginTop: 4,
        marginBottom: 30,
        x: { domain: [0, 100] },
        y: { axis: null, domain: [0, Math.max(STRIP / (2 * radius), ...dots.map(({ k }) => k + 1))] },
        marks: [
          Plot.rect([0], { x1: 100 * high, x2: 100, fill: "var(--stronger)", fillOpacity: 0.13 }),
          Plot.rect([0], { x1: 0, x2: 100 * low, fill: "var(--muted)", fillOpacity: 0.13 }),
          Plot.axisX({ ticks: 5, tickSize: 3, label: null, color: "var(--muted)" }),
          Plot.ruleY([0], { stroke: "var(--muted)" }),
          Plot.dot(dots, { x: "x", y: (d: Stacked) => d.k + 0.5, r: 0.92 * radius, fill: "var(--like)" }),
        ],
      },
    ),
  };
}

/** Dots of one column stand on each other. */
function stack(scores: readonly number[], radius: number): Stacked[] {
  const heights = new Map<number, number>();
  const wide = (200 * radius) / (PANEL_WIDTH - 2 * MARGIN);
  return scores.map((score) => {
    const column = Math.min(Math.floor(100 / wide), Math.floor((100 * score) / wide));
    const k = heights.get(column) ?? 0;
    heights.set(column, k + 1);
    return { x: Math.min(100, (column + 0.5) * wide), k };
  });
}

/** The largest dots of which the highest stack has room. */
function radiusThatFits(lists: readonly (readonly number[])[]): number {
  for (const radius of [4, 3.5, 3, 2.5, 2, 1.6, 1.3]) {
    const highest = Math.max(...lists.flatMap((scores) => stack(scores, radius).map(({ k }) => k + 1)));
    if (2 * radius * highest <= STRIP) return radius;
  }
  return 1;
}
