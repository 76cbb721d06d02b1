import {
  formFigures,
  formTotals,
  measuredScenarios,
  type MeasuredForm,
  type MeasuredScenario,
  typicalError,
} from "anchoreval/internal/words/measured-forms";
import type { Manifest } from "anchoreval/internal/core/bundle/manifest";
import { FACTS } from "anchoreval/internal/features/sdk-facts";
import { listed, points, textTable } from "anchoreval/internal/words/figures";

/*
 * A bundle in tables, as `show` and `fit` print it. Every heading and label is a term of docs/glossary.md.
 */

export type Fact = readonly [label: string, text: string];

export function factLines(facts: readonly Fact[]): string[] {
  return textTable(facts, "ll");
}

const NONE = "–";

/**
 * Measured errors by form and scenario in points, and at most three sentences on them.
 * @param most - scenarios that are listed; of more, those with the smallest, the median and the largest error
 */
export function errorLines(manifest: Manifest, { most = Infinity }: { readonly most?: number } = {}): string[] {
  const scenarios = measuredScenarios(manifest);
  const brief = manifest.scenarios.length > most;
  const rows = manifest.forms.flatMap((form, f) => {
    const errors = scenarios.map((scenario) => ({ id: scenario.id, ...scenario.forms[f]! }));
    const shown = (brief ? errorRange(errors) : errors).filter(
      ({ id, measured }) => id !== "overall" || measured !== null,
    );
    const name = form.id === manifest.defaultForm && manifest.forms.length > 1 ? `${form.id} (default)` : form.id;
    return shown.map((row, k) => [k === 0 ? name : "", ...errorRow(row)]);
  });
  const heading = ["typical error", "95 % within", "random items", "stronger models", "coverage", "half-width"];
  return [
    ...textTable([["form", "scenario", "items", ...heading], ...rows], "llrrrrrrr"),
    "",
    ...errorNotes(scenarios, manifest),
    ...(brief ? ["anchoreval show lists every scenario."] : []),
  ];
}

interface ErrorRow extends MeasuredForm {
  readonly id: string;
}

/** The overall score, and the scenarios with the smallest, the median and the largest error. */
function errorRange(rows: readonly ErrorRow[]): ErrorRow[] {
  const overall = rows.filter(({ id }) => id === "overall");
  const sorted = rows
    .filter((row) => row.id !== "overall" && !row.whole && typicalError(row) !== null)
    .sort((left, right) => typicalError(left)! - typicalError(right)!);
  const named: ErrorRow[] = (["smallest", "median", "largest"] as const).flatMap((name, k) => {
    const row = sorted[Math.round((k / 2) * (sorted.length - 1))];
    return row ? [{ ...row, id: `${name}: ${row.id}` }] : [];
  });
  return [...overall, ...named];
}

function errorRow(row: ErrorRow): string[] {
  const { items, whole, typical, within95, random, stronger, coverage95, halfWidth95 } = formFigures(row);
  if (whole) return [row.id, String(items), "exact", "", "", "", "", ""];
  const figure = (value: number | null): string => (value === null ? NONE : points(value));
  const coverage = coverage95 === null ? NONE : `${points(coverage95)} %`;
  return [row.id, String(items), ...[typical, within95, random, stronger].map(figure), coverage, figure(halfWidth95)];
}

/** Sentences on the models that errors were measured on, and on forms that gain nothing. */
function errorNotes(scenarios: readonly MeasuredScenario[], { sources }: Manifest): string[] {
  const rows = scenarios.flatMap(({ id, forms }) => forms.map((measured) => ({ id, ...measured })));
  const counts = rows.flatMap(({ whole, measured }) => (whole ? [] : (measured?.interpolation?.models ?? [])));
  if (rows.every(({ whole }) => whole)) return ["Every item is asked, so the score is exact."];
  if (counts.length === 0)
    return [
      `Errors are not measured: of ${sources.models} models, too few have answered enough, and not alike, to be held out.`,
    ];
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const answered = rows.flatMap(({ whole, measured }) => (whole ? [] : (measured?.interpolation?.answered ?? [])));
  const missing = rows.some((row) => errorRow(row).includes(NONE)) ? `; ${NONE}: too few models to measure it` : "";
  const worse = rows.filter((row) => {
    const random = row.measured?.interpolation?.randomMae ?? 0;
    return !row.whole && random > 0 && typicalError(row)! >= random;
  });
  const named = worse.slice(0, 3).map(({ id, form }) => `form ${form.id} of ${id}`);
  const more = worse.length > 3 ? [`${worse.length - 3} more`] : [];
  return [
    `Errors in points, measured on ${least === most ? "" : `${least} to `}${most} held-out models${missing}.`,
    ...(answered.length > 0
      ? [
          `They answered ${Math.round(100 * Math.min(...answered))} % of the anchors or more: with all, errors are smaller.`,
        ]
      : []),
    ...(worse.length > 0 ? [`No better than as many random items: ${listed([...named, ...more])}.`] : []),
  ];
}

export function formLines({ forms, defaultForm }: Manifest): string[] {
  const second = forms.some(({ disjointFrom }) => disjointFrom !== undefined);
  const rows = forms.map((form) => [
    form.id === defaultForm ? `${form.id} (default)` : form.id,
    String(formTotals(form).items),
    form.selection,
    form.estimator,
    ...(second ? [form.disjointFrom ?? ""] : []),
  ]);
  return textTable(
    [["form", "anchors", "selection", "estimator", ...(second ? ["second form of"] : [])], ...rows],
    "lrlll",
  );
}

/** Facts of a bundle's additions: full scores on other items, an earlier version's scale, prices, and so on. */
export function additionFacts(manifest: Manifest): Fact[] {
  return FACTS.flatMap((factsOf) => factsOf(manifest)).map(({ label, value }): Fact => [label, value]);
}
