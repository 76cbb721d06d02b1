import { extent } from "anchoreval/internal/charts/chart";
import { DIFFICULTY_LIMIT, itemMapChart, shownParameters } from "anchoreval/internal/charts/item-map";
import { count, counted, wholePercent } from "anchoreval/internal/words/figures";
import { type AuditedItem, type Reason, REASONS } from "../../../features/audit/fit/findings.ts";
import { LEAST_MODELS_FOR_AUDIT } from "../../../features/audit/fit/item-statistics.ts";
import { drawChart, figure, html, type Html, idText, legend, panels, scrollingTable } from "./html.ts";
import { fairLimit, type ReportData, type ReportScenario } from "./report-data.ts";

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

/** Every item by difficulty and discrimination, the anchors of the default form and the items worth auditing marked. */
export function itemMap({ scenarios, defaultForm }: ReportData): Html {
  const listed = listedItems(scenarios);
  const maps = scenarios.map(({ id, begin, content, bank }, s) => ({
    title: id,
    parameters: shownParameters(bank),
    anchors: content.forms.get(defaultForm.id)!.items,
    suspects: listed[s]!.map(({ column }) => column - begin),
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
      ...(listed.some(({ length }) => length > 0)
        ? [{ label: "worth auditing, see below", colour: "miss", mark: "cross" } as const]
        : []),
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

/** The grounds of each reason. */
const GROUNDS: Readonly<Partial<Record<Reason, Html>>> = {
  reversed: html`the correlation r of its scores with the models’ scores on all other items is at most −2/√M, for the M
  models that answered it: often a wrong key, an ambiguous question or a parser that fails`,
  "same-text": html`one of the two may be enough`,
  "answered-alike": html`by the correlation Q3 of what the fitted curves leave of two items’ answers; at most a fifth of
  such pairs are chance, by the estimate`,
  unrelated: html`r is below 2/√M, twice its standard deviation without any relation`,
  misfit: html`by a χ² test over models grouped by the chance that the curve gives them, at a false discovery rate q of
  5 %`,
  floor: html`impossible, or broken`,
  "few-answers": html`by fewer than ${LEAST_MODELS_FOR_AUDIT} models`,
  ceiling: html`it distinguishes nothing`,
};

/** Items worth inspecting by hand, and why. */
export function suspects({ manifest, scenarios }: ReportData): Html {
  if (manifest.sources.models < LEAST_MODELS_FOR_AUDIT)
    return html`<p class="missing">
      Not listed: with fewer than ${LEAST_MODELS_FOR_AUDIT} models a faulty item can't be distinguished from bad luck.
    </p>`;
  const listed = listedItems(scenarios);
  return html`<p>
      A right answer to a good item goes with a higher score on the others, as its fitted curve predicts, and adds
      information that no other item has. These items look otherwise, the most urgent first: suspects, not verdicts.
      <code>anchoreval audit</code> gives more detail, such as the probability of a wrong key.
    </p>
    ${reasons(scenarios)} ${scenarios.map((scenario, s) => list(scenario, listed[s]!))}`;
}

/** The number of items for each reason, and its grounds. */
function reasons(scenarios: readonly ReportScenario[]): Html | null {
  const found = scenarios.flatMap(({ audited }) => audited).flatMap(({ findings }) => findings);
  const rows = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
    const items = found.filter((finding) => finding.reason === reason).length;
    return items === 0 ? [] : [{ reason, items }];
  });
  if (rows.length === 0) return null;
  return scrollingTable(
    "Reasons to look at an item, and how many items there are for each",
    html`<thead>
        <tr>
          <th scope="col" class="text">reason</th>
          <th scope="col">items</th>
          <th scope="col" class="text">because</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ reason, items }) =>
            html`<tr>
              <th scope="row" class="text id">${REASONS[reason]}</th>
              <td>${count(items)}</td>
              <td class="text grounds">${GROUNDS[reason] ?? null}</td>
            </tr> `,
        )}
      </tbody>`,
  );
}

function list({ id, audited }: ReportScenario, listed: readonly AuditedItem[]): Html {
  const urgent = listed.some(({ findings }) => findings.some(({ reason }) => reason === "reversed"));
  return html`<details ${urgent ? html`open` : null}>
    <summary>
      <h3>${idText(id)}</h3>
      <span>${summary(audited.filter(({ rank }) => rank !== null).length, listed.length)}</span>
    </summary>
    ${listed.length === 0 ? null : table(id, listed)}
  </details> `;
}

function summary(found: number, listed: number): string {
  if (found === 0) return "none";
  return found > listed ? `${listed} of ${count(found)}, the clearest of each reason` : counted(found, "item");
}

function table(scenario: string, listed: readonly AuditedItem[]): Html {
  const share = (value: number): string => (Number.isNaN(value) ? "–" : wholePercent(value));
  return scrollingTable(
    `Items worth auditing in ${scenario}`,
    html`<thead>
        <tr>
          <th scope="col" class="text">item</th>
          <th scope="col" class="text">why</th>
          <th scope="col">all models</th>
          <th scope="col">weakest quarter</th>
          <th scope="col">strongest quarter</th>
        </tr>
      </thead>
      <tbody>
        ${listed.map(
          ({ info, findings, audit: { statistics } }) =>
            html`<tr>
              <th scope="row" class="text id">${idText(info.item_id)}</th>
              <td class="text reasons">
                <ul>
                  ${findings.map(({ words }) => html`<li>${words}</li>`)}
                </ul>
              </td>
              <td>${share(statistics.mean)}</td>
              <td>${share(statistics.weakest)}</td>
              <td>${share(statistics.strongest)}</td>
            </tr> `,
        )}
      </tbody>`,
  );
}

/** Most items listed over all scenarios; most and fewest per scenario. */
const LISTED = 400;
const MOST_LISTED = 20;
const LEAST_LISTED = 3;

/**
 * The items of each scenario listed as worth auditing, the most urgent first. Every item's first reason has its share of a
 * list. None where models are too few to distinguish a faulty item from bad luck.
 */
function listedItems(scenarios: readonly ReportScenario[]): AuditedItem[][] {
  const found = scenarios.map(({ audited, models }) =>
    models < LEAST_MODELS_FOR_AUDIT ? [] : audited.filter(({ rank }) => rank !== null),
  );
  const lengths = found.map(({ length }) => Math.min(MOST_LISTED, length));
  const limit = Math.min(MOST_LISTED, fairLimit(lengths, LISTED, LEAST_LISTED));
  return found.map((items) => shareByReason(items, limit));
}

/** The first items of each reason; if places are few, the most urgent reasons'. */
function shareByReason(items: readonly AuditedItem[], limit: number): AuditedItem[] {
  // By rank items are grouped by their first reason, the most urgent first.
  const reasons = [...new Set(items.map(({ findings }) => findings[0]!.reason))];
  const lists = reasons.map((reason) => items.filter(({ findings }) => findings[0]!.reason === reason));
  const each = fairLimit(
    lists.map(({ length }) => length),
    limit,
    1,
  );
  return lists.flatMap((own) => own.slice(0, each)).slice(0, limit);
}
