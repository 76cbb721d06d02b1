import { servedBlend, type FormManifest, type Manifest, type MeasuredErrors } from "anchoreval/bundle";

/** A form of one scenario, or of all together, with its measured errors. */
export interface MeasuredForm {
  readonly form: FormManifest;
  readonly items: number;
  /** Every item is asked: the score is exact. */
  readonly whole: boolean;
  readonly measured: MeasuredErrors | null;
}

/** The forms of one scenario, or of all together (`overall`). */
export interface MeasuredScenario {
  readonly id: string;
  readonly of: number;
  readonly forms: readonly MeasuredForm[];
}

/** Items that a form asks, over all scenarios, and whether that is everything. */
export function formTotals({ scenarios }: FormManifest): { items: number; whole: boolean } {
  const parts = Object.values(scenarios);
  return { items: parts.reduce((sum, { items }) => sum + items, 0), whole: parts.every(({ whole }) => whole) };
}

/** Items of the benchmark. */
export function itemTotal({ scenarios }: Manifest): number {
  return scenarios.reduce((sum, { items }) => sum + items, 0);
}

/** Measured errors by scenario; where there are several, the overall score's first. */
export function measuredScenarios(manifest: Manifest): MeasuredScenario[] {
  const { forms, scenarios } = manifest;
  const single = scenarios.map(({ id, items }): MeasuredScenario => ({
    id,
    of: items,
    forms: forms.map((form): MeasuredForm => ({
      form,
      items: form.scenarios[id]!.items,
      whole: form.scenarios[id]!.whole,
      measured: servedBlend(form.scenarios[id]!).measured,
    })),
  }));
  if (scenarios.length === 1) return single;
  const overall = forms.map((form): MeasuredForm => ({
    form,
    ...formTotals(form),
    measured: form.overall?.measured ?? null,
  }));
  return [{ id: "overall", of: itemTotal(manifest), forms: overall }, ...single];
}

/** Those forms of a scenario that are one a size, ask not all items and have an error to show. */
export function comparableForms({ forms }: MeasuredScenario): MeasuredForm[] {
  return forms.filter(
    ({ form, whole, measured }) => !whole && form.disjointFrom === undefined && measured?.interpolation,
  );
}
