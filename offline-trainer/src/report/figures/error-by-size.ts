import * as Plot from "@observablehq/plot";
import { servedBlend, type MeasuredErrors, type SplitErrors } from "anchoreval/bundle";
import { estimatorsOf, figureOf, type EstimatorId } from "anchoreval/core";
import { ESTIMATOR_NAMES } from "../estimator-names.ts";
import { points } from "../format.ts";
import { html, type Html } from "../html.ts";
import { legend, type KeyEntry } from "../legend.ts";
import { figure, panels, type Panel } from "../panels.ts";
import { firstForms, formTotals, type ReportData, type ReportManifest } from "../report-data.ts";
import { chart } from "../svg.ts";

/** One form's errors: a place along the panel's axis. */
interface Size {
  readonly items: number;
  readonly errors: SplitErrors;
}

/** Lines that would crowd the panels: of the stack there is what the gate makes of it, the others are peers' estimators. */
const LEFT_OUT: readonly EstimatorId[] = ["stack", "ridge-gap", "aipw"];

const SYMBOLS = {
  "p-irt-dr": "circle",
  "gp-irt": "square",
  "p-irt": "triangle",
  "anchor-mean": "diamond",
  gaussian: "cross",
  "ridge-gap": "none",
  aipw: "none",
  stack: "none",
  gate: "star",
  "score-map": "wye",
} as const satisfies Record<EstimatorId, string>;

/** Error by number of items: every estimator against random items, one panel a scenario, one group a kind of model. */
export function errorBySize({ manifest }: ReportData): Html {
  const served = manifest.forms[0]!.estimator;
  const groups = [
    { split: "interpolation", title: "Models like the models seen" },
    { split: "extrapolation", title: "Models stronger than any seen" },
  ] as const;
  const rows = groups.map(({ split, title }) => ({ title, split, charted: series(manifest, split) }));
  const all = rows.flatMap(({ charted }) => charted.flatMap(({ sizes }) => sizes.map(({ errors }) => errors)));
  if (all.length === 0)
    return html`<p class="missing">Not measured: there are too few models to hold any out, or every item is asked.</p>`;
  const highest = Math.max(...all.flatMap(({ estimators, randomMae }) => [randomMae, ...maes({ estimators })]));
  return figure(
    html`Typical (mean absolute) error, in points, by the number of items asked, on a logarithmic axis. Below the dashed
    line is better than as many items drawn at random. All panels share one vertical scale, so that they compare.`,
    legend(key(served, drawn(all[0]!))),
    ...rows.map(({ title, split, charted }) =>
      charted.length === 0
        ? html`<h3>${title}</h3>
            <p class="missing">Not measured: too few models.</p>`
        : html`<h3>${title}</h3>
            <p class="aside">${EXPLAINED[split]}</p>
            ${panels(charted.map(({ id, sizes }): Panel => panel(id, sizes, { served, title, highest })))}`,
    ),
  );
}

const EXPLAINED = {
  interpolation: "A fifth of the models at a time was kept out of every step of the fit.",
  extrapolation: "Fitted on the weakest half of the models, measured on the strongest 30 %.",
};

function series(manifest: ReportManifest, split: keyof MeasuredErrors): { id: string; sizes: Size[] }[] {
  const forms = firstForms(manifest);
  const overall = forms.flatMap((form): Size[] => {
    const errors = form.overall?.measured[split];
    const { items, whole } = formTotals(form);
    return errors && !whole ? [{ items, errors }] : [];
  });
  const single = manifest.scenarios.map(({ id }) => ({
    id,
    sizes: forms.flatMap((form): Size[] => {
      const { items, whole } = form.scenarios[id]!;
      const { measured } = servedBlend(form.scenarios[id]!);
      const errors = measured[split];
      return errors && !whole ? [{ items, errors }] : [];
    }),
  }));
  return [{ id: "overall", sizes: overall }, ...single].filter(({ sizes }) => sizes.length > 0);
}

function panel(
  title: string,
  sizes: readonly Size[],
  { served, title: group, highest }: { served: EstimatorId; title: string; highest: number },
): Panel {
  const others = drawn(sizes[0]!.errors).filter((id) => id !== served);
  const items = sizes.map((size) => size.items);
  const line = (id: EstimatorId): { x: number; y: number }[] =>
    sizes.map((size) => ({ x: Math.log(size.items), y: 100 * figureOf(size.errors.estimators, id).mae }));
  const random = sizes.map((size) => ({ x: Math.log(size.items), y: 100 * size.errors.randomMae }));
  const at = { x: "x", y: "y" } as const;
  const label = sizes.map(
    ({ items: n, errors }) =>
      `${n} items: ${points(figureOf(errors.estimators, served).mae)}, random items ${points(errors.randomMae)}`,
  );
  return {
    title,
    note: `${sizes[0]!.errors.models} models`,
    chart: chart(`${title}, ${group.toLowerCase()}: typical error in points. ${label.join("; ")}.`, {
      height: 200,
      marginLeft: 26,
      marginRight: 12,
      marginTop: 10,
      marginBottom: 34,
      x: { domain: [Math.log(Math.min(...items) / 1.2), Math.log(Math.max(...items) * 1.2)] },
      y: { domain: [0, 105 * highest], grid: false },
      marks: [
        Plot.gridY({ ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
        Plot.axisY({ ticks: 5, tickSize: 0, label: null, fill: "var(--muted)" }),
        Plot.axisX(ticks(items).map(Math.log), {
          tickSize: 3,
          tickFormat: (x: number) => String(Math.round(Math.exp(x))),
          label: "items asked",
          labelAnchor: "center",
          labelArrow: "none",
          labelOffset: 32,
          color: "var(--muted)",
        }),
        Plot.line(random, { ...at, stroke: "var(--random)", strokeWidth: 1.6, strokeDasharray: "4 3" }),
        ...others.flatMap((id) => [
          Plot.line(line(id), { ...at, stroke: `var(--${id})`, strokeWidth: 1.2 }),
          Plot.dot(line(id), {
            ...at,
            r: 2.6,
            symbol: SYMBOLS[id],
            stroke: `var(--${id})`,
            strokeWidth: 1.2,
            fill: "var(--page)",
          }),
        ]),
        Plot.line(line(served), { ...at, stroke: `var(--${served})`, strokeWidth: 2.6 }),
        Plot.dot(line(served), { ...at, r: 3.6, fill: `var(--${served})`, symbol: SYMBOLS[served] }),
      ],
    }),
  };
}

/** Sizes that have room for their label, the largest first. */
function ticks(items: readonly number[]): number[] {
  return [...items]
    .sort((x, y) => y - x)
    .reduce<number[]>((kept, n) => (kept.length === 0 || n * 1.22 <= kept.at(-1)! ? [...kept, n] : kept), []);
}

function key(served: EstimatorId, shown: readonly EstimatorId[]): KeyEntry[] {
  const order = [served, ...[...shown].reverse().filter((id) => id !== served)];
  return [
    ...order.map((id): KeyEntry => ({
      label: html`${ESTIMATOR_NAMES[id]}
        <code>${id}</code>${id === served ? html`, <strong>the score of this bundle</strong>` : null}`,
      colour: id,
      mark: SYMBOLS[id],
      line: id === served ? "strong" : "solid",
    })),
    { label: "as many random items", colour: "random", mark: "none", line: "dashed" },
  ];
}

/** The estimators that have a line. */
function drawn({ estimators }: Pick<SplitErrors, "estimators">): EstimatorId[] {
  return estimatorsOf(estimators).filter((id) => !LEFT_OUT.includes(id));
}

function maes(errors: Pick<SplitErrors, "estimators">): number[] {
  return drawn(errors).map((id) => figureOf(errors.estimators, id).mae);
}
