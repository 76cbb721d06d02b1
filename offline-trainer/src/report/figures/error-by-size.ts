import type { MeasuredErrors, SplitErrors } from "anchoreval/bundle";
import {
  comparableForms,
  errorBySizeChart,
  measuredScenarios,
  type ErrorLine,
  type MeasuredForm,
} from "anchoreval/charts";
import { estimatorsOf, figureOf, type EstimatorId } from "anchoreval/core";
import { counted } from "anchoreval/words";
import { ESTIMATOR_NAMES } from "../estimator-names.ts";
import { html, type Html } from "../html.ts";
import { legend, type KeyEntry } from "../legend.ts";
import { figure, panels } from "../panels.ts";
import type { ReportData } from "../report-data.ts";
import { drawn } from "../svg.ts";

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

const GROUPS = [
  {
    split: "interpolation",
    title: "Models like the models seen",
    explained: "A fifth of the models at a time was kept out of every step of the fit.",
  },
  {
    split: "extrapolation",
    title: "Models stronger than any seen",
    explained: "Fitted on the weakest half of the models, measured on the strongest 30 %.",
  },
] as const;

/** Error by number of items: every estimator against random items, one panel a scenario, one group a kind of model. */
export function errorBySize({ manifest }: ReportData): Html {
  const served = manifest.forms[0]!.estimator;
  const scenarios = measuredScenarios(manifest);
  const groups = GROUPS.map((group) => ({
    ...group,
    charted: scenarios.flatMap((scenario) => {
      const forms = comparableForms(scenario, group.split);
      if (forms.length === 0) return [];
      const errors = forms[0]!.measured![group.split]!;
      return [{ id: scenario.id, errors, lines: linesOf(forms, group.split, served) }];
    }),
  }));
  const all = groups.flatMap(({ charted }) => charted);
  if (all.length === 0)
    return html`<p class="missing">Not measured: there are too few models to hold any out, or every item is asked.</p>`;
  const highest = Math.max(
    ...all.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ error }) => error))),
  );
  return figure(
    html`Typical (mean absolute) error, in points, by the number of items asked, on a logarithmic axis. Below the dashed
    line is better than as many items drawn at random. All panels share one vertical scale, so that they compare.`,
    legend(key(served, shownEstimators(all[0]!.errors))),
    ...groups.map(({ title, explained, charted }) =>
      charted.length === 0
        ? html`<h3>${title}</h3>
            <p class="missing">Not measured: too few models.</p>`
        : html`<h3>${title}</h3>
            <p class="aside">${explained}</p>
            ${panels(
              charted.map(({ id, errors, lines }) => ({
                title: id,
                note: counted(errors.models, "model"),
                chart: drawn(errorBySizeChart(`${id}, ${title.toLowerCase()}`, lines, highest)),
              })),
            )}`,
    ),
  );
}

/** Random items below, what is served on top of all others. */
function linesOf(forms: readonly MeasuredForm[], split: keyof MeasuredErrors, served: EstimatorId): ErrorLine[] {
  const along = (error: (errors: SplitErrors) => number): ErrorLine["points"] =>
    forms.map(({ items, measured }) => ({ items, error: error(measured![split]!) }));
  const line = (id: EstimatorId, kind: ErrorLine["kind"]): ErrorLine => ({
    label: ESTIMATOR_NAMES[id],
    points: along(({ estimators }) => figureOf(estimators, id).mae),
    colour: id,
    symbol: SYMBOLS[id] === "none" ? null : SYMBOLS[id],
    kind,
  });
  const random = { colour: "muted", symbol: null, kind: "dashed" } as const;
  return [
    { label: "as many random items", points: along(({ randomMae }) => randomMae), ...random },
    ...shownEstimators(forms[0]!.measured![split]!)
      .filter((id) => id !== served)
      .map((id) => line(id, "faint")),
    line(served, "strong"),
  ];
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
    { label: "as many random items", colour: "muted", mark: "none", line: "dashed" },
  ];
}

/** The estimators that have a line. */
function shownEstimators({ estimators }: SplitErrors): EstimatorId[] {
  return estimatorsOf(estimators).filter((id) => !LEFT_OUT.includes(id));
}
