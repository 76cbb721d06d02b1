import { type Bundle, servedBlend } from "../core/bundle/bundle.ts";
import type { FormManifest, MeasuredErrors } from "../core/bundle/manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { estimatorFigure } from "../core/estimators/types.ts";
import { confidenceLevel } from "../core/inference/score-interval.ts";
import { rankedGap } from "../core/inference/ranks.ts";
import { normalQuantile } from "../core/numeric/distributions.ts";
import { predictedScores } from "../core/scoring/predicted-scores.ts";
import { scenarioShares } from "../estimate/overall-score.ts";
import type { Plan, PlanBasis, PlannedForm, PlanOptions, Precision } from "./types.ts";

/**
 * How many items it takes, from what a bundle has measured on held-out models: for intervals of a half-width, or to rank
 * two models right whose true scores are a gap apart. Synchronous; touches no network.
 *
 * The paired standard error is √2 times the measured error of `p-irt-dr`: what the response model leaves over of two models
 * has next to nothing in common, but for models that answer alike, which are told apart sooner (docs/comparison.md).
 * @param bundle - with all its scenarios
 * @throws AnchorEvalError `invalid_option`
 * @example planFromBundle(bundle, { gap: 0.02 }).needed?.overall.items
 */
export function planFromBundle(bundle: Bundle, options: PlanOptions = {}): Plan {
  const { halfWidth, gap, rankedRight = 0.8 } = options;
  const level = confidenceLevel(options.level);
  const { manifest } = bundle;
  if (!(rankedRight > 0.5 && rankedRight < 1))
    throw new AnchorEvalError("invalid_option", `rankedRight must be a share in (½,1), got ${rankedRight}`);
  if (halfWidth !== undefined && gap !== undefined)
    throw new AnchorEvalError("invalid_option", "a plan is for a half-width or for a gap: give one of them");
  for (const [name, value] of Object.entries({ halfWidth, gap }))
    if (value !== undefined && !(value > 0 && value < 1))
      throw new AnchorEvalError("invalid_option", `${name} must be a difference of scores in (0,1), got ${value}`);
  const absent = manifest.scenarios.filter(({ id }) => !bundle.scenarios.has(id));
  if (absent.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `a plan needs the whole bundle: ${absent.map(({ id }) => id).join(", ")} wasn't loaded`,
    );

  const scenarios = manifest.scenarios.map(({ id, items }) => ({
    id,
    ...scenarioPrecision(bundle, id, items, options),
  }));
  const overall = overallPrecision(bundle, options, scenarios);
  const allocated = (form: FormManifest): number[] => manifest.scenarios.map(({ id }) => form.scenarios[id]!.items);
  const forms = manifest.forms
    .map((form): PlannedForm => {
      const items = allocated(form);
      return {
        form: form.id,
        overall: overall.at(items),
        scenarios: Object.fromEntries(scenarios.map(({ id, at }, s) => [id, at(items[s]!)])),
      };
    })
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
      overall: leastSize(overall.sizes, overall.sized, reached),
      scenarios: Object.fromEntries(scenarios.map(({ id, of, at }) => [id, leastSize(of, at, reached)])),
    },
    enough: (wanted && forms.find((form) => reached(form.overall))?.form) ?? null,
  };
}

/** The precision at the least size that reaches what is wanted; at the largest, everything is known. */
function leastSize(
  largest: number,
  at: (size: number) => Precision,
  reached: (precision: Precision) => boolean,
): Precision {
  for (let size = 1; size < largest; size++) {
    const precision = at(size);
    if (reached(precision)) return precision;
  }
  return at(largest);
}

interface Curves {
  readonly of: number;
  readonly at: (items: number) => Precision;
}

/** Precision in one scenario by the number of its items. */
function scenarioPrecision(bundle: Bundle, id: string, of: number, options: PlanOptions): Curves {
  const forms = bundle.manifest.forms.map((form) => ({
    items: form.scenarios[id]!.items,
    ...errorsOf(form, servedBlend(form.scenarios[id]!).measured, options),
  }));
  return { of, at: precision(of, forms, (items) => 1 / items - 1 / of, residualVariance(bundle, id), options) };
}

/** Overall precision by the scenarios' numbers of items; between forms all grow in the proportion of the default form's. */
function overallPrecision(
  bundle: Bundle,
  options: PlanOptions,
  scenarios: readonly { readonly id: string; readonly of: number }[],
): {
  readonly at: (items: readonly number[]) => Precision;
  readonly sized: (size: number) => Precision;
  readonly sizes: number;
} {
  const { manifest } = bundle;
  const shares = scenarioShares(manifest);
  const main = manifest.forms.find((form) => form.id === manifest.defaultForm)!;
  const proportion = manifest.scenarios.map(({ id }) => main.scenarios[id]!.items);
  const most = Math.max(...proportion);
  const allocation = (size: number): number[] =>
    scenarios.map(({ of }, s) => Math.min(of, Math.max(1, Math.round((size * proportion[s]!) / most))));
  const open = (items: readonly number[]): number =>
    shares.reduce((sum, { share }, s) => sum + share ** 2 * (1 / items[s]! - 1 / scenarios[s]!.of), 0);
  const count = (items: readonly number[]): number => items.reduce((sum, n) => sum + n, 0);
  const sizes = Math.ceil(Math.max(...scenarios.map(({ of }, s) => (of * most) / proportion[s]!)));
  const all = count(scenarios.map(({ of }) => of));
  const forms = manifest.forms.map((form) => ({
    allocation: manifest.scenarios.map(({ id }) => form.scenarios[id]!.items),
    ...errorsOf(form, form.overall?.measured ?? null, options),
  }));
  const predicted =
    shares.reduce((sum, { id, share }) => sum + share ** 2 * residualVariance(bundle, id), 0) /
    shares.reduce((sum, { share }) => sum + share ** 2, 0);
  const at = (items: readonly number[]): Precision => {
    const opens = new Map(forms.map((form) => [count(form.allocation), open(form.allocation)]));
    opens.set(count(items), open(items));
    const points = forms.map((form) => ({ ...form, items: count(form.allocation) }));
    return precision(all, points, (n) => opens.get(n)!, predicted, options)(count(items));
  };
  return { at, sized: (size) => at(allocation(size)), sizes };
}

interface SizeErrors {
  /** Half-width of intervals at the level that was asked for; null where nothing was measured. */
  readonly halfWidth: number | null;
  /** Standard error of a score by `p-irt-dr`. */
  readonly error: number | null;
}

function errorsOf(form: FormManifest, measured: MeasuredErrors | null, { level = 0.95 }: PlanOptions): SizeErrors {
  const split = measured?.interpolation ?? null;
  if (split === null) return { halfWidth: null, error: null };
  const z = normalQuantile(0.5 + level / 2);
  return {
    halfWidth:
      split.halfWidth95 === null
        ? z * estimatorFigure(split.estimators, form.estimator).rmse
        : (split.halfWidth95 * z) / normalQuantile(0.975),
    error: split.estimators["p-irt-dr"].rmse,
  };
}

function precision(
  of: number,
  forms: readonly (SizeErrors & { readonly items: number })[],
  open: (items: number) => number,
  residual: number,
  { level = 0.95, rankedRight = 0.8 }: PlanOptions,
): (items: number) => Precision {
  const points = (field: "halfWidth" | "error"): { items: number; value: number }[] =>
    forms.flatMap((form) => (form[field] === null ? [] : [{ items: form.items, value: form[field] }]));
  const widths = precisionCurve(points("halfWidth"), open);
  const errors = precisionCurve(points("error"), open);
  return (items) => {
    const predicted = Math.sqrt(residual * Math.max(0, open(items)));
    let basis: PlanBasis = "predicted";
    if (items >= of) basis = "measured";
    else if (errors !== null)
      basis = errors.measured(items)
        ? "measured"
        : items < errors.smallest || items > errors.largest
          ? "beyond"
          : "between";
    return {
      items,
      of,
      halfWidth: Math.min(1, widths?.at(items) ?? normalQuantile(0.5 + level / 2) * predicted),
      gap: Math.min(1, rankedGap(Math.SQRT2 * (errors?.at(items) ?? predicted), rankedRight)),
      basis,
    };
  };
}

/** Σ w·p̂(1−p̂) at the source models' mean ability: the variance of an answer about its prediction, by the curves. */
function residualVariance(bundle: Bundle, id: string): number {
  const { bank, weights, scoreMap } = bundle.scenarios.get(id)!;
  const { prior } = bundle.manifest.banks.find(({ scenarios }) => scenarios.includes(id))!;
  const predicted = predictedScores(Float64Array.from(prior.mean), bank, scoreMap);
  return predicted.reduce((sum, p, i) => sum + weights[i]! * p * (1 - p), 0);
}

/** A standard error, or a half-width, at a number of items. */
interface CurvePoint {
  readonly items: number;
  readonly value: number;
}

/**
 * A precision between and beyond the sizes at which it was measured. Without replacement a squared error is
 * σ²(1/n − 1/N); σ² itself changes slowly with n, and is interpolated linearly in log n between the measured sizes and kept
 * beyond them.
 * @param points - measured values at n < N, any order; of one size the squares are averaged
 * @param open - 1/n − 1/N at a size, or a sum of such; 0 where every item is asked
 * @returns the value at any size; null without points
 */
export function precisionCurve(
  points: readonly CurvePoint[],
  open: (items: number) => number,
): {
  at(items: number): number;
  readonly smallest: number;
  readonly largest: number;
  measured(items: number): boolean;
} | null {
  const bySize = new Map<number, number[]>();
  for (const { items, value } of points)
    if (open(items) > 0) bySize.set(items, [...(bySize.get(items) ?? []), value ** 2 / open(items)]);
  const known = [...bySize]
    .map(([items, variances]) => ({ items, variance: variances.reduce((sum, v) => sum + v, 0) / variances.length }))
    .sort((x, y) => x.items - y.items);
  if (known.length === 0) return null;
  const variance = (items: number): number => {
    const next = known.findIndex((point) => point.items >= items);
    if (next === 0) return known[0]!.variance;
    if (next < 0) return known.at(-1)!.variance;
    const [low, high] = [known[next - 1]!, known[next]!];
    const share = Math.log(items / low.items) / Math.log(high.items / low.items);
    return low.variance + share * (high.variance - low.variance);
  };
  return {
    at: (items) => Math.sqrt(variance(items) * Math.max(0, open(items))),
    smallest: known[0]!.items,
    largest: known.at(-1)!.items,
    measured: (items) => bySize.has(items),
  };
}
