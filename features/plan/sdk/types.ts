import type { Integer } from "../../../sdk/estimate/types.ts";

/**
 * Where figures come from. `measured`: on held-out models, with this form. `between`: smoothed over the bundle's forms, of
 * which some have no more items, some no fewer. `beyond`: by forms that are all smaller, or all larger: an extrapolation.
 * `predicted`: half-widths weren't measured, and are those of as many random items; nor may errors be, for which the response
 * model's curves stand in.
 */
export type PlanBasis = "measured" | "between" | "beyond" | "predicted";

/** The precision that the items must reach. */
export interface PlanOptions {
  /** Half-width that the intervals of nine models in ten shall have at most, a fraction in (0,1). */
  readonly halfWidth?: number;
  /** True gap between two models that shall be ranked right, a fraction in (0,1). Not together with `halfWidth`. */
  readonly gap?: number;
  /** Confidence level of the intervals, in (0,1). @default 0.95 */
  readonly level?: number;
  /** How often the gap shall be ranked right, in (½,1). @default 0.8 */
  readonly rankedRight?: number;
}

/** The precision of a number of items. */
export interface Precision {
  /** Items asked. */
  readonly items: Integer;
  readonly of: Integer;
  /**
   * Half-width that the intervals of nine in ten models like the sources have at most, as held-out ones had, a fraction; 0
   * where every item is asked.
   */
  readonly halfWidth: number;
  /** Smallest true gap of two models that is ranked right as often as wanted (MDAD at 0.8), a fraction. */
  readonly gap: number;
  readonly basis: PlanBasis;
}

/** Precision overall and in every scenario. */
export interface PlannedForm {
  /** The form that it is; null for one that the bundle hasn't. */
  readonly form: string | null;
  readonly overall: Precision;
  readonly scenarios: Readonly<Record<string, Precision>>;
}

/** The result of `planFromBundle` and of `anchoreval plan`. */
export interface Plan {
  readonly benchmark: string;
  readonly version: string;
  readonly level: number;
  readonly rankedRight: number;
  /** The bundle's forms with their precision, the smallest first. */
  readonly forms: readonly PlannedForm[];
  /** The precision asked for; null where none was. */
  readonly wanted: { readonly halfWidth: number } | { readonly gap: number } | null;
  /** Items that it takes: overall, with every scenario's number in the proportion of the default form's; and for each scenario alone. */
  readonly needed: PlannedForm | null;
  /** The smallest of the bundle's forms that is enough overall. */
  readonly enough: string | null;
}
