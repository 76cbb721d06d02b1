import { AnchorEvalError } from "anchoreval/core";

/** A form that is asked for. Plain data, which can be sent to a thread. */
export interface FormPlan {
  readonly id: string;
  /** Anchors by scenario; one with no more items is asked whole. */
  readonly anchors: ReadonlyMap<string, number>;
  /** The form of as many anchors that it has none of. */
  readonly disjointFrom?: string;
}

interface Sized {
  readonly id: string;
  /** Items. */
  readonly count: number;
}

/** The form of as many anchors in every scenario; its id is their number. */
export function evenForm(size: number, scenarios: readonly { readonly id: string }[]): FormPlan {
  return { id: String(size), anchors: new Map(scenarios.map(({ id }) => [id, size])) };
}

/**
 * The form of exactly `total` anchors in all scenarios together, shared as evenly as whole numbers and the scenarios'
 * items allow; what is left over goes to the scenarios with the most items, of these to the last. Each total holds no less
 * of any scenario than a smaller one.
 * @throws AnchorEvalError `invalid_option` for fewer anchors than scenarios, or more than there are items
 * @example totalForm(10, scenarios).anchors // of four scenarios as large as one another: 2, 2, 3, 3
 */
export function totalForm(total: number, scenarios: readonly Sized[]): FormPlan {
  const items = scenarios.reduce((sum, { count }) => sum + count, 0);
  if (total < scenarios.length)
    throw new AnchorEvalError(
      "invalid_option",
      `--total is at least one anchor for each of the ${scenarios.length} scenarios; got ${total}`,
    );
  if (total > items)
    throw new AnchorEvalError("invalid_option", `--total is at most the ${items} items of all scenarios; got ${total}`);
  const shares = new Map<string, number>();
  let left = total;
  const ascending = [...scenarios].sort((x, y) => x.count - y.count);
  for (const [k, { id, count }] of ascending.entries()) {
    const share = Math.min(count, Math.floor(left / (ascending.length - k)));
    shares.set(id, share);
    left -= share;
  }
  return { id: `total-${total}`, anchors: new Map(scenarios.map(({ id }) => [id, shares.get(id)!])) };
}

/**
 * All forms of a fit, those that ask fewer items first: then each scenario's anchors are no fewer in a later one. A total
 * that asks as many of every scenario as a form per scenario is that form, and none beside it.
 * @param sizes - anchors per scenario, one form each
 * @param totals - anchors of all scenarios together, one form each
 * @throws AnchorEvalError `invalid_option` where there is none, or for sizes that are none
 */
export function formPlans(
  sizes: readonly number[],
  totals: readonly number[],
  scenarios: readonly Sized[],
): FormPlan[] {
  const wrong = [...sizes, ...totals].filter((n) => !Number.isInteger(n) || n < 1);
  if (sizes.length + totals.length === 0 || wrong.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `anchors are whole numbers of at least 1, got ${[...sizes, ...totals].join(", ")}`,
    );
  const asked = (form: FormPlan): number[] => scenarios.map((own) => Math.min(own.count, anchorsIn(form, own.id)));
  const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((x, y) => x - y);
  const even = ascending(sizes).map((size) => evenForm(size, scenarios));
  const known = new Set(even.map((form) => asked(form).join()));
  const shared = ascending(totals).map((total) => totalForm(total, scenarios));
  const total = (form: FormPlan): number => asked(form).reduce((sum, n) => sum + n, 0);
  return [...even, ...shared.filter((form) => !known.has(asked(form).join()))].sort((x, y) => total(x) - total(y));
}

/** Forms, and after all of them for each a second one of as many other items. */
export function withSecondForms(forms: readonly FormPlan[]): FormPlan[] {
  return [...forms, ...forms.map(({ id, anchors }) => ({ id: `${id}-b`, anchors, disjointFrom: id }))];
}

/** Anchors that a form takes of a scenario. */
export function anchorsIn({ anchors }: FormPlan, scenario: string): number {
  return anchors.get(scenario)!;
}

/** The different numbers of anchors that forms take of some scenarios, ascending. */
export function anchorNumbers(forms: readonly FormPlan[], scenarios: readonly { readonly id: string }[]): number[] {
  return [...new Set(forms.flatMap((form) => scenarios.map(({ id }) => anchorsIn(form, id))))].sort((x, y) => x - y);
}
