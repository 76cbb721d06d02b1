import type { BundleFileName, Manifest } from "anchoreval/bundle";
import { extent, sourceStripChart } from "anchoreval/internal/features/sdk-page";
import {
  formFigures,
  itemTotal,
  type MeasuredForm,
  type MeasuredScenario,
  measuredScenarios,
} from "anchoreval/internal/words/measured-forms";
import { bundleFacts, errorWords, headlineFacts, noiseWords } from "anchoreval/internal/words/bundle-words";
import { count, counted, listed, points, wholePercent } from "anchoreval/internal/words/figures";
import { INTERVAL_MEANING } from "anchoreval/internal/words/result-words";
import { coverage, drawn, errorBySize, figure, panels } from "../parts/charts.ts";
import { bullets, button, type Child, details, download, element, fill, idText } from "../parts/dom.ts";
import { bytesText, numbers, section, table } from "../parts/content.ts";
import { cardContent } from "../parts/card.ts";
import { problem } from "../parts/problem.ts";
import { bundleHref } from "../parts/route.ts";
import type { BundlePage } from "../parts/session.ts";

export function aboutTab(page: BundlePage): Child {
  const { bundle, route } = page;
  const { manifest } = bundle;
  const scenarios = measuredScenarios(manifest);
  const errors = errorBySize(scenarios);
  const intervals = coverage(manifest);
  return [
    summary(manifest),
    element("p.actions", [
      element("a.button", { href: bundleHref(route.place, "score") }, "Score a model"),
      element("a.button.quiet", { href: bundleHref(route.place, "items") }, "See the items to ask"),
    ]),
    element("p.meaning", element("strong", "What an interval means. "), INTERVAL_MEANING),
    section("How accurate is it?", [
      element("p", "Errors in points, measured on models that were held out of every step."),
      errorsTable(manifest, scenarios),
      ...noiseWords(manifest, bundle.scenarios.values()).map((sentence) => element("p.missing", sentence)),
      errors ?? element("p.missing", "Not measured: there are too few models to hold any out."),
    ]),
    section(
      "Do the intervals hold?",
      intervals ?? element("p.missing", "Not measured: this needs at least 20 held-out models."),
    ),
    section("Which models is it for?", [
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
      modelNames(manifest),
    ]),
    section("How it was made", card(page), settings(page)),
  ];
}

/** The source models' names where the bundle has them; it doesn't say which score is whose. */
function modelNames({ sources: { names } }: Manifest): Child {
  if (names === null) return null;
  const sorted = [...names].sort((left, right) => left.localeCompare(right));
  return details(`Their names, ${names.length}`, bullets(sorted.map(idText)));
}

function card({ route, session }: BundlePage): Child {
  const content = element("div.card");
  void session.card(route.place).then(
    (text) => text !== null && fill(content, details("The bundle’s card", cardContent(text))),
    (error: unknown) => fill(content, problem(error)),
  );
  return content;
}

function summary(manifest: Manifest): Child {
  const { benchmark, benchmarkVersion, forms, scenarios, sources, defaultForm } = manifest;
  const others = forms.filter(({ id }) => id !== defaultForm).map(({ id }) => id);
  const shown = measuredScenarios(manifest)[0]!.forms.find(({ form }) => form.id === defaultForm)!;
  return [
    element("p.lead", [
      `This bundle estimates what a language model would score on all ${counted(itemTotal(manifest), "item")} of `,
      idText(benchmark),
      benchmarkVersion === null ? "" : ` (version ${benchmarkVersion} of the benchmark)`,
      scenarios.length > 1 ? ` in ${counted(scenarios.length, "scenario")}` : "",
      ` from its answers to ${count(shown.items)} of them (form ${defaultForm}${others.length === 0 ? "" : `; other forms: ${listed(others)}`}). The answers of ${counted(sources.models, "model")} taught it how hard the items are and how well each separates strong models from weak ones.`,
    ]),
    pairs(
      "dl.tiles",
      headlineFacts(formFigures(shown), itemTotal(manifest)).map(({ label, value, unit }) => [
        label,
        [value, element("small", ` ${unit!}`)],
      ]),
    ),
  ];
}

function pairs(kind: `dl.${string}`, entries: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return element(
    kind,
    entries.map(([name, value]) => element("div", element("dt", name), element("dd", value))),
  );
}

/** A form's errors in words: none if every item is asked, or if they aren't measured. */
function shownErrors(form: MeasuredForm) {
  const { whole, typical, within95, random, stronger, coverage95 } = formFigures(form);
  const shown = (value: number | null, words = points): string =>
    whole ? "exact" : value === null ? "–" : words(value);
  return {
    ...{ typical: shown(typical), within95: shown(within95), random: shown(random), stronger: shown(stronger) },
    coverage: shown(coverage95, wholePercent),
  };
}

const ERROR_COLUMNS = ["items", "typical error", "95 % within", "random items", "coverage", "stronger models"];

function errorsTable(manifest: Manifest, scenarios: readonly MeasuredScenario[]): Child {
  const all = scenarios.flatMap(({ id, forms }) => forms.map((form) => ({ id, form })));
  const rows = all.map(({ id, form }): Child[] => {
    const { typical, within95, random, coverage, stronger } = shownErrors(form);
    const name = form.form.id === manifest.defaultForm ? element("strong", form.form.id) : form.form.id;
    return [idText(id), name, count(form.items), typical, within95, random, coverage, stronger];
  });
  const measuredForms = all.filter(({ form: { whole, measured } }) => !whole && measured !== null);
  const words = measuredForms.map(({ id, form: { form, items, measured } }): Child => [
    idText(id),
    `, ${items} items: ${errorWords(measured!, form.estimator)}.`,
  ]);
  return [
    table("Errors by scenario and form, in points", ["scenario", "form", ...ERROR_COLUMNS.map(numbers)], rows),
    element(
      "p.hint",
      "Coverage: share of 95 % intervals that contain the true score. Stronger models: typical error of models stronger than any source model. “–” is not measured. The default form is in bold.",
    ),
    details("The same in words", bullets(words)),
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
  const link = (name: string): Child => button("link", name, () => void keep(name as BundleFileName));
  return [
    pairs("dl.facts", [
      ...bundleFacts(manifest).map(({ label, value }) => [label, value] as const),
      ["digest", element("code", digest)],
    ]),
    element("h3", "Files"),
    bullets(
      [link("manifest.json"), ...manifest.files.map(({ name, bytes }) => [link(name), ` ${bytesText(bytes)}`])],
      "ul.files",
    ),
    failed,
  ];
}
