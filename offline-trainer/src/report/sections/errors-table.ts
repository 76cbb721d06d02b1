import { figureOf } from "anchoreval/core";
import { ERROR_LEVELS } from "anchoreval/bundle";
import { measuredScenarios, type MeasuredForm, type MeasuredScenario } from "anchoreval/charts";
import { count, points, wholePercent } from "anchoreval/words";
import { html, idText, type Html } from "../html.ts";
import type { ReportData } from "../report-data.ts";
import { scrolling } from "../table.ts";

const LEVEL_95 = ERROR_LEVELS.indexOf(0.95);
const NONE = html`<span class="none" title="not measured">–<span class="unseen"> not measured</span></span>`;

/** The measured errors of the score, form by form. */
export function errorsTable({ manifest }: ReportData): Html {
  const groups = measuredScenarios(manifest);
  const beaten = groups.some(({ forms }) => forms.some(noBetter));
  return html`${scrolling(
      "Errors by scenario and form, in points",
      html`${HEAD} ${groups.map((group) => body(group, manifest.defaultForm))}`,
    )}
    <p class="aside">
      In points, of models that were held out. <strong>Typical error</strong>: mean absolute error of the score.
      <strong>95 % within</strong>: the error that 95 in 100 models stay within. <strong>Random items</strong>: typical
      error of the mean of as many items drawn at random. <strong>Interval</strong>: mean half-width of the 95 %
      interval. <strong>It holds</strong>: how many of the intervals hold the true score. “–” is not measured: the
      models are too few. The form asked by default is in bold.
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
      <th scope="col">it holds</th>
      <th scope="col">typical error</th>
      <th scope="col">it holds</th>
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
  const like = row.measured?.interpolation ?? null;
  const stronger = row.measured?.extrapolation ?? null;
  if (like === null && stronger === null)
    return html`<td colspan="7" class="words">not measured: too few models to hold any out</td>`;
  const { estimator } = row.form;
  return html`${cell(like && figureOf(like.estimators, estimator).mae, points, noBetter(row) ? "†" : "")}
  ${cell(like?.absoluteError[LEVEL_95], points)} ${cell(like?.randomMae, points)}
  ${cell(like?.halfWidth95, (half) => `± ${points(half)}`)} ${cell(like?.coverage95, wholePercent)}
  ${cell(stronger && figureOf(stronger.estimators, estimator).mae, points)} ${cell(stronger?.coverage95, wholePercent)}`;
}

function cell(value: number | null | undefined, told: (value: number) => string, mark = ""): Html {
  return html`<td>${value === null || value === undefined ? NONE : `${told(value)}${mark}`}</td>`;
}

function noBetter({ whole, measured, form }: MeasuredForm): boolean {
  const own = measured?.interpolation;
  return !whole && own !== null && own !== undefined && figureOf(own.estimators, form.estimator).mae >= own.randomMae;
}
