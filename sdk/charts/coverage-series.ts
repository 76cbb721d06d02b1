import type { MeasuredErrors } from "../core/bundle/manifest.ts";
import { coverageInterval } from "./coverage-interval.ts";
import { formTotals, type MeasuredManifest } from "./measured-forms.ts";

/** The coverage measured on one kind of held-out models, with one form and one kind of evidence. Shares. */
export interface CoveragePoint {
  readonly split: keyof MeasuredErrors;
  /** What the score rests on; or beside it, where that is all scenarios' answers, a scenario's own alone. */
  readonly evidence: "served" | "alone";
  /** Place of the form among the series'. */
  readonly place: number;
  readonly models: number;
  readonly coverage: number;
  /** Where the coverage may lie, for as many models ({@link coverageInterval}). */
  readonly low: number;
  readonly high: number;
}

/** A scenario's coverage, or the overall score's, in every form that doesn't ask it whole. */
export interface CoverageSeries {
  readonly id: string;
  /** Items that each form asks. */
  readonly items: readonly number[];
  readonly points: readonly CoveragePoint[];
}

const SPLITS = ["interpolation", "extrapolation"] as const;

/** Coverage by scenario, the overall score's first; those where none is measured are left out. */
export function coverageSeries(manifest: MeasuredManifest): CoverageSeries[] {
  const forms = manifest.forms.filter(({ disjointFrom }) => disjointFrom === undefined);
  const overall = forms.flatMap((form) => {
    const { items, whole } = formTotals(form);
    if (form.overall === null || whole) return [];
    return [{ items, measured: [["served", form.overall.measured] as const] }];
  });
  const single = manifest.scenarios.map(({ id }) => ({
    id,
    sizes: forms.flatMap((form) => {
      const { items, whole, measured, together } = form.scenarios[id]!;
      if (whole) return [];
      const alone = [together ? "alone" : "served", measured] as const;
      return [{ items, measured: together ? [["served", together.measured] as const, alone] : [alone] }];
    }),
  }));
  return [{ id: "overall", sizes: overall }, ...single]
    .map(({ id, sizes }) => ({
      id,
      items: sizes.map(({ items }) => items),
      points: sizes.flatMap(({ measured }, place) =>
        measured.flatMap(([evidence, errors]) => pointsOf(evidence, place, errors)),
      ),
    }))
    .filter(({ points }) => points.length > 0);
}

function pointsOf(evidence: CoveragePoint["evidence"], place: number, errors: MeasuredErrors): CoveragePoint[] {
  return SPLITS.flatMap((split): CoveragePoint[] => {
    const own = errors[split];
    if (own === null || own.coverage95 === null) return [];
    return [{ split, evidence, place, models: own.models, coverage: own.coverage95, ...coverageInterval(own)! }];
  });
}
