import { bankOf, type Bundle, refuseFullScores, servedBlend } from "../../../sdk/core/bundle/bundle.ts";
import type { FormManifest, Manifest, MeasuredErrors } from "../../../sdk/core/bundle/manifest.ts";
import { checkCall, invalidOption, type OptionNames } from "../../../sdk/core/errors.ts";
import { confidenceLevel } from "../../../sdk/core/inference/score-interval.ts";
import { rankedGap } from "../../../sdk/core/inference/ranks.ts";
import { normalQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { predictedScores } from "../../../sdk/core/scoring/predicted-scores.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import { LEAST_SOURCES } from "../../../sdk/estimate/scenario-result.ts";
import type { Plan, PlanBasis, PlannedForm, PlanOptions, Precision } from "./types.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

export const PLAN_OPTIONS: OptionNames<PlanOptions> = {
  halfWidth: "number",
  gap: "number",
  level: "number",
  rankedRight: "number",
};

/**
 * How many items it takes, from what a bundle has measured on held-out models: for intervals that nine models in ten have no
 * wider than a half-width, or to rank two models right whose true scores are a gap apart. Synchronous; touches no network.
 *
 * A form's figures are its own; those of other numbers of items are smoothed over all of the bundle's forms, so that they
 * hang little on which models a fit happened to hold out together.
 *
 * The paired standard error is √2 times the measured error of `p-irt-dr`: what the response model leaves over of two models
 * has next to nothing in common, but for models that answer alike, which are told apart sooner (docs/comparison.md).
 * @param bundle - with all its scenarios
 * @throws AnchorEvalError `invalid_option`; `unsupported` for a bundle of full scores on other items
 * @example planFromBundle(bundle, { gap: 0.02 }).needed?.overall.items
 */
export function planFromBundle(bundle: Bundle, options: PlanOptions = {}): Plan {
  checkCall(bundle, "loadBundle", options, PLAN_OPTIONS);
  const { halfWidth, gap, rankedRight = 0.8 } = options;
  const level = confidenceLevel(options.level);
  const { manifest } = bundle;
  refuseFullScores(manifest, "plans are");
  if (!(rankedRight > 0.5 && rankedRight < 1))
    throw invalidOption(`rankedRight must be a share in (½,1), got ${rankedRight}`);
  if (halfWidth !== undefined && gap !== undefined)
    throw invalidOption("a plan is for a half-width or for a gap: give one of them");
  for (const [name, value] of Object.entries({ halfWidth, gap }))
    if (value !== undefined && !(value > 0 && value < 1))
      throw invalidOption(`${name} must be a difference of scores in (0,1), got ${value}`);
  const absent = manifest.scenarios.filter(({ id }) => !bundle.scenarios.has(id));
  if (absent.length > 0)
    throw invalidOption(`a plan needs the whole bundle: ${absent.map(({ id }) => id).join(", ")} wasn't loaded`);

  const asked = { level, rankedRight };
  const parts = manifest.scenarios.map(({ id, items: of }): MeasuredPart => {
    const forms = manifest.forms.map((form) => ({
      items: lookUp(form.scenarios, id)!.items,
      ...errorsOf(servedBlend(lookUp(form.scenarios, id)!).measured, level),
    }));
    return {
      ...{ of, forms, residual: residualVariance(bundle, id) },
      open: (items) => 1 / items - 1 / of,
      random: randomVariance(bundle, id, of),
    };
  });
  const powers = { halfWidth: commonPower(parts, "halfWidth"), error: commonPower(parts, "error") };
  const scenarios = parts.map((part, s) => ({
    id: manifest.scenarios[s]!.id,
    part,
    at: precision(part, powers, asked),
  }));
  const [only, ...more] = scenarios;
  // The overall score of one scenario is the scenario's.
  const overall =
    more.length === 0
      ? {
          at: ([items]: readonly number[], form?: number) => only!.at(items!, form),
          sized: only!.at,
          sizes: only!.part.of,
        }
      : overallPrecision(bundle, parts, powers, asked);
  const forms = manifest.forms
    .map((form, f): PlannedForm => ({
      form: form.id,
      overall: overall.at(allocated(manifest, form), f),
      scenarios: Object.fromEntries(scenarios.map(({ id, part, at }) => [id, at(part.forms[f]!.items, f)])),
    }))
    .sort((x, y) => x.overall.items - y.overall.items);

  const wanted = halfWidth !== undefined ? { halfWidth } : gap !== undefined ? { gap } : null;
  const reached = (precision: Precision): boolean =>
    halfWidth !== undefined ? precision.halfWidth <= halfWidth : precision.gap <= gap!;
  return {
    benchmark: manifest.benchmark,
    version: manifest.version,
    level,
    rankedRight,
    forms,
    wanted,
    needed: wanted && {
      form: null,
      overall: leastSize(
        overall.sizes,
        overall.sized,
        reached,
        forms.map((form) => form.overall),
      ),
      scenarios: Object.fromEntries(
        scenarios.map(({ id, part, at }) => [
          id,
          leastSize(
            part.of,
            at,
            reached,
            forms.map((form) => lookUp(form.scenarios, id)!),
          ),
        ]),
      ),
    },
    enough: (wanted && forms.find((form) => reached(form.overall))?.form) ?? null,
  };
}

/** A form's numbers of items, scenario by scenario. */
function allocated({ scenarios }: Manifest, form: FormManifest): number[] {
  return scenarios.map(({ id }) => lookUp(form.scenarios, id)!.items);
}

/**
 * The precision at the least size that reaches what is wanted; at the largest, everything is known. Forms have the last word:
 * it is no more than the first form that is enough asks, and more than those before it.
 * @param forms - the smallest first
 */
function leastSize(
  largest: number,
  at: (size: number) => Precision,
  reached: (precision: Precision) => boolean,
  forms: readonly Precision[],
): Precision {
  const partial = forms.filter(({ items, of }) => items < of);
  const first = partial.findIndex(reached);
  const enough = partial[first];
  const least = Math.max(0, ...partial.slice(0, first < 0 ? partial.length : first).map(({ items }) => items));
  for (let size = 1; size < largest; size++) {
    const precision = at(size);
    if (enough && precision.items >= enough.items) return enough;
    if (precision.items > least && reached(precision)) return precision;
  }
  return enough ?? at(largest);
}

/**
 * Overall precision by the scenarios' numbers of items; between forms all grow in the proportion of the default form's. Where a
 * form's overall errors weren't measured they are its scenarios', as independent.
 * @param parts - of the scenarios
 */
function overallPrecision(bundle: Bundle, parts: readonly MeasuredPart[], powers: Powers, asked: AskedPrecision) {
  const { manifest } = bundle;
  const shares = scenarioShares(manifest);
  const main = manifest.forms.find(({ id }) => id === manifest.defaultForm)!;
  const proportion = allocated(manifest, main);
  const most = Math.max(...proportion);
  const open = (items: readonly number[]): number =>
    shares.reduce((sum, { share, items: of }, s) => sum + share ** 2 * (1 / items[s]! - 1 / of), 0);
  const count = (items: readonly number[]): number => items.reduce((sum, n) => sum + n, 0);
  const forms = manifest.forms.map((form, f) => {
    const allocation = allocated(manifest, form);
    const errors = errorsOf(form.overall?.measured ?? null, asked.level);
    const together = (field: keyof SizeErrors): number | null => {
      const all = parts.map(({ of, forms: sizes }) => (sizes[f]!.items >= of ? 0 : sizes[f]![field]));
      if (all.includes(null)) return null;
      return Math.sqrt(all.reduce<number>((sum, error, s) => sum + (shares[s]!.share * error!) ** 2, 0));
    };
    return {
      halfWidth: errors.halfWidth ?? together("halfWidth"),
      error: errors.error ?? together("error"),
      items: count(allocation),
      open: open(allocation),
    };
  });
  const residual =
    shares.reduce((sum, { id, share }) => sum + share ** 2 * residualVariance(bundle, id), 0) /
    shares.reduce((sum, { share }) => sum + share ** 2, 0);
  const of = count(shares.map(({ items }) => items));
  const at = (items: readonly number[], form?: number): Precision => {
    const opens = new Map(forms.map((part) => [part.items, part.open])).set(count(items), open(items));
    const random = shares.reduce((sum, { share }, s) => sum + share ** 2 * parts[s]!.random(items[s]!), 0);
    const part = { of, forms, open: (n: number) => opens.get(n)!, residual, random: () => random };
    return precision(part, powers, asked)(count(items), form);
  };
  return {
    at,
    sized: (size: number): Precision =>
      at(shares.map(({ items }, s) => Math.min(items, Math.max(1, Math.round((size * proportion[s]!) / most))))),
    sizes: Math.ceil(Math.max(...shares.map(({ items }, s) => (items * most) / proportion[s]!))),
  };
}

type AskedPrecision = Pick<Plan, "level" | "rankedRight">;

interface SizeErrors {
  /** Half-width, at the level that was asked for, that nine models in ten have at most; null where it wasn't measured. */
  readonly halfWidth: number | null;
  /** Standard error of a score by `p-irt-dr`. */
  readonly error: number | null;
}

/** Measurements of the bundle's forms of a scenario, or of all together. */
interface MeasuredPart {
  readonly of: number;
  /** Aligned with the bundle's forms. */
  readonly forms: readonly (SizeErrors & { readonly items: number })[];
  /** 1/n − 1/N at a size, or a sum of such; 0 where every item is asked. */
  readonly open: (items: number) => number;
  /** Variance of an answer about its prediction, by the response model's curves. */
  readonly residual: number;
  /** By the number of items: {@link randomVariance}. */
  readonly random: (items: number) => number;
}

function errorsOf(measured: MeasuredErrors | null, level: number): SizeErrors {
  const split = measured?.interpolation ?? null;
  const widest = split?.halfWidth95P90 ?? null;
  return {
    halfWidth: widest && (widest * normalQuantile(0.5 + level / 2)) / normalQuantile(0.975),
    error: split && split.estimators["p-irt-dr"].rmse,
  };
}

/** @returns by items; of a form, by its index, what it measured itself */
function precision(
  part: MeasuredPart,
  powers: Powers,
  { level, rankedRight }: AskedPrecision,
): (items: number, form?: number) => Precision {
  const { of, forms, open, residual, random } = part;
  const [widths, errors] = [precisionCurve(part, "halfWidth", powers), precisionCurve(part, "error", powers)];
  const sizes = forms.flatMap(({ items, error }) => (error === null || items >= of ? [] : [items]));
  return (items, form) => {
    const measured = form === undefined ? null : forms[form]!;
    const predicted = Math.sqrt(residual * Math.max(0, open(items)));
    const spread = items >= of ? 0 : Math.sqrt(random(items));
    const basis = (): PlanBasis => {
      if (items >= of) return "measured";
      if (widths === null || errors === null) return "predicted";
      if (measured?.halfWidth != null && measured.error !== null) return "measured";
      return items < Math.min(...sizes) || items > Math.max(...sizes) ? "beyond" : "between";
    };
    return {
      items,
      of,
      halfWidth: Math.min(1, measured?.halfWidth ?? widths?.(items) ?? normalQuantile(0.5 + level / 2) * spread),
      gap: Math.min(1, rankedGap(Math.SQRT2 * (measured?.error ?? errors?.(items) ?? predicted), rankedRight)),
      basis: basis(),
    };
  };
}

/** Σ w·p̂(1−p̂) at the source models' mean ability: the variance of an answer about its prediction, by the curves. */
function residualVariance(bundle: Bundle, id: string): number {
  const { bank, weights, scoreMap } = bundle.scenarios.get(id)!;
  const { prior } = bankOf(bundle.manifest, id);
  const predicted = predictedScores(Float64Array.from(prior.mean), bank, scoreMap);
  return predicted.reduce((sum, p, i) => sum + weights[i]! * p * (1 - p), 0);
}

/**
 * Variance of the mean of n random items for the source model whose answers vary most. With few source models the items are
 * out of infinitely many, as they are for intervals.
 */
function randomVariance({ manifest, scenarios }: Bundle, id: string, of: number): (items: number) => number {
  const most = Math.max(...Array.from(scenarios.get(id)!.sourceScores, (score) => score * (1 - score)));
  const drawn = manifest.sources.models >= LEAST_SOURCES ? 1 / of : 0;
  return (items) => most * Math.max(0, 1 / items - drawn);
}

/** Powers b of n that σ² goes with, of half-widths and of errors. */
type Powers = Readonly<Record<keyof SizeErrors, number>>;

/** The largest power: narrowing gains less the more items are asked, but each item still tells something. */
const MOST_POWER = 0.5;

/** log n and log σ² of every measured size: a squared precision is σ²(1/n − 1/N) without replacement. */
function logVariances({ forms, open }: MeasuredPart, field: keyof SizeErrors): { size: number; variance: number }[] {
  return forms.flatMap(({ items, [field]: value }) =>
    value && open(items) > 0 ? [{ size: Math.log(items), variance: Math.log(value ** 2 / open(items)) }] : [],
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * b of σ² ∝ nᵇ, one for all scenarios, by least squares of log σ² on log n with a level for each: a scenario's own few sizes
 * tell little of it.
 * @returns in [0,½]; 0 where no scenario was measured at two sizes
 */
export function commonPower(parts: readonly MeasuredPart[], field: keyof SizeErrors): number {
  let products = 0;
  let squares = 0;
  for (const part of parts) {
    const points = logVariances(part, field);
    const centre = mean(points.map(({ size }) => size));
    for (const { size, variance } of points) {
      products += (size - centre) * variance;
      squares += (size - centre) ** 2;
    }
  }
  return squares < 1e-9 ? 0 : Math.min(MOST_POWER, Math.max(0, products / squares));
}

/**
 * A precision by the number of items, √(σ²(1/n − 1/N)), smoothed: σ² ∝ nᵇ at the geometric mean of what the sizes measured,
 * and beyond them what it is at the nearest.
 * @returns null where nothing was measured
 */
export function precisionCurve(
  part: MeasuredPart,
  field: keyof SizeErrors,
  powers: Powers,
): ((items: number) => number) | null {
  const points = logVariances(part, field);
  if (points.length === 0) return null;
  const sizes = points.map(({ size }) => size);
  const [least, most, centre] = [Math.min(...sizes), Math.max(...sizes), mean(sizes)];
  const level = mean(points.map(({ variance }) => variance));
  return (items) => {
    const size = Math.min(most, Math.max(least, Math.log(items)));
    return Math.sqrt(Math.exp(level + powers[field] * (size - centre)) * Math.max(0, part.open(items)));
  };
}
