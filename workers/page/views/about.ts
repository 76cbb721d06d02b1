import type { BundleFileName, Manifest } from "anchoreval/bundle";
import { extent } from "anchoreval/internal/charts/chart";
import { formTotals, itemTotal, measuredScenarios, type MeasuredForm } from "anchoreval/internal/charts/measured-forms";
import { sourceStripChart } from "anchoreval/internal/charts/source-strip";
import { ERROR_LEVELS } from "anchoreval/internal/core/bundle/names";
import { estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { errorWords } from "anchoreval/internal/words/bundle-words";
import { count, counted, listed, points, wholePercent } from "anchoreval/internal/words/figures";
import { INTERVAL_MEANING } from "anchoreval/internal/words/result-words";
import { coverage, drawn, errorBySize, figure, panels } from "../charts.ts";
import { type Child, download, element, fill, idText, paragraph, code, button } from "../dom.ts";
import { bytesText, facts, section, table, tiles } from "../parts/content.ts";
import { problem } from "../parts/problem.ts";
import { bundleHref } from "../route.ts";
import type { BundlePage } from "../session.ts";

const LEVEL_95 = ERROR_LEVELS.indexOf(0.95);

/** A bundle in plain words, with its measured errors. */
export function aboutTab(page: BundlePage): Child {
  const { bundle, route } = page;
  const { manifest } = bundle;
  const scenarios = measuredScenarios(manifest);
  const errors = errorBySize(scenarios);
  const intervals = coverage(manifest);
  return [
    summary(manifest),
    paragraph(
      "actions",
      element("a", { class: "button", href: bundleHref(route.place, "score") }, "Score a model"),
      element("a", { class: "button quiet", href: bundleHref(route.place, "items") }, "See the items to ask"),
    ),
    paragraph("meaning", element("strong", {}, "What an interval means. "), INTERVAL_MEANING),
    section(
      "How accurate is it?",
      element("p", {}, "Errors in points, measured on models that were held out of every step."),
      errorsTable(manifest, scenarios),
      errors ?? paragraph("missing", "Not measured: there are too few models to hold any out."),
    ),
    section(
      "Do the intervals hold?",
      intervals ?? paragraph("missing", "Not measured: this needs at least 20 held-out models."),
    ),
    section(
      "Which models is it for?",
      figure(
        `The ${counted(manifest.sources.models, "model")} that the bundle was fitted on, each a dot at its score on all items. Scores of similar models are the most certain. The tinted part on the right is stronger than any of them: there, the errors of stronger models apply.`,
        panels(
          [...bundle.scenarios.values()].map(({ id, sourceScores }) => ({
            title: idText(id),
            note: `${extent(sourceScores).map(points).join(" to ")} points`,
            draw: () => drawn(sourceStripChart(id, sourceScores)),
          })),
        ),
      ),
    ),
    section("How it was made", settings(page)),
  ];
}

function summary(manifest: Manifest): Child {
  const { benchmark, benchmarkVersion, forms, scenarios, sources, defaultForm } = manifest;
  const form = forms.find(({ id }) => id === defaultForm)!;
  const others = forms.filter(({ id }) => id !== defaultForm).map(({ id }) => id);
  const own = measuredScenarios(manifest)[0]!.forms.find((candidate) => candidate.form.id === defaultForm)!;
  return [
    paragraph(
      "lead",
      `This bundle estimates what a language model would score on all ${counted(itemTotal(manifest), "item")} of `,
      idText(benchmark),
      benchmarkVersion === null ? "" : ` (version ${benchmarkVersion} of the benchmark)`,
      scenarios.length > 1 ? ` in ${counted(scenarios.length, "scenario")}` : "",
      ` from its answers to ${count(formTotals(form).items)} of them (form ${defaultForm}${others.length === 0 ? "" : `; other forms: ${listed(others)}`}). The answers of ${counted(sources.models, "model")} taught it how hard the items are and how well each separates strong models from weak ones.`,
    ),
    tiles(tileEntries(manifest, own)),
  ];
}

function tileEntries(manifest: Manifest, { form, items, whole, measured }: MeasuredForm): [string, string, string][] {
  const asked: [string, string, string] = ["items asked", count(items), `of ${count(itemTotal(manifest))}`];
  if (whole) return [asked, ["error", "none", "every item is asked"]];
  const errors = measured?.interpolation ?? null;
  const within = errors?.absoluteError[LEVEL_95] ?? null;
  const figure = (value: number | null): string => (value === null ? "–" : points(value));
  return [
    asked,
    ["typical error", figure(errors && estimatorFigure(errors.estimators, form.estimator).mae), "points"],
    ["95 % within", figure(within), "points"],
    ["error of as many random items", figure(errors && errors.randomMae), "points"],
  ];
}

function errorsTable(manifest: Manifest, scenarios: ReturnType<typeof measuredScenarios>): Child {
  const rows = scenarios.flatMap(({ id, forms }) =>
    forms.map(({ form, items, whole, measured }): Child[] => {
      const like = measured?.interpolation ?? null;
      const stronger = measured?.extrapolation ?? null;
      const cell = (value: number | null | undefined, words: (value: number) => string): string =>
        whole ? "exact" : value === null || value === undefined ? "–" : words(value);
      const name = form.id === manifest.defaultForm ? element("strong", {}, form.id) : form.id;
      return [
        idText(id),
        name,
        count(items),
        cell(like && estimatorFigure(like.estimators, form.estimator).mae, points),
        cell(like?.absoluteError[LEVEL_95], points),
        cell(like?.randomMae, points),
        cell(like?.coverage95, wholePercent),
        cell(stronger && estimatorFigure(stronger.estimators, form.estimator).mae, points),
      ];
    }),
  );
  return [
    table(
      "Errors by scenario and form, in points",
      [
        { title: "scenario" },
        { title: "form" },
        { title: "items", number: true },
        { title: "typical error", number: true },
        { title: "95 % within", number: true },
        { title: "random items", number: true },
        { title: "coverage", number: true },
        { title: "stronger models", number: true },
      ],
      rows,
    ),
    paragraph(
      "hint",
      "Coverage: share of 95 % intervals that contain the true score. Stronger models: typical error of models stronger than any source model. “–” is not measured. The default form is in bold.",
    ),
    element(
      "details",
      {},
      element("summary", {}, "The same in words"),
      element(
        "ul",
        {},
        scenarios.flatMap(({ id, forms }) =>
          forms
            .filter(({ whole, measured }) => !whole && measured !== null)
            .map(({ form, items, measured }) =>
              element("li", {}, idText(id), `, ${items} items: ${errorWords(measured!, form.estimator)}.`),
            ),
        ),
      ),
    ),
  ];
}

function settings({ bundle, route, session }: BundlePage): Child {
  const { manifest, digest } = bundle;
  const failed = element("div");
  const keep = async (name: BundleFileName): Promise<void> => {
    try {
      download(await session.file(route.place, bundle, name), `${manifest.benchmark}-${manifest.version}-${name}`);
      fill(failed);
    } catch (error) {
      fill(failed, problem(error));
    }
  };
  const names: readonly { readonly name: string; readonly bytes: number | null }[] = [
    { name: "manifest.json", bytes: null },
    ...manifest.files,
  ];
  const protocol = Object.entries(manifest.protocol).filter(([key]) => !key.includes("/"));
  return [
    facts([
      ["created", manifest.created],
      ["fitted on", counted(manifest.sources.models, "model")],
      ["licence of the data", manifest.data.licence ?? "not stated"],
      ["source of the data", manifest.data.source ?? "not stated"],
      ["weighs the same", manifest.weighting === "items" ? "every item" : "every subscenario"],
      ...protocol.map(([key, value]) => [key, String(value)] as const),
      ["digest", code(digest)],
    ]),
    element("h3", {}, "Files"),
    element(
      "ul",
      { class: "files" },
      names.map(({ name, bytes }) =>
        element(
          "li",
          {},
          button("link", () => void keep(name as BundleFileName), name),
          bytes === null ? null : ` ${bytesText(bytes)}`,
        ),
      ),
    ),
    failed,
  ];
}
