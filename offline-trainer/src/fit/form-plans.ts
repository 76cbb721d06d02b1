import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import type { AnchorMethod, ValueSource } from "../anchors/anchor-method.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../matrix/scenarios.ts";
import type { Method } from "../methods/method.ts";

/** A form that is asked for. Plain data, which can be sent to a thread. */
export interface FormPlan {
  readonly id: string;
  /** Anchors by scenario; one with no more items is asked whole. */
  readonly anchors: ReadonlyMap<string, number>;
  /** The form of as many anchors that it has none of. */
  readonly disjointFrom?: string;
  /** How its anchors are chosen, where not as the fit's method does. */
  readonly way?: FormWay;
}

/** A way to choose a form's anchors. */
export interface FormWay {
  /** Names the streams of its draws, and in the manifest the form's `selection`. */
  readonly name: string;
  /** Where its {@link AnchorMethod} is loaded from. */
  readonly source: ValueSource;
  /** By scenario, its method's knowledge. */
  readonly knowledge?: ReadonlyMap<string, unknown>;
}

/** The forms that a fit is asked for. */
export interface AskedForms {
  /** Anchors per scenario, one form each. */
  readonly sizes: readonly number[];
  /** Anchors of all scenarios together, one form each, shared as the anchors' method says, or evenly. @default none */
  readonly totals?: readonly number[];
  /** For each form a second one of as many other items. @default false */
  readonly secondForms?: boolean;
}

/** A scenario and the number of its items. */
type Sized = Pick<ScenarioSlice, "id" | "count">;

/** The form of as many anchors in every scenario; its id is their number. */
export function evenForm(size: number, scenarios: readonly { readonly id: string }[]): FormPlan {
  return { id: String(size), anchors: new Map(scenarios.map(({ id }) => [id, size])) };
}

/**
 * Anchors that a scenario has at least, where the total allows it: of one alone nothing tells its error. By definition
 * of a variance: it takes two.
 */
const LEAST_ANCHORS = 2;

/** Below it a part that shares lack to a whole number is rounding. Chosen, not measured. */
const ROUNDING = 1e-6;

/**
 * The form of exactly `total` anchors in all scenarios together, shared evenly or in proportion, as whole numbers and the
 * scenarios' items allow; what is left over goes to the scenarios with the most items for their share, of these to the last.
 * Each total holds no less of any scenario than a smaller one.
 * @param shares - of the scenarios, relative, above 0
 * @throws AnchorEvalError `invalid_option` for fewer anchors than scenarios, or more than there are items
 * @example totalForm(10, scenarios).anchors // of four scenarios as large as one another: 2, 2, 3, 3
 */
export function totalForm(
  total: number,
  scenarios: readonly Sized[],
  shares: ArrayLike<number> = scenarios.map(() => 1),
): FormPlan {
  const items = scenarios.reduce((sum, { count }) => sum + count, 0);
  if (total < scenarios.length)
    refuse(`\`total\` must be at least one anchor for each of the ${scenarios.length} scenarios; got ${total}`);
  if (total > items) refuse(`\`total\` must be at most the ${items} items of all scenarios; got ${total}`);
  const leastOf = ({ count }: Sized): number => Math.min(count, LEAST_ANCHORS);
  const isShort = total <= scenarios.reduce((sum, scenario) => sum + leastOf(scenario), 0);
  const ascending = scenarios
    .map((scenario, s) => ({ ...scenario, share: isShort ? 1 : shares[s]!, least: isShort ? 0 : leastOf(scenario) }))
    .sort((x, y) => (x.count - x.least) / x.share - (y.count - y.least) / y.share);
  const anchors = new Map<string, number>();
  let free = ascending.reduce((sum, { least }) => sum - least, total);
  let open = ascending.reduce((sum, { share }) => sum + share, 0);
  for (const { id, count, share, least } of ascending) {
    const more = Math.min(count - least, Math.floor((free * share) / open + ROUNDING));
    anchors.set(id, least + more);
    free -= more;
    open -= share;
  }
  return { id: `total-${total}`, anchors: new Map(scenarios.map(({ id }) => [id, anchors.get(id)!])) };
}

/**
 * All forms of a fit, those that ask fewer items first: where totals are shared evenly, each scenario's anchors are no fewer in
 * a later one. A total that asks as many of every scenario as a form per scenario is that form, and none beside it.
 * @param sizes - anchors per scenario, one form each
 * @param totals - anchors of all scenarios together, one form each
 * @param shares - of the scenarios in a total: {@link totalForm}
 * @throws AnchorEvalError `invalid_option` where there is none, or for sizes that are none
 */
export function formPlans(
  sizes: readonly number[],
  totals: readonly number[],
  scenarios: readonly Sized[],
  shares?: ArrayLike<number>,
): FormPlan[] {
  const wrong = [...sizes, ...totals].filter((n) => !Number.isInteger(n) || n < 1);
  if (sizes.length + totals.length === 0 || wrong.length > 0)
    refuse(`anchors must be whole numbers of at least 1, got ${[...sizes, ...totals].join(", ")}`);
  const asked = (form: FormPlan): number[] =>
    scenarios.map((scenario) => Math.min(scenario.count, anchorsIn(form, scenario.id)));
  const ascending = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((x, y) => x - y);
  const even = ascending(sizes).map((size) => evenForm(size, scenarios));
  const taken = new Set(even.map((form) => asked(form).join()));
  const shared = ascending(totals).map((total) => totalForm(total, scenarios, shares));
  const total = (form: FormPlan): number => asked(form).reduce((sum, n) => sum + n, 0);
  return [...even, ...shared.filter((form) => !taken.has(asked(form).join()))].sort((x, y) => total(x) - total(y));
}

/** Forms, and after all of them for each a second one of as many other items. */
export function withSecondForms(forms: readonly FormPlan[]): FormPlan[] {
  return [...forms, ...forms.map(({ id, anchors }) => ({ id: `${id}-b`, anchors, disjointFrom: id }))];
}

/** Anchors that a form takes of a scenario. */
export function anchorsIn({ anchors }: FormPlan, scenario: string): number {
  return anchors.get(scenario)!;
}

/** The different numbers of anchors that forms of a way take of a scenario, ascending. @param way - none: the method's */
export function anchorNumbers(forms: readonly FormPlan[], scenario: string, way?: string): number[] {
  const ofWay = forms.filter((form) => form.way?.name === way);
  return [...new Set(ofWay.map((form) => anchorsIn(form, scenario)))].sort((x, y) => x - y);
}

/**
 * Refuses anchors per scenario that no scenario has the items for; one that is smaller than others is taken whole.
 * @throws AnchorEvalError `invalid_option`
 */
export function checkAnchors(anchors: readonly number[], items: readonly ItemInfo[]): void {
  const counts = new Map<string, number>();
  for (const { scenario } of items) counts.set(scenario, (counts.get(scenario) ?? 0) + 1);
  const largest = Math.max(...counts.values());
  const asked = anchors.find((size) => size > largest);
  if (asked !== undefined)
    refuse(`\`anchors\` ${asked} is more than there are: the largest scenario has ${largest} items`);
}

/**
 * The forms of a fit.
 * @param others - forms beside these, whose anchors are chosen in ways of their own
 * @throws AnchorEvalError `invalid_option` where there is none, for sizes that are none or can't be shared, and
 *   where a scenario has no room for two forms; `unsupported` for second forms by a method that can't choose them
 */
export function planForms(
  scenarios: readonly Sized[],
  { anchors, knowledge }: Pick<Method, "anchors" | "knowledge">,
  { sizes, totals = [], secondForms = false }: AskedForms,
  others: readonly FormPlan[] = [],
): FormPlan[] {
  const first = formPlans(sizes, totals, scenarios, anchors.shares?.(scenarios, knowledge));
  if (secondForms) checkSecondForms(first, scenarios, anchors);
  return [...(secondForms ? withSecondForms(first) : first), ...others];
}

/**
 * A drawn form's estimates rest on every item's chance to be in it, which a form drawn from what another left doesn't
 * have; anchors that stand for a cluster stand for the first form's items too.
 */
function checkSecondForms(forms: readonly FormPlan[], scenarios: readonly Sized[], anchors: AnchorMethod): void {
  if (!anchors.second)
    throw new AnchorEvalError(
      "unsupported",
      `a second form needs anchors that are chosen on purpose and stand for the same share each, as by greedy-variance, not by ${anchors.name}: give another \`selection\` or recipe, or leave out \`secondForm\``,
    );
  for (const { id, count } of scenarios) {
    const most = Math.max(...forms.map((form) => anchorsIn(form, id)));
    if (2 * most > count)
      refuse(
        `two forms of ${most} items without a common one need ${2 * most}, ${id} has ${count}: give fewer anchors, or leave out \`secondForm\``,
      );
  }
}

function refuse(why: string): never {
  throw invalidOption(why);
}
