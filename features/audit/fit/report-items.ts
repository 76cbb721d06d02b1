import { count, counted, wholePercent } from "anchoreval/internal/words/figures";
import { html, type Html, idText, scrollingTable } from "../../report/fit/html.ts";
import { fairLimit, type ReportPart, type ReportOptions } from "../../report/fit/report-data.ts";
import { type AuditedItem, type Reason, REASONS, auditedItems, type ItemEvidence } from "./findings.ts";
import { LEAST_MODELS_FOR_AUDIT, itemStatistics } from "./item-statistics.ts";
import { type CalibratedAnswers, diagnoseScenarios } from "./diagnose-scenario.ts";
import { benjaminiHochberg } from "./item-fit.ts";
import { itemCopies, type NearCopies, sharedPairWork, textPairs } from "./near-copies.ts";
import type { LearnedScenario } from "../../../offline-trainer/src/fit/forms.ts";
import { someModels } from "../../../offline-trainer/src/anchors/curve-features.ts";
import { sameTexts } from "../../../offline-trainer/src/matrix/same-text.ts";
import { sharedMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";

/** A scenario's items with the evidence against them, the most urgent first. */
interface AuditedScenario {
  readonly id: string;
  /** That it was calibrated on. */
  readonly models: number;
  readonly audited: readonly AuditedItem[];
}

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

/** Items worth inspecting by hand, and why; the same are marked in the report's map of items. */
export const reportItems: ReportPart = async ({ scenarios, manifest, learned }, options) => {
  const audited = await diagnoseFit(learned, options);
  const audits = scenarios.map(({ id, begin, content, models }): AuditedScenario => {
    const end = begin + content.items.length;
    return { id, models, audited: audited.filter(({ column }) => column >= begin && column < end) };
  });
  const listed = listedItems(audits);
  return {
    id: "audit",
    title: "Items worth auditing",
    content: suspects(manifest.sources.models, audits, listed),
    mark: "worth auditing",
    marked: listed.map((items, s) => items.map(({ column }) => column - scenarios[s]!.begin)),
  };
};

function suspects(
  models: number,
  scenarios: readonly AuditedScenario[],
  listed: readonly (readonly AuditedItem[])[],
): Html {
  if (models < LEAST_MODELS_FOR_AUDIT)
    return html`<p class="missing">
      Not listed: with fewer than ${LEAST_MODELS_FOR_AUDIT} models a faulty item can't be distinguished from bad luck.
    </p>`;
  const sample =
    models > MOST_MODELS
      ? html`<p>Curves and copies are tested on ${count(MOST_MODELS)} of the ${count(models)} models.</p>`
      : null;
  return html`<p>
      A right answer to a good item goes with a higher score on the others, as its fitted curve predicts, and adds
      information that no other item has. These items look otherwise, the most urgent first: suspects, not verdicts. An
      audit gives more detail, such as the probability of a wrong key.
    </p>
    ${sample}${reasons(scenarios)} ${scenarios.map((scenario, s) => list(scenario, listed[s]!))}`;
}

/** The number of items for each reason, and its grounds. */
function reasons(scenarios: readonly AuditedScenario[]): Html | null {
  const findings = scenarios.flatMap(({ audited }) => audited).flatMap(({ findings }) => findings);
  const rows = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
    const items = findings.filter((finding) => finding.reason === reason).length;
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

function list({ id, audited }: AuditedScenario, listed: readonly AuditedItem[]): Html {
  const urgent = listed.some(({ findings }) => findings.some(({ reason }) => reason === "reversed"));
  return html`<details ${urgent ? html`open` : null}>
    <summary>
      <h3>${idText(id)}</h3>
      <span>${summary(audited.filter(({ rank }) => rank !== null).length, listed.length)}</span>
    </summary>
    ${listed.length === 0 ? null : table(id, listed)}
  </details> `;
}

function summary(items: number, listed: number): string {
  if (items === 0) return "none";
  return items > listed ? `${listed} of ${count(items)}, the clearest of each reason` : counted(items, "item");
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
function listedItems(scenarios: readonly AuditedScenario[]): AuditedItem[][] {
  const lists = scenarios.map(({ audited, models }) =>
    models < LEAST_MODELS_FOR_AUDIT ? [] : audited.filter(({ rank }) => rank !== null),
  );
  const lengths = lists.map(({ length }) => Math.min(MOST_LISTED, length));
  const limit = Math.min(MOST_LISTED, fairLimit(lengths, LISTED, LEAST_LISTED));
  return lists.map((items) => shareByReason(items, limit));
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
  return lists.flatMap((audited) => audited.slice(0, each)).slice(0, limit);
}

/**
 * Models by whose answers items are tested, evenly by position: bounds the time on boards of thousands, where fewer show what
 * is worth a look. Chosen, not measured.
 */
const MOST_MODELS = 1024;

/** Answers for which threads are worth their start. Chosen, not measured. */
const THREAD_CELLS = 1 << 22;

/** Multiplications and additions spent on pairs of items: about two seconds. */
const PAIR_WORK = 2e9;

/**
 * Evidence against the items of a fit by its own calibration: item-rest correlations, everyone right or wrong, copies by
 * text and by answers, and the residual test. Not likely wrong keys, which take as long as all of these together; for them
 * see {@link auditLeaderboard}. Copies by answers and misfit need the 2PL of right and wrong answers: other fits have none.
 * @param scenarios - columns count through them
 * @returns all items by rank, those without findings last
 * @throws AnchorEvalError `aborted`
 */
export async function diagnoseFit(
  scenarios: readonly LearnedScenario[],
  { threads = 1, signal, onProgress }: ReportOptions = {},
): Promise<AuditedItem[]> {
  const items = scenarios.flatMap(({ scenario }) => scenario.matrix.items);
  const work = sharedPairWork(
    scenarios.map(({ scenario }) => scenario),
    PAIR_WORK,
  );
  const calibrated = scenarios.flatMap((learned, s): CalibratedAnswers[] => {
    if (learned.choice.irtModel !== "2pl") return [];
    const { scenario, trained } = learned;
    const { threshold, calibration } = trained;
    const { dims, a, b } = calibration;
    const models = someModels(trained.rows.length, MOST_MODELS);
    const rows = models.map((k) => trained.rows[k]!);
    const theta = Float64Array.from(models.flatMap((k) => [...calibration.theta.subarray(k * dims, (k + 1) * dims)]));
    const { families } = scenario;
    const matrix = sharedMatrix(scenario.matrix);
    return [{ matrix, rows, threshold, families, pairWork: work[s]!, calibration: { dims, theta, a, b } }];
  });
  const cells = calibrated.reduce((sum, { matrix, rows }) => sum + matrix.items.length * rows.length, 0);
  const diagnoses = await diagnoseScenarios(calibrated, cells < THREAD_CELLS ? 1 : threads, {
    signal,
    onItems: (done) => onProgress?.(done / items.length),
  });
  const p = new Float64Array(items.length).fill(NaN);
  const diagnosed: { begin: number; audit: { items: ItemEvidence[]; copies: NearCopies; likeness: [] } }[] = [];
  let begin = 0;
  for (const { scenario, choice } of scenarios) {
    const diagnosis = choice.irtModel === "2pl" ? diagnoses.shift() : undefined;
    if (diagnosis) p.set(diagnosis.p, begin);
    const evidence = itemStatistics(scenario.matrix, scenario).map((statistics) => ({ statistics, key: null }));
    const copies = diagnosis?.copies ?? { pairs: [], compared: 0, comparable: 0 };
    diagnosed.push({ begin, audit: { items: evidence, copies, likeness: [] } });
    begin += scenario.count;
  }
  onProgress?.(1);
  return auditedItems({
    matrix: { items },
    scenarios: diagnosed,
    q: { residualGroups: benjaminiHochberg(p), sX2: new Float64Array(items.length).fill(NaN) },
    copies: itemCopies(textPairs(sameTexts(items)), diagnosed),
  });
}
