import {
  type Chart,
  chartMark,
  type ChartMark,
  extent,
  PANEL_WIDTH,
  placeAxis,
  thin,
  valueAxis,
} from "anchoreval/internal/features/charts/sdk/chart";
import { sourceStripChart } from "anchoreval/internal/features/charts/sdk/source-strip";
import { points, count, counted } from "anchoreval/internal/words/figures";
import {
  crossFittedInterval,
  heldOutResult,
  holdsTruth,
  type ScoreInterval,
} from "../../../offline-trainer/src/fit/held-out-scores.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";
import { servedBlend } from "../../../offline-trainer/src/fit/blends.ts";
import { drawChart, figure, html, type Html, idText, legend, panels } from "./html.ts";
import {
  ESTIMATOR_NAMES,
  fairLimit,
  type ReportData,
  type ReportForm,
  type ReportScenario,
  type AddedSection,
} from "./report-data.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";
import { DIFFICULTY_LIMIT, itemMapChart, shownParameters } from "anchoreval/internal/features/charts/sdk/item-map";

/** Most models drawn over all scenarios, and fewest per scenario. */
const MODELS_DRAWN = 1000;
const LEAST_MODELS = 40;

/** Estimated against true score of held-out models, for the default form. */
export function predictedAgainstTrue({ scenarios, defaultForm }: ReportData): Html {
  const measured = scenarios
    .filter(({ id }) => !lookUp(defaultForm.scenarios, id)!.whole)
    .map((scenario) => ({ id: scenario.id, ...heldOutModels(scenario, defaultForm) }))
    .filter(({ like, stronger }) => like.length + stronger.length > 0);
  if (measured.length === 0)
    return html`<p class="missing">
      Nothing to draw: there are too few models to hold any out, or every item is asked and the score is exact.
    </p>`;
  const kinds = measured.flatMap(({ like, stronger }) => [like.length, stronger.length]);
  const limit = fairLimit(kinds, MODELS_DRAWN, LEAST_MODELS);
  const thinned = limit < Infinity;
  return figure(
    html`Form ${idText(defaultForm.id)}: the score that was estimated for each held-out model
    (${ESTIMATOR_NAMES[defaultForm.estimator]}) against its true score on all items, in points. On the diagonal the
    estimate is right; above it, too high. Bars are 95 % intervals; one that misses the diagonal doesn't contain the
    true score. The strongest models stand here twice: in blue held out among models like them, in orange estimated from
    a fit on weaker ones. Each panel has its own scale.
    ${thinned ? `Drawn are at most ${limit} models of a kind in each panel, evenly spread over their scores.` : null}`,
    legend([
      { label: "model like the models seen", colour: "accent", mark: "circle" },
      { label: "model stronger than any seen", colour: "stronger", mark: "diamond" },
      { label: "interval that misses the true score", colour: "miss", mark: "bar" },
    ]),
    panels(
      measured.map(({ id, like, stronger }) => ({
        title: id,
        chart: drawChart(scatter(id, thin(like, limit), thin(stronger, limit))),
      })),
    ),
  );
}

function scatter(title: string, like: readonly HeldOutModel[], stronger: readonly HeldOutModel[]): Chart {
  const all = [...like, ...stronger];
  const values = all.flatMap(({ truth, score }) => [truth, score]);
  const low = Math.max(0, 100 * Math.min(...values) - 4);
  const high = Math.max(low + 1, Math.min(100, 100 * Math.max(...values) + 4));
  const within = (fraction: number): number => Math.min(high, Math.max(low, 100 * fraction));
  const missed = all.filter((model) => isCovered(model) === false);
  const bars = (models: readonly HeldOutModel[], options: ChartMark["options"]): ChartMark => {
    const rules = models.flatMap(({ interval, truth }) =>
      interval ? [{ x: 100 * truth, low: within(interval.low), high: within(interval.high) }] : [],
    );
    return chartMark("ruleX", rules, { x: "x", y1: "low", y2: "high", ...options });
  };
  const dots = (models: readonly HeldOutModel[], options: ChartMark["options"]): ChartMark => {
    const places = models.map(({ truth, score }) => ({ x: 100 * truth, y: 100 * score }));
    return chartMark("dot", places, { x: "x", y: "y", ...options });
  };
  const counts = [
    ...(like.length > 0 ? [`${like.length} like the models seen`] : []),
    ...(stronger.length > 0 ? [`${stronger.length} stronger than any seen`] : []),
  ];
  return {
    label: `${title}: estimated against true scores of held-out models, ${counts.join(", ")}; ${missed.length} of their intervals miss the true score.`,
    width: PANEL_WIDTH,
    height: PANEL_WIDTH - 10,
    marginLeft: 34,
    marginRight: 10,
    marginTop: 20,
    marginBottom: 34,
    x: { domain: [low, high] },
    y: { domain: [low, high] },
    marks: [
      ...valueAxis("estimated"),
      chartMark("gridX", null, { ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
      placeAxis("true score", { ticks: 5, tickSize: 0 }),
      chartMark("link", [{ low, high }], {
        x1: "low",
        y1: "low",
        x2: "high",
        y2: "high",
        stroke: "var(--muted)",
        strokeWidth: 1.2,
      }),
      bars(like, { stroke: "var(--accent)", strokeOpacity: 0.35, strokeWidth: 1.2 }),
      bars(stronger, { stroke: "var(--stronger)", strokeOpacity: 0.45, strokeWidth: 1.2 }),
      bars(missed, { stroke: "var(--miss)", strokeWidth: 1.6 }),
      dots(like, { r: 2.4, fill: "var(--accent)" }),
      dots(stronger, { r: 2.8, symbol: "diamond", fill: "var(--page)", stroke: "var(--stronger)", strokeWidth: 1.4 }),
    ],
  };
}

/** The models that the bundle was fitted on by their full scores, one strip per scenario. */
export function sourceModels({ manifest, scenarios }: ReportData): Html {
  return figure(
    html`Each dot is one of the ${manifest.sources.models} models that this bundle was fitted on, at its score on all
    items of the scenario, in points. The tinted part on the right is for models stronger than any seen: for them, go by
    the errors of such models above. The grey part on the left is weaker than any seen.`,
    panels(
      scenarios.map(({ id, content: { sourceScores } }) => ({
        title: id,
        note: `${extent(sourceScores).map(points).join(" to ")} points`,
        chart: drawChart(sourceStripChart(id, sourceScores)),
      })),
    ),
  );
}

/** A held-out model by its row: its estimate, made without it, and the truth. Fractions. */
interface HeldOutModel extends Pick<HeldOutEstimate, "model" | "truth"> {
  readonly score: number;
  readonly interval: ScoreInterval | null;
}

/** The held-out models of a scenario and form, each once: from the first form that it was asked. */
export function heldOutModels(
  { blends }: Pick<ReportScenario, "blends">,
  form: ReportForm,
): { like: HeldOutModel[]; stronger: HeldOutModel[] } {
  const { validation, foldOut: blend } = servedBlend(blends.get(form.id)!);
  const { interpolation, extrapolation } = validation;
  const intervalOf = crossFittedInterval({ ...form, blend, ...validation });
  const held = (estimates: readonly HeldOutEstimate[]): HeldOutModel[] =>
    [...new Map(estimates.toReversed().map((estimate) => [estimate.model, estimate])).values()]
      .map((estimate) => {
        const result = heldOutResult(estimate, form.estimator, blend(estimate));
        return { ...estimate, score: result.score, interval: intervalOf(estimate, result) };
      })
      .sort((one, other) => one.truth - other.truth || one.model - other.model);
  return { like: held(interpolation), stronger: held(extrapolation) };
}

/** Whether the interval contains the truth; null where there is none. */
export function isCovered({ interval, truth }: HeldOutModel): boolean | null {
  return interval && holdsTruth(interval, truth);
}

/** Most items drawn over all scenarios, and fewest per scenario; anchors and suspects are extra. */
const ITEMS_DRAWN = 4000;
const LEAST_ITEMS = 60;

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
    LEAST_ITEMS,
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
