import {
  coverageChart,
  type CoverageKind,
  coverageKinds,
  type CoveragePoint,
  coverageSeries,
  lowestCoverage,
} from "anchoreval/internal/features/charts/sdk/coverage";
import { errorBySizeChart, type ErrorLine } from "anchoreval/internal/features/charts/sdk/error-by-size";
import {
  comparableForms,
  formFigures,
  type MeasuredForm,
  type MeasuredScenario,
  measuredScenarios,
} from "anchoreval/internal/words/measured-forms";
import type { MeasuredErrors, SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { type EstimatorId, estimatorsOf, estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { count, counted, points, wholePercent } from "anchoreval/internal/words/figures";
import { LEAST_MODELS_FOR_COVERAGE } from "../../../offline-trainer/src/fit/errors.ts";
import { drawChart, figure, html, type Html, idText, type KeyEntry, legend, panels, scrollingTable } from "./html.ts";
import { ESTIMATOR_NAMES, type ReportData } from "./report-data.ts";

const NONE = html`<span class="none" title="not measured">–<span class="unseen"> not measured</span></span>`;

/** The measured errors of the score, form by form. */
export function errorsTable({ manifest }: ReportData): Html {
  const groups = measuredScenarios(manifest);
  const beaten = groups.some(({ forms }) => forms.some(noBetter));
  return html`${scrollingTable(
      "Errors by scenario and form, in points",
      html`${HEAD} ${groups.map((group) => body(group, manifest.defaultForm))}`,
    )}
    <p class="aside">
      In points, of models that were held out. <strong>Typical error</strong>: mean absolute error of the score.
      <strong>95 % within</strong>: the error that 95 of 100 models stay within. <strong>Random items</strong>: typical
      error of the mean of as many items drawn at random. <strong>Interval</strong>: mean half-width of the 95 %
      interval. <strong>Coverage</strong>: the share of intervals that contain the true score. “–”: not measured, there
      are too few models. The form asked by default is in bold.
      ${beaten ? "† No better than as many random items." : null}
    </p>`;
}

const HEAD = html`<colgroup span="2"></colgroup>
  <colgroup span="5" class="apart"></colgroup>
  <colgroup span="2" class="apart"></colgroup>
  <thead>
    <tr>
      <td colspan="2" class="first"></td>
      <th scope="colgroup" colspan="5" class="kind like">models like the models seen</th>
      <th scope="colgroup" colspan="2" class="kind stronger">stronger than any seen</th>
    </tr>
    <tr>
      <th scope="col" class="text first">scenario</th>
      <th scope="col" class="second">items asked</th>
      <th scope="col">typical error</th>
      <th scope="col">95 % within</th>
      <th scope="col">random items</th>
      <th scope="col">interval</th>
      <th scope="col">coverage</th>
      <th scope="col">typical error</th>
      <th scope="col">coverage</th>
    </tr>
  </thead>`;

function body({ id, of, forms }: MeasuredScenario, defaultForm: string): Html {
  const group = html`<th scope="rowgroup" rowspan="${forms.length}" class="text group">
    ${idText(id)}<small>${count(of)} items</small>
  </th>`;
  return html`<tbody>
    ${forms.map(
      (row, k) =>
        html`<tr class="${row.form.id === defaultForm ? "default" : ""}">
          ${k === 0 ? group : null}
          <th scope="row" class="second">${count(row.items)}</th>
          ${cells(row)}
        </tr> `,
    )}
  </tbody>`;
}

function cells(row: MeasuredForm): Html {
  if (row.whole) return html`<td colspan="7" class="words">every item is asked: the score is exact</td>`;
  const { typical, within95, random, halfWidth95, coverage95, stronger } = formFigures(row);
  if (typical === null && stronger === null)
    return html`<td colspan="7" class="words">not measured: too few models to hold any out</td>`;
  return html`${cell(typical, points, noBetter(row) ? "†" : "")} ${cell(within95, points)} ${cell(random, points)}
  ${cell(halfWidth95, (half) => `± ${points(half)}`)} ${cell(coverage95, wholePercent)} ${cell(stronger, points)}
  ${cell(row.measured?.extrapolation?.coverage95, wholePercent)}`;
}

function cell(value: number | null | undefined, format: (value: number) => string, mark = ""): Html {
  return html`<td>${value === null || value === undefined ? NONE : `${format(value)}${mark}`}</td>`;
}

function noBetter({ whole, measured, form }: MeasuredForm): boolean {
  const interpolation = measured?.interpolation;
  return (
    !whole &&
    interpolation !== null &&
    interpolation !== undefined &&
    estimatorFigure(interpolation.estimators, form.estimator).mae >= interpolation.randomMae
  );
}

/** Lines that would crowd the panels: the stack is part of the gate, the others are peers' estimators. */
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
    explained: "Fitted on the weakest half of the models or more, measured on the strongest, 30 % at most.",
  },
] as const;

/** Error by number of items: every estimator against random items, one panel per scenario, one group per kind of model. */
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
    line is better than as many items drawn at random. All panels share one vertical scale.`,
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
                chart: drawChart(errorBySizeChart(`${id}, ${title.toLowerCase()}`, lines, highest)),
              })),
            )}`,
    ),
  );
}

/** Random items at the bottom, the served estimator on top. */
function linesOf(forms: readonly MeasuredForm[], split: keyof MeasuredErrors, served: EstimatorId): ErrorLine[] {
  const along = (error: (errors: SplitErrors) => number): ErrorLine["points"] =>
    forms.map(({ items, measured }) => ({ items, error: error(measured![split]!) }));
  const line = (id: EstimatorId, kind: ErrorLine["kind"]): ErrorLine => ({
    label: ESTIMATOR_NAMES[id],
    points: along(({ estimators }) => estimatorFigure(estimators, id).mae),
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

function shownEstimators({ estimators }: SplitErrors): EstimatorId[] {
  return estimatorsOf(estimators).filter((id) => !LEFT_OUT.includes(id));
}

/** Share of the 95 % intervals that contain the true score, by the number of items: one panel per scenario. */
export function coverage({ manifest }: ReportData): Html {
  const series = coverageSeries(manifest);
  if (series.length === 0)
    return html`<p class="missing">
      Not measured: coverage needs at least ${LEAST_MODELS_FOR_COVERAGE} held-out models with intervals.
    </p>`;
  const kinds = coverageKinds(series.flatMap(({ points }) => points));
  const from = lowestCoverage(series);
  return figure(
    html`Share of 95 % intervals of held-out models that contain the true score, by the number of items asked. Marks on
    the dashed line keep the promise; below it the intervals are too narrow, above it wider than necessary. A bar is the
    95 % interval of the share itself, as held-out models are few.
    ${
      kinds.some(({ hollow }) => hollow)
        ? "Where the score uses the answers to all scenarios, hollow marks show what its own answers alone would give."
        : null
    }
    All panels share one vertical scale.`,
    legend([
      ...kinds.map((kind) => ({ label: kind.label, colour: kind.colour, mark: markOf(kind) })),
      { label: "95 %, as promised", colour: "muted", mark: "none", line: "dashed" },
    ]),
    panels(
      series.map((scenario) => ({
        title: scenario.id,
        note: modelsOf(scenario.points),
        chart: drawChart(coverageChart(scenario, from)),
      })),
    ),
  );
}

function markOf({ symbol, hollow }: CoverageKind): KeyEntry["mark"] {
  if (symbol === "circle") return hollow ? "ring" : "circle";
  return hollow ? "diamond" : "solid-diamond";
}

/** Held-out models behind a panel. */
function modelsOf(points: readonly CoveragePoint[]): string {
  const of = (split: CoveragePoint["split"]): number =>
    Math.max(0, ...points.filter((point) => point.split === split).map(({ models }) => models));
  const [like, stronger] = [of("interpolation"), of("extrapolation")];
  if (like === 0 || stronger === 0) return counted(Math.max(like, stronger), "model");
  return `${counted(like, "model")}, ${stronger} stronger`;
}
