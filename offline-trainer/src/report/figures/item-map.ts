import { DIFFICULTY_LIMIT, extent, itemMapChart, shownParameters, type ShownParameters } from "anchoreval/charts";
import { count, counted } from "anchoreval/words";
import { fairLimit } from "../fair-limit.ts";
import { html, idText, type Html } from "../html.ts";
import { legend } from "../legend.ts";
import { listedItems } from "../listed-items.ts";
import { figure, panels } from "../panels.ts";
import type { ReportData } from "../report-data.ts";
import { drawn } from "../svg.ts";

/** Items drawn over all scenarios, and at least a scenario; anchors and suspects come on top. */
const ITEMS_DRAWN = 4000;
const LEAST_DRAWN = 60;

/** Anchors that are given their id to be read by pointing at them, over all scenarios. */
const ANCHORS_NAMED = 1200;

const FORMULAS = {
  one: html`Difficulty is <span class="whole">b/a</span>, discrimination a: below zero, stronger models get it less
    often`,
  several: html`Difficulty is <span class="whole">MDIFF = b/‖a‖</span>, discrimination <span class="whole">‖a‖</span>`,
};

/** Every item by difficulty and discrimination, the anchors of the default form and the items worth auditing marked. */
export function itemMap({ scenarios, defaultForm }: ReportData): Html {
  const listed = listedItems(scenarios);
  const maps = scenarios.map(({ id, content, trained }, s) => ({
    title: id,
    parameters: shownParameters(trained.bank),
    anchors: content.forms.get(defaultForm.id)!.items,
    suspects: listed[s]!.map(({ place }) => place),
    nameOf: (item: number) => content.items[item]!.item_id,
  }));
  const beyond = maps.reduce((sum, { parameters }) => sum + parameters.beyond, 0);
  const most = fairLimit(
    maps.map(({ parameters, anchors }) => parameters.difficulty.length - anchors.length),
    ITEMS_DRAWN,
    LEAST_DRAWN,
  );
  const named = maps.reduce((sum, { anchors }) => sum + anchors.length, 0) <= ANCHORS_NAMED;
  const oneDimension = scenarios.every(({ trained }) => trained.bank.dims === 1);
  const domain = sharedDomain(maps.map(({ parameters }) => parameters));
  return figure(
    html`Every item by its difficulty (further right is harder) and its discrimination (higher up, its answers tell more
    of a model's abilities). The anchors are those of form ${idText(defaultForm.id)}.
    ${FORMULAS[oneDimension ? "one" : "several"]}, both on the scale of this bundle's abilities; all panels share one
    vertical scale.
    ${beyond > 0 ? `${counted(beyond, "item")} with a difficulty beyond ±${DIFFICULTY_LIMIT} ${beyond === 1 ? "is" : "are"} drawn at the edge.` : null}
    ${most < Infinity ? `To keep the page light, the items that are neither are thinned evenly to ${count(most)} a scenario; every anchor is drawn.` : null}`,
    legend([
      { label: "item", colour: "item", mark: "circle" },
      { label: "anchor", colour: "accent", mark: "circle" },
      ...(listed.some(({ length }) => length > 0)
        ? [{ label: "worth auditing, see below", colour: "miss", mark: "cross" } as const]
        : []),
    ]),
    panels(
      maps.map(({ nameOf, ...map }) => ({
        title: map.title,
        note: `${counted(map.parameters.difficulty.length, "item")}, ${counted(map.anchors.length, "anchor")}`,
        chart: drawn(itemMapChart({ ...map, ...(named && { nameOf }), most, domain })),
      })),
    ),
  );
}

/** From the lowest discrimination, 0 at most, to the highest. */
function sharedDomain(all: readonly ShownParameters[]): [low: number, high: number] {
  const ends = all.map(({ discrimination }) => extent(discrimination));
  return [Math.min(0, ...ends.map(([low]) => low)), Math.max(0.1, ...ends.map(([, high]) => high))];
}
