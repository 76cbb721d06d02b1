import * as Plot from "@observablehq/plot";
import type { BundleScenario } from "anchoreval";
import { DIFFICULTY_LIMIT, shownParameters } from "../bundle/ability-path.ts";
import { counted, decimals, extent } from "../figures.ts";
import { element, idText } from "../dom.ts";
import { chart, figure, key, placeAxis, valueAxis, wideChart } from "./chart.ts";

/** Dots drawn at most; anchors come on top. */
const MOST_DOTS = 3000;

/** The map of a scenario, with its words. */
export function itemMapFigure(scenario: BundleScenario, form: string): HTMLElement {
  return figure(
    [
      element("strong", {}, idText(scenario.id)),
      `: each dot is one of the ${counted(scenario.bank.count, "item")}. Further right is harder, further up tells strong models from weak ones more sharply${scenario.bank.dims > 1 ? ` (over ${scenario.bank.dims} abilities together)` : ", below zero stronger models get it less"}.`,
    ],
    key([
      { mark: "dot accent", label: `asked in form ${form}` },
      { mark: "dot item", label: "the others" },
    ]),
    itemMap(scenario, form, wideChart()),
  );
}

/** Every item by difficulty and discrimination, a form's anchors marked; pointing at an anchor names it. */
function itemMap(scenario: BundleScenario, form: string, width: number): SVGElement {
  const { a, difficulty } = shownParameters(scenario);
  const { anchors, itemIds } = scenario.forms.get(form)!;
  const asked = Array.from(anchors.items, (item, k) => ({ x: difficulty[item]!, y: a[item]!, id: itemIds[k]! }));
  const isAsked = new Set(anchors.items);
  const others = Array.from(a, (y, item) => ({ x: difficulty[item]!, y, item })).filter(
    ({ item }) => !isAsked.has(item),
  );
  const thinned = others.filter((_, k) => k % Math.ceil(others.length / MOST_DOTS) === 0);
  const [low, high] = extent(a);
  const [easy, hard] = extent(difficulty);
  const room = Math.max(0.05, 0.08 * (high - low));
  return chart(
    `${scenario.id}: ${counted(a.length, "item")} by difficulty, ${decimals(easy)} to ${decimals(hard)}, and discrimination, ${decimals(low)} to ${decimals(high)}; ${counted(asked.length, "anchor")} marked.`,
    {
      width,
      height: Math.round(Math.min(340, 0.72 * width)),
      marginLeft: 38,
      marginRight: 12,
      marginTop: 24,
      marginBottom: 38,
      x: { domain: easy < hard ? [easy, hard] : [easy - 1, hard + 1], insetLeft: 5, insetRight: 5 },
      y: { domain: [low - room, high + room] },
      marks: [
        valueAxis("discrimination"),
        placeAxis(
          `difficulty (easy → hard${Math.max(-easy, hard) === DIFFICULTY_LIMIT ? "; far ones at the edge" : ""})`,
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
