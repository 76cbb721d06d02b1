import type { BundleScenario } from "anchoreval";
import { formItemIds } from "anchoreval/bundle";
import { extent } from "anchoreval/internal/charts/chart";
import { shownParameters } from "anchoreval/internal/charts/item-map";
import { counted, decimals, wholePercent } from "anchoreval/internal/words/figures";
import { abilityPath, formInformation, itemCurve, typicalChances, type AbilityPath } from "../ability-path.ts";
import { curvesChart, drawn, figure, itemMapFigure, wideChart } from "../charts.ts";
import { type Child, download, element, fill, freshId, idText, paragraph, button } from "../dom.ts";
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
  const scenarios = [...bundle.scenarios.values()];
  const forms = bundle.manifest.forms.map(({ id }) => id);
  const body = element("div");
  const form = formSelect(bundle, route.form, { infer: false, onChange: () => show() });
  const show = (): void => {
    const id = form.value()!;
    const paths = new Map(scenarios.map((own) => [own.id, abilityPath(bundle, own)]));
    const rows = scenarios.flatMap((scenario) => rowsOf(bundle, scenario, id));
    const curve = element("div", { "aria-live": "polite" });
    const showCurve = (row: Row): void => fill(curve, curveOf(row, paths.get(row.scenario.id)!));
    showCurve(rows[Math.floor(rows.length / 2)]!);
    fill(
      body,
      paragraph(
        "actions",
        element(
          "button",
          {
            type: "button",
            onclick: () =>
              download(
                new Blob([scenarios.flatMap((own) => formItemIds(own, id)).join("\n"), "\n"]),
                `${bundle.manifest.benchmark}-${bundle.manifest.version}-${id}.ids.txt`,
              ),
          },
          "Download the list of items",
        ),
      ),
      section(
        "Items to ask",
        element("div", { class: "beside" }, element("div", {}, anchorTable(rows, showCurve)), curve),
      ),
      section(
        "All items, easy to hard",
        firstFew(scenarios, FEW, (own) => itemMapFigure(own, id)),
      ),
      section(
        "Where the items separate models",
        firstFew(scenarios, FEW, (own) => information(forms, own, id, paths.get(own.id)!)),
      ),
    );
  };
  show();
  return [form.content, body];
}

function rowsOf(bundle: BundlePage["bundle"], scenario: BundleScenario, form: string): Row[] {
  const { discrimination, difficulty } = shownParameters(scenario.bank);
  const typical = typicalChances(bundle, scenario);
  return formItemIds(scenario, form).map((id) => {
    const { index, text } = scenario.anchors.get(id)!;
    return {
      id,
      scenario,
      index,
      difficulty: difficulty[index]!,
      discrimination: discrimination[index]!,
      typical: typical(index),
      text,
    };
  });
}

const COLUMNS = [
  { title: "item", sort: null },
  { title: "scenario", sort: null },
  { title: "right, typical model", sort: (row: Row) => row.typical },
  { title: "difficulty", sort: (row: Row) => row.difficulty },
  { title: "discrimination", sort: (row: Row) => row.discrimination },
] as const;

/** A table of anchors: searched by id, scenario and text, sorted by figures. Choosing an item draws its curve. */
function anchorTable(rows: readonly Row[], onChoose: (row: Row) => void): Child {
  const id = freshId("search");
  let shown = ROWS;
  let sorted: { column: number; descending: boolean } | null = null;
  const state = element("p", { class: "hint", role: "status" });
  const body = element("tbody");
  const more = button(
    "quiet",
    () => {
      shown += ROWS;
      draw();
    },
    "Show more",
  );
  const search = element("input", {
    id,
    type: "search",
    autocomplete: "off",
    oninput: () => {
      shown = ROWS;
      draw();
    },
  });
  const head = COLUMNS.map(({ title, sort }, k) =>
    element(
      "th",
      { scope: "col", class: sort ? "number" : null },
      sort === null
        ? title
        : button(
            "sort",
            () => {
              sorted = { column: k, descending: sorted?.column === k && !sorted.descending };
              draw();
            },
            title,
          ),
    ),
  );
  const draw = (): void => {
    const wanted = search.value.trim().toLowerCase();
    const found = rows.filter((row) => `${row.id} ${row.scenario.id} ${row.text ?? ""}`.toLowerCase().includes(wanted));
    if (sorted) {
      const by = COLUMNS[sorted.column]!.sort!;
      const sign = sorted.descending ? -1 : 1;
      found.sort((x, y) => sign * (by(x) - by(y)));
    }
    head.forEach((cell, k) => {
      if (sorted?.column === k) cell.setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    fill(
      body,
      found.slice(0, shown).map((row) =>
        element(
          "tr",
          {},
          element(
            "th",
            { scope: "row" },
            button("link", () => onChoose(row), idText(row.id)),
            row.text === undefined ? null : element("details", {}, element("summary", {}, "text"), row.text),
          ),
          element("td", {}, idText(row.scenario.id)),
          element("td", { class: "number" }, wholePercent(row.typical)),
          element("td", { class: "number" }, decimals(row.difficulty)),
          element("td", { class: "number" }, decimals(row.discrimination)),
        ),
      ),
    );
    fill(
      state,
      wanted === ""
        ? `${counted(rows.length, "item")}, in the order in which they are asked.`
        : `${found.length} of ${counted(rows.length, "item")}.`,
    );
    more.hidden = found.length <= shown;
  };
  draw();
  return [
    element("div", { class: "field" }, element("label", { for: id }, "Search"), search),
    state,
    scrolling(
      "Items to ask",
      element(
        "table",
        {},
        element("caption", { class: "unseen" }, "Items to ask; choose one to see its curve"),
        element("thead", {}, element("tr", {}, head)),
        body,
      ),
      "tall",
    ),
    more,
  ];
}

/** The item's curve: probability of a right answer from weak models to strong ones. */
function curveOf({ id, scenario, index }: Row, path: AbilityPath): Child {
  const values = itemCurve(scenario, index, path).map((share) => 100 * share);
  return figure(
    [
      "Probability of a right answer to ",
      idText(id),
      ", by the strength of the model. The steeper the curve, the better the item separates models there. Choose another item in the list.",
    ],
    drawn(
      curvesChart(path.scores, [{ label: id, values, strong: true }], {
        description: `Probability of a right answer to ${id}: ${Math.round(values[20]!)} % for weak models, ${Math.round(values[40]!)} % for typical ones, ${Math.round(values[60]!)} % for strong ones.`,
        label: "right answers, %",
        domain: [0, 100],
        width: Math.min(480, wideChart()),
      }),
    ),
  );
}

/** Information of each form, from weak models to strong ones. */
function information(
  forms: readonly string[],
  scenario: BundleScenario,
  chosen: string,
  path: AbilityPath,
): HTMLElement {
  const list = forms.map((form) => ({
    label: form,
    values: formInformation(scenario, form, path),
    strong: form === chosen,
  }));
  const [, highest] = extent(list.flatMap(({ values }) => values));
  const best = list.find(({ strong }) => strong)!.values;
  const at = path.scores[best.indexOf(extent(best)[1])]!;
  return figure(
    [
      element("strong", {}, idText(scenario.id)),
      ": information of each form’s answers about a model’s ability, by the strength of the model. Where it is high, few answers are needed.",
    ],
    drawn(
      curvesChart(path.scores, list, {
        description: `${scenario.id}: information of the answers to form ${chosen} is highest for models with a score of about ${Math.round(100 * at)} points.`,
        label: "information, logit⁻²",
        domain: [0, 1.12 * highest || 1],
        width: wideChart(),
      }),
    ),
  );
}
