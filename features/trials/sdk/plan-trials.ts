import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError, checkCall, invalidOption, type OptionNames } from "../../../sdk/core/errors.ts";
import { normalQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import { LEAST_SOURCES } from "../../../sdk/estimate/scenario-result.ts";
import type { Integer } from "../../../sdk/estimate/types.ts";
import type { PlanReading } from "../../plan/sdk/door.ts";
import { planFromBundle } from "../../plan/sdk/plan-from-bundle.ts";
import type { PlanBasis, Precision } from "../../plan/sdk/types.ts";
import { bundleComponents } from "./components.ts";
import type { VarianceComponents } from "../core.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** The precision that items and trials must reach. */
export interface TrialPlanOptions {
  /** Trials an item to plan for, each at least 1. */
  readonly trials: readonly number[];
  /** Half-width of the expected score's interval that nine models in ten shall have at most, a fraction in (0,1). */
  readonly halfWidth?: number;
  /** Confidence level of the intervals, in (0,1). @default 0.95 */
  readonly level?: number;
  /** Price of a further trial over that of an item's first one, in [0,1]. @default 1 */
  readonly repeat?: number;
}

/** Some items in some trials each, and how well they tell the expected score. */
export interface ItemsByTrials {
  readonly items: Integer;
  /** Of each item; of all items on the mean, where some are asked once more than others. */
  readonly trials: number;
  readonly answers: Integer;
  /** In prices of an item's first trial: `answers`, where further trials cost as much. */
  readonly price: number;
  /** Of the expected score's interval, that nine models in ten have at most, a fraction. */
  readonly halfWidth: number;
}

/** A form in several numbers of trials. */
interface TrialPlannedForm {
  readonly form: string;
  /** Where the half-widths of a run come from. */
  readonly basis: PlanBasis;
  readonly choices: readonly ItemsByTrials[];
}

/** The result of `planTrials`: half-widths of the overall expected score by items × trials. */
export interface TrialPlan {
  readonly benchmark: string;
  readonly version: string;
  readonly level: number;
  readonly of: Integer;
  readonly forms: readonly TrialPlannedForm[];
  /** The half-width asked for; null where none was. */
  readonly wanted: number | null;
  /**
   * For each number of trials the fewest items that reach what is wanted, the cheapest first; where one trial of all items is
   * not enough, all of them and as many again as it takes, which no even number of trials undercuts.
   */
  readonly enough: readonly ItemsByTrials[];
}

const TRIAL_PLAN_OPTIONS: OptionNames<TrialPlanOptions> = {
  trials: "list",
  halfWidth: "number",
  level: "number",
  repeat: "number",
};

/**
 * Another item or another trial: half-widths of the model's expected score by items × trials. Those that a plan has for a
 * run, H(n) at the source models' R₀ trials an item, are scaled by what the trials do to an answer's variance about its
 * prediction, and what a run on all N items would vary by is added:
 *
 *   H(n, R)² = H(n)²·(σ²_mi + σ²_ε/R)/(σ²_mi + σ²_ε/R₀) + z²·Σw²·σ²_ε/R.
 *
 * Where H wasn't measured it is that of random items, and R₀ is 1. With fewer than 12 source models H is that of as many out of
 * endlessly many items, and stands as it is in any number of trials.
 * @param bundle - with all its scenarios, fitted on repeated trials
 * @throws AnchorEvalError as `planFromBundle`; `unsupported` for a bundle without variance components
 * @see Brennan (2001), Generalizability Theory, §1.2.4 (D studies)
 * @example planTrials(bundle, { trials: [1, 2, 3, 5], halfWidth: 0.05 }).enough[0]
 */
export function planTrials(bundle: Bundle, options: TrialPlanOptions): TrialPlan {
  checkCall(bundle, "loadBundle", options, TRIAL_PLAN_OPTIONS);
  const { trials, halfWidth, level, repeat = 1 } = options;
  const { manifest } = bundle;
  if (trials.length === 0 || trials.some((count) => !(Number.isSafeInteger(count) && count >= 1)))
    throw invalidOption(`trials are whole numbers of at least 1, got ${trials.join(", ")}`);
  if (halfWidth !== undefined && !(halfWidth > 0 && halfWidth < 1))
    throw invalidOption(`halfWidth must be a difference of scores in (0,1), got ${halfWidth}`);
  if (!(repeat >= 0 && repeat <= 1)) throw invalidOption(`repeat must be a share in [0,1], got ${repeat}`);
  const noted = bundleComponents(manifest);
  const unknown = manifest.scenarios.filter(({ id }) => !noted.has(id)).map(({ id }) => id);
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unsupported",
      `this bundle knows nothing of trials (${unknown.slice(0, 3).join(", ")}): fit it on a long table with a column trial, with two trials an item or more`,
    );
  const run = planFromBundle(bundle, { ...(level !== undefined && { level }) });
  // With few sources intervals are those of as many of endless items: what runs and trials add is in them.
  const isEndless = ({ items, of, basis }: Precision): boolean =>
    manifest.sources.models < LEAST_SOURCES && basis === "predicted" && items < of;
  const z = normalQuantile(0.5 + run.level / 2);
  const parts = scenarioShares(manifest).map(({ id, share, items: of }): PlannedPart => {
    const squares = bundle.scenarios.get(id)!.weights.reduce((sum, weight) => sum + weight ** 2, 0);
    return { share, of, squares, components: noted.get(id)! };
  });
  const noise = (count: number): number =>
    parts.reduce((sum, { share, squares, components }) => sum + (share ** 2 * squares * components.trial) / count, 0);

  const formOf = (id: string): (typeof manifest.forms)[number] => manifest.forms.find((form) => form.id === id)!;
  const sizesOf = (id: string): number[] =>
    manifest.scenarios.map((scenario) => lookUp(formOf(id).scenarios, scenario.id)!.items);
  const forms = run.forms.map(({ form, overall }) => {
    const { items, halfWidth: width, basis } = overall;
    return {
      form: form!,
      basis,
      choices: trials.map((count): ItemsByTrials => {
        if (isEndless(overall)) return choice(items, items * count, width);
        const scaled = width ** 2 * varianceRatio(parts, sizesOf(form!), count, basis === "predicted");
        const half = Math.min(1, Math.sqrt(scaled + z ** 2 * noise(count)));
        return choice(items, items * count, half);
      }),
    };
  });
  const enough =
    halfWidth === undefined ? [] : [...trials.flatMap((count) => leastItems(halfWidth, count)), ...allAgain(halfWidth)];
  return {
    benchmark: manifest.benchmark,
    version: manifest.version,
    level: run.level,
    of: parts.reduce((sum, { of }) => sum + of, 0),
    forms,
    wanted: halfWidth ?? null,
    enough: enough.sort((x, y) => x.price - y.price || x.trials - y.trials),
  };

  /** The fewest items that reach a half-width in so many trials: those whose run's interval is as much narrower. */
  function leastItems(wanted: number, count: number): ItemsByTrials[] {
    const added = z ** 2 * noise(count);
    if (added > wanted ** 2) return []; // all items are too few
    const endless = run.forms.some(({ overall }) => isEndless(overall));
    const predicted = run.forms.every(({ overall }) => overall.basis === "predicted" || overall.items >= overall.of);
    const ratio = varianceRatio(parts, sizesOf(run.forms[0]!.form!), count, predicted) || 1; // 0 of a form of all items
    const narrower = Math.min(0.999, Math.max(1e-9, Math.sqrt((wanted ** 2 - added) / ratio)));
    const { needed } = planFromBundle(bundle, { level: run.level, halfWidth: endless ? wanted : narrower });
    const { items, halfWidth: width } = needed!.overall;
    if (isEndless(needed!.overall)) return [choice(items, items * count, width)];
    return [choice(items, items * count, Math.sqrt(width ** 2 * ratio + added))];
  }

  /** All items, some of them once more than others; none where one trial of each is enough, or it takes more than asked for. */
  function allAgain(wanted: number): ItemsByTrials[] {
    const once = z ** 2 * noise(1);
    if (once <= wanted ** 2) return [];
    const even = Math.floor(once / wanted ** 2 + 1e-9);
    // 1/R̄ where a share f of the items has one trial more: (1 − f)/R + f/(R + 1).
    const more = (once / even - wanted ** 2) / (once / even - once / (even + 1));
    const items = parts.reduce((sum, { of }) => sum + of, 0);
    const again = Math.ceil(items * more - 1e-9);
    if (even + again / items > Math.max(...trials) || (again === 0 && trials.includes(even))) return [];
    return [choice(items, items * even + again, wanted)];
  }

  function choice(items: number, answers: number, width: number): ItemsByTrials {
    return { items, trials: answers / items, answers, price: items + (answers - items) * repeat, halfWidth: width };
  }
}

/** Plans of items × trials, where `trials` are asked for. */
export const trialPlanReading: PlanReading<TrialPlanOptions, TrialPlan> = {
  what: "trials",
  options: TRIAL_PLAN_OPTIONS,
  reads: ({ trials }) => trials !== undefined,
  plan: planTrials,
};

interface PlannedPart {
  readonly share: number;
  readonly of: number;
  /** Σw² of the scenario's items. */
  readonly squares: number;
  readonly components: VarianceComponents;
}

/** Variance of a run's score in R trials over that in R₀, over all scenarios; 0 where every item is asked. */
function varianceRatio(
  parts: readonly PlannedPart[],
  sizes: readonly number[],
  trials: number,
  isPredicted: boolean,
): number {
  let [asked, measured] = [0, 0];
  parts.forEach(({ share, of, components: { modelItem, trial, trials: sources } }, s) => {
    const open = share ** 2 * (1 / sizes[s]! - 1 / of);
    asked += open * (modelItem + trial / trials);
    measured += open * (modelItem + trial / (isPredicted ? 1 : sources));
  });
  return measured === 0 ? 0 : asked / measured;
}
