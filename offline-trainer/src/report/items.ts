import { extent } from "anchoreval/internal/charts/chart";
import { DIFFICULTY_LIMIT, itemMapChart, shownParameters } from "anchoreval/internal/charts/item-map";
import { count, counted } from "anchoreval/internal/words/figures";
import { drawChart, figure, html, type Html, idText, legend, panels } from "./html.ts";
import { type AddedSection, fairLimit, type ReportData } from "./report-data.ts";

/** Most items drawn over all scenarios, and fewest per scenario; anchors and suspects are extra. */
const ITEMS_DRAWN = 4000;
const LEAST_DRAWN = 60;

/** Most anchors, over all scenarios, that show their id when pointed at. */
const ANCHORS_NAMED = 1200;

const FORMULAS = {
  one: html`Difficulty is <span class="whole">b/a</span>, discrimination a: below zero, stronger models get it less
    often`,
  several: html`Difficulty is <span class="whole">MDIFF = b/‖a‖</span>, discrimination <span class="whole">‖a‖</span>`,
};

/** Every item by difficulty and discrimination, with the anchors of the default form and what other sections mark. */
export function itemMap({ scenarios, defaultForm }: ReportData, added: readonly AddedSection[]): Html {
  const maps = scenarios.map(({ id, content, bank }, s) => ({
    title: id,
    parameters: shownParameters(bank),
    anchors: content.forms.get(defaultForm.id)!.items,
    suspects: added.flatMap(({ marked }) => marked[s]!),
    nameOf: (item: number) => content.items[item]!.item_id,
  }));
  const beyond = maps.reduce((sum, { parameters }) => sum + parameters.beyond, 0);
  const most = fairLimit(
    maps.map(({ parameters, anchors }) => parameters.difficulty.length - anchors.length),
    ITEMS_DRAWN,
    LEAST_DRAWN,
  );
  const named = maps.reduce((sum, { anchors }) => sum + anchors.length, 0) <= ANCHORS_NAMED;
  const oneDimension = scenarios.every(({ bank }) => bank.dims === 1);
  // From the lowest discrimination, 0 at most, to the highest.
  const ends = maps.map(({ parameters }) => extent(parameters.discrimination));
  const domain = [Math.min(0, ...ends.map(([low]) => low)), Math.max(0.1, ...ends.map(([, high]) => high))] as const;
  return figure(
    html`Every item by its difficulty (further right is harder) and its discrimination (higher up, its answers reveal
    more about a model's abilities). The anchors are those of form ${idText(defaultForm.id)}.
    ${FORMULAS[oneDimension ? "one" : "several"]}, both on the scale of this bundle's abilities; all panels share one
    vertical scale.
    ${beyond > 0 ? `${counted(beyond, "item")} with a difficulty beyond ±${DIFFICULTY_LIMIT} ${beyond === 1 ? "is" : "are"} drawn at the edge.` : null}
    ${most < Infinity ? `To keep the page light, the items that are neither are thinned evenly to ${count(most)} a scenario; every anchor is drawn.` : null}`,
    legend([
      { label: "item", colour: "item", mark: "circle" },
      { label: "anchor", colour: "accent", mark: "circle" },
      ...added
        .filter(({ marked }) => marked.some(({ length }) => length > 0))
        .map(({ mark }) => ({ label: `${mark}, see below`, colour: "miss", mark: "cross" }) as const),
    ]),
    panels(
      maps.map(({ nameOf, ...map }) => ({
        title: map.title,
        note: `${counted(map.parameters.difficulty.length, "item")}, ${counted(map.anchors.length, "anchor")}`,
        chart: drawChart(itemMapChart({ ...map, ...(named && { nameOf }), most, domain })),
      })),
    ),
  );
}
