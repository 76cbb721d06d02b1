import { type BundleScenario, itemWeights } from "../core/bundle/bundle.ts";
import type { FormManifest, Manifest, MeasuredErrors, SplitErrors } from "../core/bundle/manifest.ts";
import { lookUp } from "../core/bundle/names.ts";
import { type EstimatorId, estimatorFigure } from "../core/estimators/types.ts";
import { normalCdf } from "../core/numeric/distributions.ts";
import { count, counted, listed, points } from "./figures.ts";
import { itemTotal } from "./measured-forms.ts";

/** Something that a bundle says of itself, for people. Labels are terms of docs/glossary.md. */
export interface BundleFact {
  readonly label: string;
  readonly value: string;
  readonly unit?: string;
}

/** Where the maker of a bundle said nothing. */
export const NOT_STATED = "not stated";

/**
 * The facts of a manifest but for its forms and their errors, in the order in which they are shown.
 * @example for (const { label, value } of bundleFacts(bundle.manifest)) console.log(label, value);
 */
export function bundleFacts(
  manifest: Pick<Manifest, "benchmarkVersion" | "created" | "sources" | "weighting" | "data" | "protocol"> &
    Parameters<typeof answerCheckWords>[0],
): BundleFact[] {
  const { benchmarkVersion, created, sources, weighting, data, protocol } = manifest;
  const settings = Object.entries(protocol).filter(([key]) => !key.includes("/"));
  const answerCheck = answerCheckWords(manifest);
  return [
    ...(benchmarkVersion === null ? [] : [{ label: "benchmark version", value: benchmarkVersion }]),
    { label: "created", value: created.split("T")[0]! },
    { label: "source models", value: [sources.models, ...(sources.note === null ? [] : [sources.note])].join(", ") },
    { label: "items", value: String(itemTotal(manifest)) },
    { label: "weighting", value: `each ${weighting === "items" ? "item" : "subscenario"} counts the same` },
    { label: "licence", value: data.licence ?? NOT_STATED },
    { label: "source", value: data.source ?? NOT_STATED },
    ...(settings.length === 0
      ? []
      : [{ label: "protocol", value: settings.map(([key, value]) => `${key} ${String(value)}`).join(", ") }]),
    ...(answerCheck === null ? [] : [{ label: "answer check", value: answerCheck }]),
  ];
}

/** Items, models, and the note on them. @example "3504 items in 5 scenarios, 83 models, newest of 2024-05" */
export function sizeWords(manifest: Pick<Manifest, "scenarios" | "sources">): string {
  const { scenarios, sources } = manifest;
  const items = counted(itemTotal(manifest), "item");
  return [
    scenarios.length === 1 ? items : `${items} in ${scenarios.length} scenarios`,
    counted(sources.models, "model"),
    ...(sources.note === null ? [] : [sources.note]),
  ].join(", ");
}

/**
 * A form in a few figures.
 * @param form - `formFigures` of it @param of - items of its scenarios @param score - which score its errors are of, where there are several
 */
export function headlineFacts(
  { items, whole, typical, within95, random }: Headline,
  of: number,
  score = "",
): BundleFact[] {
  const asked = { label: "items asked", value: count(items), unit: `of ${count(of)}` };
  if (whole) return [asked, { label: `error${score}`, value: "none", unit: "every item is asked" }];
  const fact = (label: string, value: number | null): BundleFact => ({
    label,
    value: value === null ? "–" : points(value),
    unit: "points",
  });
  return [
    asked,
    fact(`typical error${score}`, typical),
    fact("95 % within", within95),
    fact("typical error of as many random items", random),
  ];
}

interface Headline extends Readonly<Record<"typical" | "within95" | "random", number | null>> {
  readonly items: number;
  readonly whole: boolean;
}

/** Measured errors in words, in points. */
export function errorWords({ interpolation, extrapolation }: MeasuredErrors, estimator: EstimatorId): string {
  if (interpolation === null && extrapolation === null) return "the error was not measured: too few models";
  return [
    ...(interpolation ? [splitText(interpolation, estimator)] : []),
    ...(extrapolation
      ? [`models stronger than any seen: ${points(estimatorFigure(extrapolation.estimators, estimator).mae)}`]
      : []),
  ].join("; ");
}

function splitText(
  { estimators, randomMae, coverage95, halfWidth95, ...held }: SplitErrors,
  estimator: EstimatorId,
): string {
  const { mae } = estimatorFigure(estimators, estimator);
  const random = points(randomMae);
  // Zero = not compared.
  const against =
    randomMae === 0
      ? ""
      : mae < randomMae
        ? ` (as many random items: ${random})`
        : ` (no better than as many random items: ${random})`;
  const coverage =
    coverage95 === null
      ? "coverage not measured"
      : `95 % intervals held ${points(coverage95)} %${halfWidth95 === null ? "" : `, ± ${points(halfWidth95)}`}`;
  return `typical error ${points(mae)} points over ${held.models} held-out models${answeredWords(held)}${against}; ${coverage}`;
}

/** The share of the anchors that held-out models answered, where source models lack answers: errors with all are smaller. */
export function answeredWords({ answered }: Pick<SplitErrors, "answered">): string {
  return answered === undefined ? "" : ` that answered ${Math.round(100 * answered)} % of the anchors`;
}

/** Chance of scores that spread as far though no model is better than another, above which nothing is known of them. */
const NOISE = 0.01;

/**
 * Scenarios whose source models' scores spread no further than chance would make them: a sentence each. M scores with
 * mean s̄ of items of weight w have a variance of s̄(1 − s̄)·Σw² at most where no model is better than another; (M − 1) times
 * the ratio to it is χ² with M − 1 degrees of freedom (by Wilson and Hilferty's cube root).
 * @param fitted - the manifest's scenarios with their source models' scores, in [0,1]
 */
export function noiseWords(
  { scenarios, weighting }: Pick<Manifest, "scenarios" | "weighting">,
  fitted: Iterable<Pick<BundleScenario, "sourceScores">>,
): string[] {
  return Array.from(fitted).flatMap(({ sourceScores }, s) => {
    const scenario = scenarios[s]!;
    const scores = Array.from(sourceScores);
    const degrees = scores.length - 1;
    if (degrees < 1 || scenario.fullScore !== undefined) return [];
    const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const squares = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0);
    const weights = itemWeights(scenario, weighting).reduce((sum, weight) => sum + weight ** 2, 0);
    const ratio = squares / (degrees * mean * (1 - mean) * weights);
    const spread = 2 / (9 * degrees);
    if (normalCdf((1 - spread - Math.cbrt(ratio)) / Math.sqrt(spread)) < NOISE) return [];
    return [
      `${scenario.id}: the ${scores.length} source models' scores spread no further than chance would make them on ${scenario.items} items: which of them is better isn't known, and an estimate says little but their mean.`,
    ];
  });
}

/**
 * That answers are checked against difficulty alone, where too few models were held out to tell which patterns are odd; null
 * where all scenarios of the default form have thresholds. The powers are those of docs/decisions/intervals.md.
 */
export function answerCheckWords({
  defaultForm,
  forms,
  scenarios,
}: Pick<Manifest, "defaultForm" | "scenarios"> & {
  readonly forms: readonly Pick<FormManifest, "id" | "scenarios">[];
}): string | null {
  const form = forms.find(({ id }) => id === defaultForm)!;
  const loose = scenarios.filter(({ id }) => lookUp(form.scenarios, id)?.pattern == null).map(({ id }) => id);
  if (loose.length === 0) return null;
  const where = loose.length === scenarios.length ? "" : ` in ${listed(loose)}`;
  return `loose${where}, as fewer than 49 models could be held out: right and wrong answers against the items' difficulty alone. Of 50 answers that are to the wrong items 7 in 10 are found, of coin flips 8 in 10; memorised ones aren't looked for`;
}
