import * as Plot from "@observablehq/plot";
import type { MeasuredErrors } from "anchoreval/bundle";
import { normalQuantile, wilsonInterval } from "anchoreval/core";
import type { MeasuredScenario } from "../bundle/measured.ts";
import { idText } from "../dom.ts";
import { wholePercent } from "../figures.ts";
import { chart, figure, key, panels, placeAxis, valueAxis } from "./chart.ts";

interface Point {
  readonly place: number;
  readonly items: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

const KINDS = [
  {
    split: "interpolation",
    mark: "dot accent",
    label: "like the models seen",
    colour: "var(--accent)",
    symbol: "circle",
    shift: -0.1,
  },
  {
    split: "extrapolation",
    mark: "dot stronger",
    label: "stronger than any seen",
    colour: "var(--stronger)",
    symbol: "diamond",
    shift: 0.1,
  },
] as const;

/** How many of the 95 % intervals hold the true score, by the number of items. Null where that isn't measured. */
export function coverage(scenarios: readonly MeasuredScenario[]): HTMLElement | null {
  const drawn = scenarios
    .map((scenario) => {
      const forms = scenario.forms.filter(({ form, whole }) => !whole && form.disjointFrom === undefined);
      return {
        id: scenario.id,
        sizes: forms.map(({ items }) => items),
        series: KINDS.map(({ split }) =>
          forms.flatMap(({ items, measured }, place) => point(items, place, measured, split)),
        ),
      };
    })
    .filter(({ series }) => series.some((list) => list.length > 0));
  if (drawn.length === 0) return null;
  const lowest = Math.min(...drawn.flatMap(({ series }) => series.flat().map(({ low }) => low)));
  const from = Math.max(0, Math.min(80, 10 * Math.floor(10 * lowest)));
  return figure(
    "Share of 95 % intervals that hold the true score, of models that were held out. Marks near the dashed line keep the promise. A bar is where the share itself may lie, as held-out models are few.",
    key([
      ...KINDS.filter((_, k) => drawn.some(({ series }) => series[k]!.length > 0)).map(({ mark, label }) => ({
        mark,
        label,
      })),
      { mark: "line dashed", label: "95 %, as promised" },
    ]),
    panels(
      drawn.map(({ id, sizes, series }) => ({
        title: idText(id),
        draw: () =>
          chart(
            `${id}, share of 95 % intervals that hold. ${series.flatMap((list, k) => list.map(({ items, share }) => `${items} items, ${KINDS[k]!.label}: ${wholePercent(share)}`)).join("; ")}.`,
            {
              height: 190,
              marginLeft: 40,
              marginRight: 10,
              marginTop: 12,
              marginBottom: 36,
              x: { domain: [-0.5, sizes.length - 0.5] },
              y: { domain: [from, 100] },
              marks: [
                valueAxis("", { tickFormat: (share: number) => `${share} %`, label: null }),
                placeAxis("items asked", {
                  ticks: sizes.map((_, place) => place),
                  tickFormat: (place: number) => String(sizes[place]!),
                }),
                Plot.ruleY([95], { stroke: "var(--muted)", strokeWidth: 1.4, strokeDasharray: "4 3" }),
                ...KINDS.flatMap(({ colour, symbol, shift }, k) => [
                  Plot.ruleX(series[k], {
                    x: ({ place }: Point) => place + shift,
                    y1: ({ low }: Point) => 100 * low,
                    y2: ({ high }: Point) => 100 * high,
                    stroke: colour,
                    strokeWidth: 2,
                  }),
                  Plot.dot(series[k], {
                    x: ({ place }: Point) => place + shift,
                    y: ({ share }: Point) => 100 * share,
                    symbol,
                    r: 3.6,
                    fill: colour,
                  }),
                ]),
              ],
            },
          ),
      })),
    ),
  );
}

function point(items: number, place: number, measured: MeasuredErrors | null, split: keyof MeasuredErrors): Point[] {
  const errors = measured?.[split];
  if (!errors || errors.coverage95 === null) return [];
  const { coverage95: share, coverageSe, models } = errors;
  const independent = coverageSe ? (share * (1 - share)) / coverageSe ** 2 : models;
  const { low, high } = wilsonInterval(share, independent, normalQuantile(0.975));
  return [{ items, place, share, low, high }];
}
