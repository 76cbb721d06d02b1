import type { Bundle, BundleScenario } from "anchoreval";
import { formItemIds } from "anchoreval/bundle";
import { extent } from "anchoreval/internal/charts/chart";
import { shownParameters } from "anchoreval/internal/charts/item-map";
import { counted, decimals, wholePercent } from "anchoreval/internal/words/figures";
import { abilityPath, formInformation, itemCurve, typicalChances, type AbilityPath } from "../ability-path.ts";
import { type Curve, curvesChart, figure, itemMapFigure, wideChart } from "../charts.ts";
import { button, type Child, details, download, element, fill, idText, labelled } from "../dom.ts";
import { firstFew, scrolling, section } from "../parts/content.ts";
import { formSelect } from "../parts/fields.ts";
import type { BundlePage } from "../session.ts";

/** Rows of the table at first, and rows that each press of the button adds. */
const ROWS = 50;

/** Scenarios that are drawn at first. */
const FEW = { most: 4, noun: "scenario" };

interface Row {
  readonly id: string;
  readonly scenario: BundleScenario;
  readonly index: number;
  readonly difficulty: number;
  readonly discrimination: number;
  /** Probability of a right answer by a typical source model. */
  readonly typical: number;
  readonly text: string | undefined;
}

/** The items of a form in a list, and in charts. */
export function itemsTab({ bundle, route }: BundlePage): Child {
  const { benchmark, version, forms } = bundle.manifest;
  const scenarios = [...bundle.scenarios.values()];
  const paths = new Map(scenarios.map((own) => [own, abilityPath(bundle, own)]));
  const body = element("div");
  const show = (): void => {
    const form = select.value;
    const rows = scenarios.flatMap((scenario) => rowsOf(bundle, scenario, form));
    const curve = element("div", { "aria-live": "polite" });
    const showCurve = (row: Row): void => fill(curve, curveOf(row, paths.get(row.scenario)!));
    showCurve(rows[Math.floor(rows.length / 2)]!);
    const keep = (): void => {
      const ids = scenarios.flatMap((own) => formItemIds(own, form));
      download(new Blob([ids.join("\n"), "\n"]), `${benchmark}-${version}-${form}.ids.txt`);
    };
    const maps = firstFew(scenarios, FEW, (own) => itemMapFigure(own, form));
    const curves = firstFew(scenarios, FEW, (own) => {
      const list = forms.map(({ id }) => ({
        label: id,
        values: formInformation(own, id, paths.get(own)!),
        strong: id === form,
      }));
      return information(own.id, list, paths.get(own)!);
    });
    fill(body, [
      element("p.actions", element("button", { type: "button", onclick: keep }, "Download the list of items")),
      section("Items to ask", element("div.beside", element("div", anchorTable(rows, showCurve)), curve)),
      section("All items, easy to hard", maps),
      section("Where the items separate models", curves),
    ]);
  };
  const { content, select } = formSelect(bundle, route.form, show);
  show();
  return [content, body];
}

function rowsOf(bundle: Bundle, scenario: BundleScenario, form: string): Row[] {
  const { discrimination, difficulty } = shownParameters(scenario.bank);
  const typical = typicalChances(bundle, scenario);
  return formItemIds(scenario, form).map((id) => {
    const { index, text } = scenario.anchors.get(id)!;
    const parameters = { difficulty: difficulty[index]!, discrimination: discrimination[index]! };
    return { id, scenario, index, ...parameters, typical: typical(index), text };
  });
}

/** Columns of figures, by which the table can be sorted. */
const FIGURES = [
  ["right, typical model", "typical"],
  ["difficulty", "difficulty"],
  ["discrimination", "discrimination"],
] as const;

/** A table of anchors: searched by id, scenario and text, sorted by figures. Choosing an item draws its curve. */
function anchorTable(rows: readonly Row[], onChoose: (row: Row) => void): Child {
  let shown = ROWS;
  let sorted: { by: (typeof FIGURES)[number][1]; descending: boolean } | null = null;
  const state = element("p.hint", { role: "status" });
  const body = element("tbody");
  const more = button("quiet", "Show more", () => {
    shown += ROWS;
    draw();
  });
  const search = element("input", {
    type: "search",
    autocomplete: "off",
    oninput: () => {
      shown = ROWS;
      draw();
    },
  });
  const head = FIGURES.map(([title, by]) => {
    const sort = button("sort", title, () => {
      sorted = { by, descending: sorted?.by === by && !sorted.descending };
      draw();
    });
    return element("th.number", { scope: "col" }, sort);
  });
  const cells = (row: Row): Child => [
    element("th", { scope: "row" }, [
      button("link", idText(row.id), () => onChoose(row)),
      row.text === undefined ? null : details("text", row.text),
    ]),
    element("td", idText(row.scenario.id)),
    element("td.number", wholePercent(row.typical)),
    element("td.number", decimals(row.difficulty)),
    element("td.number", decimals(row.discrimination)),
  ];
  const draw = (): void => {
    const wanted = search.value.trim().toLowerCase();
    const found = rows.filter((row) => `${row.id} ${row.scenario.id} ${row.text ?? ""}`.toLowerCase().includes(wanted));
    if (sorted) {
      const { by, descending } = sorted;
      found.sort((x, y) => (descending ? -1 : 1) * (x[by] - y[by]));
    }
    for (const [k, [, by]] of FIGURES.entries())
      if (sorted?.by === by) head[k]!.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
      else head[k]!.removeAttribute("aria-sort");
    const list = found.slice(0, shown).map((row) => element("tr", cells(row)));
    fill(body, list);
    const all = counted(rows.length, "item");
    fill(state, wanted === "" ? `${all}, in the order in which they are asked.` : `${found.length} of ${all}.`);
    more.hidden = found.length <= shown;
  };
  draw();
  const titles = ["item", "scenario"].map((title) => element("th", { scope: "col" }, title));
  const caption = "Items to ask; choose one to see its curve";
  return [
    element("div.field", labelled("Search", search)),
    state,
    scrolling("Items to ask", caption, [...titles, ...head], body, "tall"),
    more,
  ];
}

function curveOf({ id, scenario, index }: Row, path: AbilityPath): Child {
  const values = itemCurve(scenario, index, path).map((share) => 100 * share);
  const [weak, typical, strong] = [20, 40, 60].map((at) => Math.round(values[at]!));
  return figure(
    [
      "Probability of a right answer to ",
      idText(id),
      ", by the strength of the model. The steeper the curve, the better the item separates models there. Choose another item in the list.",
    ],
    curvesChart(path.scores, [{ label: id, values, strong: true }], {
      description: `Probability of a right answer to ${id}: ${weak} % for weak models, ${typical} % for typical ones, ${strong} % for strong ones.`,
      label: "right answers, %",
      highest: 100,
      width: Math.min(480, wideChart()),
    }),
  );
}

/** Information of each form, from weak models to strong ones. */
function information(scenario: string, list: readonly Curve[], path: AbilityPath): HTMLElement {
  const [, highest] = extent(list.flatMap(({ values }) => values));
  const { label, values } = list.find(({ strong }) => strong)!;
  const at = path.scores[values.indexOf(extent(values)[1])]!;
  return figure(
    [
      element("strong", idText(scenario)),
      ": information of each form’s answers about a model’s ability, by the strength of the model. Where it is high, few answers are needed.",
    ],
    curvesChart(path.scores, list, {
      description: `${scenario}: information of the answers to form ${label} is highest for models with a score of about ${Math.round(100 * at)} points.`,
      label: "information, logit⁻²",
      highest: 1.12 * highest || 1,
      width: wideChart(),
    }),
  );
}
