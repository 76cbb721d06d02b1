import { type Bundle, refuseFullScores, servedBlend } from "../core/bundle/bundle.ts";
import type { FormManifest, Manifest, MeasuredErrors } from "../core/bundle/manifest.ts";
import { invalidOption } from "../core/errors.ts";
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
 * @throws AnchorEvalError `invalid_option`; `unsupported` for a bundle of full scores on other items
 * @example planFromBundle(bundle, { gap: 0.02 }).needed?.overall.items
 */
export function planFromBundle(bundle: Bundle, options: PlanOptions = {}): Plan {
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

  const scenarios = manifest.scenarios.map(({ id, items: of }) => {
    const forms = manifest.forms.map((form) => ({
      items: form.scenarios[id]!.items,
      ...errorsOf(form, servedBlend(form.scenarios[id]!).measured, level),
    }));
    const open = (items: number): number => 1 / items - 1 / of;
    return { id, of, at: precision(of, forms, open, residualVariance(bundle, id), { level, rankedRight }) };
  });
  const overall = overallPrecision(bundle, { level, rankedRight });
  const forms = manifest.forms
    .map((form): PlannedForm => {
      const items = allocated(manifest, form);
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

/** A form's numbers of items, scenario by scenario. */
function allocated({ scenarios }: Manifest, form: FormManifest): number[] {
  return scenarios.map(({ id }) => form.scenarios[id]!.items);
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

/** Overall precision by the scenarios' numbers of items; between forms all grow in the proportion of the default form's. */
function overallPrecision(bundle: Bundle, asked: AskedPrecision) {
  const { manifest } = bundle;
  const shares = scenarioShares(manifest);
  const main = manifest.forms.find(({ id }) => id === manifest.defaultForm)!;
  const proportion = allocated(manifest, main);
  const most = Math.max(...proportion);
  const open = (items: readonly number[]): number =>
    shares.reduce((sum, { share, items: of }, s) => sum + share ** 2 * (1 / items[s]! - 1 / of), 0);
  const count = (items: readonly number[]): number => items.reduce((sum, n) => sum + n, 0);
  const forms = manifest.forms.map((form) => {
    const allocation = allocated(manifest, form);
    const errors = errorsOf(form, form.overall?.measured ?? null, asked.level);
    return { ...errors, items: count(allocation), open: open(allocation) };
  });
  const predicted =
    shares.reduce((sum, { id, share }) => sum + share ** 2 * residualVariance(bundle, id), 0) /
    shares.reduce((sum, { share }) => sum + share ** 2, 0);
  const all = count(shares.map(({ items }) => items));
  const at = (items: readonly number[]): Precision => {
    const opens = new Map(forms.map((form) => [form.items, form.open])).set(count(items), open(items));
    return precision(all, forms, (n) => opens.get(n)!, predicted, asked)(count(items));
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
  /** Half-width of intervals at the level that was asked for; null where nothing was measured. */
  readonly halfWidth: number | null;
  /** Standard error of a score by `p-irt-dr`. */
  readonly error: number | null;
}

function errorsOf(form: FormManifest, measured: MeasuredErrors | null, level: number): SizeErrors {
  const split = measured?.interpolation ?? null;
  if (split === null) return { halfWidth: null, error: null };
  const z = normalQuantile(0.5 + level / 2);
  const halfWidth =
    split.halfWidth95 === null
      ? z * estimatorFigure(split.estimators, form.estimator).rmse
      : (split.halfWidth95 * z) / normalQuantile(0.975);
  return { halfWidth, error: split.estimators["p-irt-dr"].rmse };
}

function precision(
  of: number,
  forms: readonly (SizeErrors & { readonly items: number })[],
  open: (items: number) => number,
  residual: number,
  { level, rankedRight }: AskedPrecision,
): (items: number) => Precision {
  const curve = (field: "halfWidth" | "error") => {
    const points = forms.flatMap(({ items, [field]: value }) => (value === null ? [] : [{ items, value }]));
    return precisionCurve(points, open);
  };
  const [widths, errors] = [curve("halfWidth"), curve("error")];
  return (items) => {
    const predicted = Math.sqrt(residual * Math.max(0, open(items)));
    return {
      items,
      of,
      halfWidth: Math.min(1, widths?.at(items) ?? normalQuantile(0.5 + level / 2) * predicted),
      gap: Math.min(1, rankedGap(Math.SQRT2 * (errors?.at(items) ?? predicted), rankedRight)),
      basis: items >= of ? "measured" : (errors?.basis(items) ?? "predicted"),
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

/**
 * A precision between and beyond the sizes at which it was measured. Without replacement a squared error is
 * σ²(1/n − 1/N); σ² itself changes slowly with n, and is interpolated linearly in log n between the measured sizes and kept
 * beyond them.
 * @param points - measured values at n < N, any order; of one size the squares are averaged
 * @param open - 1/n − 1/N at a size, or a sum of such; 0 where every item is asked
 * @returns the value at any size, and where it comes from; null without points
 */
export function precisionCurve(
  points: readonly { readonly items: number; readonly value: number }[],
  open: (items: number) => number,
): { at(items: number): number; basis(items: number): PlanBasis } | null {
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
    basis: (items) =>
      bySize.has(items) ? "measured" : items < known[0]!.items || items > known.at(-1)!.items ? "beyond" : "between",
  };
}
