import * as Plot from "@observablehq/plot";
import type { BundleScenario } from "anchoreval";
import { DIFFICULTY_LIMIT, shownParameters } from "../bundle/ability-path.ts";
import { counted, decimals } from "../figures.ts";
import { chart, placeAxis, valueAxis } from "./chart.ts";

/** Dots drawn at most; anchors come on top. */
const MOST_DOTS = 3000;

/** Every item by difficulty and discrimination, a form's anchors marked; pointing at an anchor names it. */
export function itemMap(scenario: BundleScenario, form: string, width: number): SVGElement {
  const { a, difficulty } = shownParameters(scenario);
  const { anchors, itemIds } = scenario.forms.get(form)!;
  const asked = Array.from(anchors.items, (item, k) => ({ x: difficulty[item]!, y: a[item]!, id: itemIds[k]! }));
  const isAsked = new Set(anchors.items);
  const others = Array.from(a, (y, item) => ({ x: difficulty[item]!, y, item })).filter(
    ({ item }) => !isAsked.has(item),
  );
  const thinned = others.filter((_, k) => k % Math.ceil(others.length / MOST_DOTS) === 0);
  const low = Math.min(0, ...a);
  return chart(
    `${scenario.id}: ${counted(a.length, "item")} by difficulty, ${decimals(Math.min(...difficulty))} to ${decimals(Math.max(...difficulty))}, and discrimination, ${decimals(Math.min(...a))} to ${decimals(Math.max(...a))}; ${counted(asked.length, "anchor")} marked.`,
    {
      width,
      height: Math.round(Math.min(340, 0.72 * width)),
      marginLeft: 38,
      marginRight: 12,
      marginTop: 24,
      marginBottom: 38,
      x: { domain: domainOf(difficulty), insetLeft: 5, insetRight: 5 },
      y: { domain: [low, Math.max(...a)], insetTop: 5 },
      marks: [
        valueAxis("discrimination"),
        placeAxis(
          `difficulty (easy → hard${difficulty.some((d) => Math.abs(d) === DIFFICULTY_LIMIT) ? "; far ones at the edge" : ""})`,
        ),
        Plot.dot(thinned, { x: "x", y: "y", r: 1.8, fill: "var(--item)", fillOpacity: 0.6 }),
        Plot.dot(asked, {
          x: "x",
          y: "y",
          r: 3.2,
          fill: "var(--accent)",
          stroke: "var(--page)",
          strokeWidth: 0.7,
          title: "id",
        }),
      ],
    },
  );
}

function domainOf(values: Float64Array): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low < high ? [low, high] : [low - 1, high + 1];
}
