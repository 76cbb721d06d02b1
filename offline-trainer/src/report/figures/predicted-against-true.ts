import * as Plot from "@observablehq/plot";
import { ESTIMATOR_NAMES } from "../estimator-names.ts";
import { heldOutModels, holds, type HeldOutModel } from "../held-out-models.ts";
import { html, idText, type Html } from "../html.ts";
import { legend } from "../legend.ts";
import { figure, panels, type Panel } from "../panels.ts";
import type { ReportData } from "../report-data.ts";
import { chart, PANEL_WIDTH } from "../svg.ts";
import { fairLimit, thin } from "../thin.ts";

/** Models drawn over all scenarios, and at least a scenario. */
const MODELS_DRAWN = 1000;
const LEAST_DRAWN = 40;

/** Estimated against true score of models that were held out, for the form asked by default. */
export function predictedAgainstTrue({ scenarios, defaultForm }: ReportData): Html {
  const drawn = scenarios
    .filter(({ id }) => !defaultForm.scenarios[id]!.whole)
    .map((scenario) => ({ id: scenario.id, ...heldOutModels(scenario, defaultForm) }))
    .filter(({ like, stronger }) => like.length + stronger.length > 0);
  if (drawn.length === 0)
    return html`<p class="missing">
      Nothing to draw: there are too few models to hold any out, or every item is asked and the score is exact.
    </p>`;
  const kinds = drawn.flatMap(({ like, stronger }) => [like.length, stronger.length]);
  const limit = fairLimit(kinds, MODELS_DRAWN, LEAST_DRAWN);
  const thinned = limit < Infinity;
  return figure(
    html`Form ${idText(defaultForm.id)}: the score that was estimated for each held-out model
    (${ESTIMATOR_NAMES[defaultForm.estimator]}) against its true score on all items, in points. On the diagonal the
    estimate is right; above it, too high. Bars are 95 % intervals; one that misses the diagonal does not hold the true
    score. The strongest models stand here twice: in blue held out among models like them, in orange estimated from a
    fit on the weakest half. Each panel has its own scale.
    ${thinned ? `Drawn are at most ${limit} models of a kind in each panel, evenly spread over their scores.` : null}`,
    legend([
      { label: "model like the models seen", colour: "like", mark: "circle" },
      { label: "model stronger than any seen", colour: "stronger", mark: "diamond" },
      { label: "interval that misses the true score", colour: "miss", mark: "bar" },
    ]),
    panels(drawn.map(({ id, like, stronger }) => panel(id, thin(like, limit), thin(stronger, limit)))),
  );
}

function panel(title: string, like: readonly HeldOutModel[], stronger: readonly HeldOutModel[]): Panel {
  const all = [...like, ...stronger];
  const values = all.flatMap(({ truth, score }) => [truth, score]);
  const [low, high] = [Math.max(0, 100 * Math.min(...values) - 4), Math.min(100, 100 * Math.max(...values) + 4)];
  const domain: [number, number] = [low, Math.max(high, low + 1)];
  const missed = all.filter((model) => holds(model) === false);
  const within = ({ interval }: HeldOutModel, end: "low" | "high"): number =>
    Math.min(domain[1], Math.max(domain[0], 100 * interval![end]));
  const bars = (
    models: readonly HeldOutModel[],
    stroke: string,
    strokeOpacity: number,
    strokeWidth: number,
  ): Plot.RuleX =>
    Plot.ruleX(
      models.filter(({ interval }) => interval !== null),
      {
        x: (d: HeldOutModel) => 100 * d.truth,
        y1: (d: HeldOutModel) => within(d, "low"),
        y2: (d: HeldOutModel) => within(d, "high"),
        stroke,
        strokeOpacity,
        strokeWidth,
      },
    );
  const at = { x: (d: HeldOutModel) => 100 * d.truth, y: (d: HeldOutModel) => 100 * d.score };
  const counts = [
    like.length > 0 ? `${like.length} like the models seen` : [],
    stronger.length > 0 ? `${stronger.length} stronger than any seen` : [],
  ].flat();
  return {
    title,
    chart: chart(
      `${title}: estimated against true scores of held-out models, ${counts.join(", ")}; ${missed.length} of their intervals miss the true score.`,
      {
        height: PANEL_WIDTH - 10,
        marginLeft: 34,
        marginRight: 10,
        marginTop: 20,
        marginBottom: 34,
        x: { domain },
        y: { domain },
        marks: [
          Plot.gridY({ ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
          Plot.gridX({ ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
          Plot.axisY({
            ticks: 5,
            tickSize: 0,
            label: "estimated",
            labelArrow: "none",
            labelAnchor: "top",
            labelOffset: 30,
            color: "var(--muted)",
          }),
          Plot.axisX({
            ticks: 5,
            tickSize: 0,
            label: "true score",
            labelAnchor: "center",
            labelArrow: "none",
            labelOffset: 32,
            color: "var(--muted)",
          }),
          Plot.link([domain], { x1: "0", y1: "0", x2: "1", y2: "1", stroke: "var(--muted)", strokeWidth: 1.2 }),
          bars(like, "var(--like)", 0.35, 1.2),
          bars(stronger, "var(--stronger)", 0.45, 1.2),
          bars(missed, "var(--miss)", 1, 1.6),
          Plot.dot(like, { ...at, r: 2.4, fill: "var(--like)" }),
          Plot.dot(stronger, {
            ...at,
            r: 2.8,
            symbol: "diamond",
            fill: "var(--page)",
            stroke: "var(--stronger)",
            strokeWidth: 1.4,
          }),
        ],
      },
    ),
  };
}
