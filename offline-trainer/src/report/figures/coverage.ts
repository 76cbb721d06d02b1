import * as Plot from "@observablehq/plot";
import { servedBlend } from "anchoreval/bundle";
import { LEAST_MODELS_FOR_COVERAGE } from "../../fit/measured-coverage.ts";
import { percent, shortened } from "../format.ts";
import { html, type Html } from "../html.ts";
import { legend } from "../legend.ts";
import { figure, panels, type Panel } from "../panels.ts";
import type { ReportData, ReportForm } from "../report-data.ts";
import { chart } from "../svg.ts";

const NOMINAL = 95;

/** One scenario's coverage in a form, percentages. */
interface Covered {
  readonly id: string;
  readonly like: number | null;
  readonly stronger: number | null;
  readonly models: number;
}

/** How many of the 95 % intervals hold the true score: one panel a form, one line a scenario. */
export function coverage({ manifest }: ReportData): Html {
  const forms = manifest.forms.map((form) => ({
    form,
    rows: rowsOf(
      form,
      manifest.scenarios.map(({ id }) => id),
    ),
  }));
  const measured = forms.filter(({ rows }) => rows.length > 0);
  if (measured.length === 0)
    return html`<p class="missing">
      Not measured: coverage takes at least ${LEAST_MODELS_FOR_COVERAGE} held-out models, and intervals that they can be
      given.
    </p>`;
  const lowest = Math.min(
    ...measured.flatMap(({ rows }) => rows.flatMap(({ like, stronger }) => [like ?? 100, stronger ?? 100])),
  );
  const from = Math.max(0, Math.min(80, 10 * Math.floor((lowest - 1) / 10)));
  return figure(
    html`Share of 95 % intervals that hold the true score, of held-out models, by form. Dots on the line at 95 keep the
    promise; to the left they promise too much, to the right the intervals are wider than they need be. The grey band is
    where a right interval lands 19 times in 20 with as many models.`,
    legend([
      { label: "like the models seen", colour: "like", mark: "circle" },
      { label: "stronger than any seen", colour: "stronger", mark: "diamond" },
      { label: "95 %", colour: "muted", mark: "none", line: "dashed" },
    ]),
    panels(measured.map(({ form, rows }) => panel(form, rows, from))),
  );
}

function rowsOf(form: ReportForm, scenarios: readonly string[]): Covered[] {
  const parts = scenarios
    .filter((id) => !form.scenarios[id]!.whole)
    .map((id) => ({ id, measured: servedBlend(form.scenarios[id]!).measured }));
  return [...(form.overall ? [{ id: "overall", measured: form.overall.measured }] : []), ...parts]
    .map(({ id, measured: { interpolation, extrapolation } }) => ({
      id,
      like: share(interpolation?.coverage95),
      stronger: share(extrapolation?.coverage95),
      models: interpolation?.models ?? 0,
    }))
    .filter(({ like, stronger }) => like !== null || stronger !== null);
}

function share(fraction: number | null | undefined): number | null {
  return fraction === null || fraction === undefined ? null : 100 * fraction;
}

function panel(form: ReportForm, rows: readonly Covered[], from: number): Panel {
  const models = Math.max(...rows.map((row) => row.models));
  const chance = 196 * Math.sqrt((0.95 * 0.05) / Math.max(1, models));
  const label = rows.map(({ id, like, stronger }) => {
    const told = (value: number | null): string => (value === null ? "not measured" : percent(value / 100));
    return `${id} ${told(like)}${stronger === null ? "" : `, stronger models ${told(stronger)}`}`;
  });
  const longest = Math.max(...rows.map(({ id }) => Array.from(shortened(id, 16)).length));
  const ys = rows.map((_, k) => k);
  return {
    title: `form ${form.id}`,
    chart: chart(`Form ${form.id}, share of 95 % intervals that hold the true score: ${label.join("; ")}.`, {
      height: 44 + 22 * rows.length,
      marginLeft: 18 + 6.4 * longest,
      marginRight: 14,
      marginTop: 6,
      marginBottom: 36,
      x: { domain: [from, 100] },
      y: { type: "band", domain: ys, padding: 0 },
      marks: [
        Plot.rect([0], {
          x1: Math.max(from, NOMINAL - chance),
          x2: Math.min(100, NOMINAL + chance),
          fill: "var(--band)",
        }),
        Plot.axisY(ys, {
          tickSize: 0,
          tickFormat: (k: number) => shortened(rows[k]!.id, 16),
          label: null,
          color: "var(--ink)",
        }),
        Plot.gridY(ys, { stroke: "var(--grid)", strokeOpacity: 1 }),
        Plot.axisX({
          ticks: 5,
          tickSize: 3,
          tickFormat: (d: number) => `${d} %`,
          label: "of the intervals hold",
          labelAnchor: "center",
          labelArrow: "none",
          labelOffset: 34,
          color: "var(--muted)",
        }),
        Plot.ruleX([NOMINAL], { stroke: "var(--muted)", strokeWidth: 1.4, strokeDasharray: "4 3" }),
        Plot.dot(
          ys.filter((k) => rows[k]!.stronger !== null),
          {
            x: (k: number) => rows[k]!.stronger,
            y: (k: number) => k,
            symbol: "diamond",
            r: 4,
            fill: "var(--page)",
            stroke: "var(--stronger)",
            strokeWidth: 1.8,
          },
        ),
        Plot.dot(
          ys.filter((k) => rows[k]!.like !== null),
          { x: (k: number) => rows[k]!.like, y: (k: number) => k, r: 4, fill: "var(--like)" },
        ),
      ],
    }),
  };
}
