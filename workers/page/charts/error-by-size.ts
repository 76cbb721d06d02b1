import * as Plot from "@observablehq/plot";
import { figureOf } from "anchoreval/core";
import { points } from "anchoreval/words";
import { comparableForms, type MeasuredScenario } from "../bundle/measured.ts";
import { idText } from "../dom.ts";
import { chart, figure, key, panels, placeAxis, valueAxis } from "./chart.ts";

interface Point {
  readonly items: number;
  readonly error: number;
}

/** Typical error by the number of items asked, against as many random items: a panel a scenario. Null where none is measured. */
export function errorBySize(scenarios: readonly MeasuredScenario[]): HTMLElement | null {
  const drawn = scenarios
    .map((scenario) => ({ scenario, forms: comparableForms(scenario) }))
    .filter(({ forms }) => forms.length > 0)
    .map(({ scenario, forms }) => {
      const points = (error: (form: (typeof forms)[number]) => number | undefined): Point[] =>
        forms.flatMap((own) => {
          const value = error(own);
          return value === undefined ? [] : [{ items: own.items, error: 100 * value }];
        });
      return {
        id: scenario.id,
        models: forms[0]!.measured!.interpolation!.models,
        like: points(({ form, measured }) => figureOf(measured!.interpolation!.estimators, form.estimator).mae),
        stronger: points(({ form, measured }) =>
          measured!.extrapolation ? figureOf(measured!.extrapolation.estimators, form.estimator).mae : undefined,
        ),
        random: points(({ measured }) => measured!.interpolation!.randomMae),
      };
    });
  if (drawn.length === 0) return null;
  const highest = Math.max(
    ...drawn.flatMap((own) => [...own.like, ...own.stronger, ...own.random].map((p) => p.error)),
  );
  return figure(
    "Typical (mean absolute) error of the score on models that were held out, by the number of items asked. Lower is better; below the dashed line is better than as many items drawn at random.",
    key([
      { mark: "line accent", label: "like the models seen" },
      { mark: "line stronger", label: "stronger than any seen" },
      { mark: "line dashed", label: "as many random items" },
    ]),
    panels(
      drawn.map(({ id, models, like, stronger, random }) => ({
        title: idText(id),
        note: `${models} models`,
        draw: () =>
          chart(
            `${id}: typical error in points. ${like.map(({ items, error }, k) => `${items} items ${points(error / 100)}, random items ${points((random[k]?.error ?? 0) / 100)}`).join("; ")}.`,
            {
              height: 200,
              marginLeft: 34,
              marginRight: 14,
              marginTop: 22,
              marginBottom: 36,
              x: { type: "log", domain: extentOf(like), insetLeft: 10, insetRight: 10 },
              y: { domain: [0, 1.05 * highest] },
              marks: [
                valueAxis("points"),
                placeAxis("items asked", { ticks: sizesWithRoom(like), tickFormat: String }),
                Plot.line(random, { ...AT, stroke: "var(--muted)", strokeWidth: 1.6, strokeDasharray: "4 3" }),
                Plot.line(stronger, { ...AT, stroke: "var(--stronger)", strokeWidth: 1.8 }),
                Plot.dot(stronger, { ...AT, r: 3, symbol: "diamond", fill: "var(--stronger)" }),
                Plot.line(like, { ...AT, stroke: "var(--accent)", strokeWidth: 2.4 }),
                Plot.dot(like, { ...AT, r: 3.4, fill: "var(--accent)" }),
              ],
            },
          ),
      })),
    ),
  );
}

const AT = { x: "items", y: "error" } as const;

function extentOf(list: readonly Point[]): [number, number] {
  const items = list.map((point) => point.items);
  const [low, high] = [Math.min(...items), Math.max(...items)];
  return low < high ? [low, high] : [low / 1.5, high * 1.5];
}

/** Sizes that have room for their label, the largest first. */
function sizesWithRoom(list: readonly Point[]): number[] {
  return list
    .map(({ items }) => items)
    .sort((x, y) => y - x)
    .reduce<number[]>((kept, n) => (kept.length === 0 || n * 1.3 <= kept.at(-1)! ? [...kept, n] : kept), []);
}
