import * as Plot from "@observablehq/plot";
import { difficulties, discriminations } from "anchoreval/core";
import { counted, count, decimals } from "../format.ts";
import { html, idText, type Html } from "../html.ts";
import { legend } from "../legend.ts";
import { figure, panels, type Panel } from "../panels.ts";
import type { ReportData, ReportForm, ReportItem, ReportScenario } from "../report-data.ts";
import { listedItems } from "../listed-items.ts";
import { chart } from "../svg.ts";
import { fairLimit, thin } from "../thin.ts";

/** Difficulties beyond this are drawn at the edge: an item that hardly discriminates has a difficulty without meaning. */
const LIMIT = 8;

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

/** An item in the map. */
interface Mapped {
  readonly id: string;
  /** Difficulty, at the edge where it lies outside. */
  readonly x: number;
  readonly y: number;
  readonly outside: boolean;
}

/** The items of a scenario by what they are. */
interface ItemMap {
  readonly scenario: string;
  readonly all: readonly Mapped[];
  readonly anchors: readonly Mapped[];
  readonly suspects: readonly Mapped[];
  readonly others: readonly Mapped[];
}

/** Every item by difficulty and discrimination, the anchors of the default form marked. */
export function itemMap({ scenarios, defaultForm }: ReportData): Html {
  const listed = listedItems(scenarios);
  const maps = scenarios.map((scenario, s) => mapped(scenario, defaultForm, listed[s]!));
  const everything = maps.flatMap(({ all }) => all);
  const clipped = everything.filter(({ outside }) => outside).length;
  const limit = fairLimit(
    maps.map(({ others }) => others.length),
    ITEMS_DRAWN,
    LEAST_DRAWN,
  );
  const named = maps.reduce((sum, { anchors }) => sum + anchors.length, 0) <= ANCHORS_NAMED;
  const { low, high } = everything.reduce(
    (range, { y }) => ({ low: Math.min(range.low, y), high: Math.max(range.high, y) }),
    { low: 0, high: 0.1 },
  );
  const oneDimension = scenarios.every(({ trained }) => trained.bank.dims === 1);
  const anySuspects = maps.some(({ suspects }) => suspects.length > 0);
  return figure(
    html`Every item by its difficulty (further right is harder) and its discrimination (higher up, its answers tell more
    of a model's abilities). The anchors are those of form ${idText(defaultForm.id)}.
    ${FORMULAS[oneDimension ? "one" : "several"]}, both on the scale of this bundle's abilities; all panels share one
    vertical scale.
    ${clipped > 0 ? `${counted(clipped, "item")} with a difficulty beyond ±${LIMIT} ${clipped === 1 ? "is" : "are"} drawn at the edge.` : null}
    ${limit < Infinity ? `To keep the page light, the items that are neither are thinned evenly to ${count(limit)} a scenario; every anchor is drawn.` : null}`,
    legend([
      { label: "item", colour: "item", mark: "circle" },
      { label: "anchor", colour: "like", mark: "circle" },
      ...(anySuspects ? [{ label: "worth auditing, see below", colour: "miss", mark: "cross" } as const] : []),
    ]),
    panels(maps.map((map) => panel(map, thin(map.others, limit), [low, high], named))),
  );
}

function mapped(
  { id: scenario, content, trained }: ReportScenario,
  form: ReportForm,
  listed: readonly ReportItem[],
): ItemMap {
  const difficulty = difficulties(trained.bank);
  const discrimination = trained.bank.dims === 1 ? Float64Array.from(trained.bank.a) : discriminations(trained.bank);
  const chosen = new Set(content.forms.get(form.id)!.items);
  const suspicious = new Set(listed.map(({ place }) => place));
  const all = content.items.map(({ item_id: id }, i): Mapped => {
    const x = Number.isNaN(difficulty[i]!) ? 0 : Math.min(LIMIT, Math.max(-LIMIT, difficulty[i]!));
    return { id, x, y: discrimination[i]!, outside: x !== difficulty[i] };
  });
  return {
    scenario,
    all,
    anchors: all.filter((_, i) => chosen.has(i)),
    suspects: all.filter((_, i) => suspicious.has(i)),
    others: all.filter((_, i) => !chosen.has(i) && !suspicious.has(i)),
  };
}

function panel(
  { scenario, all, anchors, suspects }: ItemMap,
  others: readonly Mapped[],
  domain: readonly [number, number],
  named: boolean,
): Panel {
  const [left, right] = extent(all.map(({ x }) => x));
  const [low, high] = extent(all.map(({ y }) => y));
  const at = { x: "x", y: "y" } as const;
  const title = named ? { title: "id" } : {};
  const told = `${scenario}: ${all.length} items by difficulty, from ${decimals(left)} to ${decimals(right)}, and discrimination, from ${decimals(low)} to ${decimals(high)}; ${anchors.length} anchors are marked.`;
  return {
    title: scenario,
    note: `${counted(all.length, "item")}, ${counted(anchors.length, "anchor")}`,
    chart: chart(told, {
      height: 230,
      marginLeft: 30,
      marginRight: 10,
      marginTop: 20,
      marginBottom: 34,
      x: { domain: left < right ? [left, right] : [left - 1, right + 1], insetLeft: 4, insetRight: 4 },
      y: { domain, insetTop: 4 },
      marks: [
        Plot.gridY({ ticks: 4, stroke: "var(--grid)", strokeOpacity: 1 }),
        Plot.axisY({
          ticks: 4,
          tickSize: 0,
          label: "discrimination",
          labelArrow: "none",
          labelOffset: 30,
          color: "var(--muted)",
        }),
        Plot.axisX({
          ticks: 6,
          tickSize: 3,
          label: "difficulty",
          labelAnchor: "center",
          labelArrow: "none",
          labelOffset: 32,
          color: "var(--muted)",
        }),
        Plot.dot(others, { ...at, r: 1.6, fill: "var(--item)", fillOpacity: 0.55 }),
        Plot.dot(anchors, { ...at, ...title, r: 2.8, fill: "var(--like)", stroke: "var(--page)", strokeWidth: 0.6 }),
        Plot.dot(suspects, { ...at, ...title, r: 3, symbol: "times", stroke: "var(--miss)", strokeWidth: 1.4 }),
      ],
    }),
  };
}

function extent(values: readonly number[]): [number, number] {
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}
