import type { Bundle, BundleScenario } from "anchoreval";
import { formItemIds } from "anchoreval/bundle";
import { extent, shownParameters } from "anchoreval/internal/features/sdk-page";
import { counted, decimals, wholePercent } from "anchoreval/internal/words/figures";
import { abilityPath, formInformation, itemCurve, typicalChances, type AbilityPath } from "../parts/ability-path.ts";
import { type Curve, curvesChart, figure, itemMapFigure, sideChart } from "../parts/charts.ts";
import { button, type Child, details, download, element, fill, idText, labelled } from "../parts/dom.ts";
import { firstFew, scrolling, section } from "../parts/content.ts";
import { formSelect } from "../parts/fields.ts";
import type { BundlePage } from "../parts/session.ts";

const ROWS = 20;

const FEW = { most: 4, noun: "scenario" };

interface Row {
  readonly id: string;
  readonly scenario: BundleScenario;
  readonly index: number;
  readonly difficulty: number;
  readonly discrimination: number;
  readonly typical: number;
  readonly text: string | undefined;
}

export function itemsTab({ bundle, route }: BundlePage): Child {
  const { benchmark, version, forms } = bundle.manifest;
  const scenarios = [...bundle.scenarios.values()];
  const paths = new Map(scenarios.map((scenario) => [scenario, abilityPath(bundle, scenario)]));
  const body = element("div");
  const show = (): void => {
    const form = select.value;
    const rows = scenarios.flatMap((scenario) => rowsOf(bundle, scenario, form));
    const curve = element("div", { "aria-live": "polite" });
    const showCurve = (row: Row): void => fill(curve, curveOf(row, paths.get(row.scenario)!));
    showCurve(rows[Math.floor(rows.length / 2)]!);
    const keep = (): void => {
      const ids = scenarios.flatMap((scenario) => formItemIds(scenario, form));
      download(new Blob([ids.join("\n"), "\n"]), `${benchmark}-${version}-${form}.ids.txt`);
    };
    const charts = firstFew(scenarios, FEW, (scenario) => {
      const list = forms.map(({ id }) => ({
        label: id,
        values: formInformation(scenario, id, paths.get(scenario)!),
        strong: id === form,
      }));
      return element("div.beside", itemMapFigure(scenario, form), information(scenario.id, list, paths.get(scenario)!));
    });
    fill(body, [
      element("p.actions", element("button", { type: "button", onclick: keep }, "Download the list of items")),
      section("Items to ask", element("div.beside", element("div", anchorTable(rows, showCurve)), curve)),
      section("All items, easy to hard, and where the forms separate models", charts),
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

const FIGURES = [
  ["right, typical model", "typical"],
  ["difficulty", "difficulty"],
  ["discrimination", "discrimination"],
] as const;

/** A table of anchors: searched by id, scenario and text, sorted by figures. Choosing an item draws its curve. */
function anchorTable(rows: readonly Row[], onChoose: (row: Row) => void): Child {
  let first = 0;
  let sorted: { by: (typeof FIGURES)[number][1]; descending: boolean } | null = null;
  const state = element("p.hint", { role: "status" });
  const body = element("tbody");
  const turnPage = (by: number): void => {
    first += by;
    draw();
  };
  const previous = button("quiet", "Previous", () => turnPage(-ROWS));
  const next = button("quiet", "Next", () => turnPage(ROWS));
  const search = element("input", {
    type: "search",
    autocomplete: "off",
    oninput: () => {
      first = 0;
      draw();
    },
  });
  const head = FIGURES.map(([title, by]) => {
    const sort = button("sort", title, () => {
      sorted = { by, descending: sorted?.by === by && !sorted.descending };
      first = 0;
      draw();
    });
    return element("th.number", { scope: "col", role: "columnheader" }, sort);
  });
  const cells = (row: Row): Child => [
    element("th", { scope: "row", role: "rowheader" }, [
      button("link", idText(row.id), () => onChoose(row)),
      row.text === undefined ? null : details("text", row.text),
    ]),
    element("td", { role: "cell", "data-title": "scenario" }, idText(row.scenario.id)),
    FIGURES.map(([title, by]) =>
      element(
        "td.number",
        { role: "cell", "data-title": title },
        by === "typical" ? wholePercent(row[by]) : decimals(row[by]),
      ),
    ),
  ];
  const draw = (): void => {
    const wanted = search.value.trim().toLowerCase();
    const matches = rows.filter((row) =>
      `${row.id} ${row.scenario.id} ${row.text ?? ""}`.toLowerCase().includes(wanted),
    );
    if (sorted) {
      const { by, descending } = sorted;
      matches.sort((x, y) => (descending ? -1 : 1) * (x[by] - y[by]));
    }
    for (const [k, [, by]] of FIGURES.entries())
      if (sorted?.by === by) head[k]!.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
      else head[k]!.removeAttribute("aria-sort");
    const list = matches.slice(first, first + ROWS).map((row) => element("tr", { role: "row" }, cells(row)));
    fill(body, list);
    const all = counted(rows.length, "item");
    const few = matches.length <= ROWS;
    const range = few ? "" : ` ${first + 1} to ${first + list.length} are shown.`;
    const order = sorted === null ? ", in the order in which they are asked" : "";
    fill(state, `${wanted === "" ? `${all}${order}` : `${matches.length} of ${all}`}.${range}`);
    pages.hidden = few;
    previous.disabled = first === 0;
    next.disabled = first + ROWS >= matches.length;
  };
  const pages = element("p.actions", previous, next);
  draw();
  const titles = ["item", "scenario"].map((title) => element("th", { scope: "col", role: "columnheader" }, title));
  const caption = "Items to ask; choose one to see its curve";
  return [
    element("div.field", labelled("Search", search)),
    state,
    scrolling("Items to ask", caption, [...titles, ...head], body),
    pages,
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
      width: sideChart(),
    }),
  );
}

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
      width: sideChart(),
    }),
  );
}
