import type { BundleScenario } from "anchoreval";
import { extent, itemMapChart, shownParameters } from "anchoreval/charts";
import { counted } from "anchoreval/words";
import { element, idText } from "../dom.ts";
import { drawn, figure, key, wideChart } from "./chart.ts";

/** Dots drawn at most; anchors come on top. */
const MOST_DOTS = 3000;

/** The map of a scenario, with its words. Pointing at an anchor names it. */
export function itemMapFigure({ id, bank, forms }: BundleScenario, form: string): HTMLElement {
  const parameters = shownParameters(bank);
  const { anchors, itemIds } = forms.get(form)!;
  const names = new Map(Array.from(anchors.items, (item, k) => [item, itemIds[k]!]));
  const [low, high] = extent(parameters.discrimination);
  const room = Math.max(0.05, 0.08 * (high - low));
  return figure(
    [
      element("strong", {}, idText(id)),
      `: each dot is one of the ${counted(bank.count, "item")}. Further right is harder, further up tells strong models from weak ones more sharply${bank.dims > 1 ? ` (over ${bank.dims} abilities together)` : ", below zero stronger models get it less"}.`,
      parameters.beyond > 0
        ? ` ${counted(parameters.beyond, "item")} with a difficulty beyond the axis ${parameters.beyond === 1 ? "stands" : "stand"} at its edge.`
        : null,
    ],
    key([
      { mark: "dot accent", label: `asked in form ${form}` },
      { mark: "dot item", label: "the others" },
    ]),
    drawn(
      itemMapChart({
        title: id,
        parameters,
        anchors: anchors.items,
        nameOf: (item) => names.get(item)!,
        most: MOST_DOTS,
        width: wideChart(),
        domain: [low - room, high + room],
      }),
    ),
  );
}
