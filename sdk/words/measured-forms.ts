import { servedBlend } from "../core/bundle/bundle.ts";
import type { FormManifest, Manifest, MeasuredErrors } from "../core/bundle/manifest.ts";
import { estimatorFigure } from "../core/estimators/types.ts";
import { ERROR_LEVELS, lookUp } from "../core/bundle/names.ts";

/** The part of a manifest that charts of errors read; a bundle that isn't encoded yet has it, too. */
export interface MeasuredManifest extends Pick<Manifest, "scenarios"> {
  readonly forms: readonly Omit<FormManifest, "digest">[];
}

/** A form of one scenario, or of all together, with its measured errors. */
export interface MeasuredForm {
  readonly form: MeasuredManifest["forms"][number];
  readonly items: number;
  /** Every item is asked: the score is exact. */
  readonly whole: boolean;
  /** Errors of what is served: of all scenarios together, where they are estimated so. */
  readonly measured: MeasuredErrors | null;
}

export interface MeasuredScenario {
  readonly id: string;
  readonly of: number;
  readonly forms: readonly MeasuredForm[];
}

/** Items that a form asks, over all scenarios, and whether that is everything. */
export function formTotals({ scenarios }: Pick<FormManifest, "scenarios">): { items: number; whole: boolean } {
  const parts = Object.values(scenarios);
  return { items: parts.reduce((sum, { items }) => sum + items, 0), whole: parts.every(({ whole }) => whole) };
}

export function itemTotal({ scenarios }: Pick<Manifest, "scenarios">): number {
  return scenarios.reduce((sum, { items }) => sum + items, 0);
}

/**
 * Measured errors by scenario; where there are several, the overall score's first.
 * @example
 * const [overall] = measuredScenarios(bundle.manifest);
 * for (const { items, measured } of comparableForms(overall!)) console.log(items, measured!.interpolation!.randomMae);
 */
export function measuredScenarios(manifest: MeasuredManifest): MeasuredScenario[] {
  const { forms, scenarios } = manifest;
  const single = scenarios.map(({ id, items }): MeasuredScenario => ({
    id,
    of: items,
    forms: forms.map((form): MeasuredForm => {
      const part = lookUp(form.scenarios, id)!;
      return { form, items: part.items, whole: part.whole, measured: servedBlend(part).measured };
    }),
  }));
  if (scenarios.length === 1) return single;
  const overall = forms.map((form): MeasuredForm => ({
    form,
    ...formTotals(form),
    measured: form.overall?.measured ?? null,
  }));
  return [{ id: "overall", of: itemTotal(manifest), forms: overall }, ...single];
}

/** The mean absolute error of the score that a form serves, as a fraction; null where it isn't measured. */
export function typicalError(
  { form, measured }: MeasuredForm,
  split: keyof MeasuredErrors = "interpolation",
): number | null {
  const errors = measured?.[split];
  return errors ? estimatorFigure(errors.estimators, form.estimator).mae : null;
}

const LEVEL_95 = ERROR_LEVELS.indexOf(0.95);
/** Held-out models below which a 95th percentile says nothing: below 19 there is none. */
const LEAST_MODELS = 20;

/** A form's errors on held-out models: fractions, each null where it isn't measured. */
export function formFigures(form: MeasuredForm) {
  const like = form.measured?.interpolation ?? null;
  return {
    items: form.items,
    whole: form.whole,
    /** {@link typicalError} of models like those seen. */
    typical: typicalError(form),
    /** 95 % of their errors are at most this. */
    within95: (like && like.models >= LEAST_MODELS ? like.absoluteError[LEVEL_95] : null) ?? null,
    /** Mean absolute error of as many random items. */
    random: like?.randomMae ?? null,
    /** {@link typicalError} of models stronger than any seen. */
    stronger: typicalError(form, "extrapolation"),
    /** Share of the 95 % intervals that hold the true score, and half of their width. */
    coverage95: like?.coverage95 ?? null,
    halfWidth95: like?.halfWidth95 ?? null,
  };
}

/** Items after which a bundle's error is told where it has a line to itself: about as many as people ask first. */
export const LISTED_ITEMS = 50;

/**
 * The form whose error is told where a bundle has a line to itself: that of exactly {@link LISTED_ITEMS} items over all
 * scenarios; where there is none, the default form.
 */
export function listedForm(manifest: Pick<Manifest, "scenarios" | "forms" | "defaultForm">): MeasuredForm {
  const { forms } = measuredScenarios(manifest)[0]!;
  return (
    forms.find(({ items }) => items === LISTED_ITEMS) ?? forms.find(({ form }) => form.id === manifest.defaultForm)!
  );
}

/** Whether a form isn't a second one beside another, nor drawn in another way than most: there is one a size. */
export function isOneOfItsSize(
  { disjointFrom, selection }: MeasuredForm["form"],
  [first]: MeasuredManifest["forms"],
): boolean {
  return disjointFrom === undefined && selection === first!.selection;
}

/** Those forms of a scenario that are one a size, ask not all items and have an error to show. */
export function comparableForms(
  { forms }: MeasuredScenario,
  split: keyof MeasuredErrors = "interpolation",
): MeasuredForm[] {
  const all = forms.map(({ form }) => form);
  return forms.filter(({ form, whole, measured }) => !whole && isOneOfItsSize(form, all) && measured?.[split]);
}
