import { withPart } from "anchoreval/internal/core/bundle/part";
import {
  runsOf,
  subscoresPart,
  type FormFigures,
  type ScenarioGroups,
  type GroupFigures,
} from "anchoreval/internal/features/subscores/core/part";
import type { FormBlend, LearnedBlend } from "../../../offline-trainer/src/fit/blends.ts";
import type { FitPart } from "../../../offline-trainer/src/fit/options.ts";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { headlineEstimator, intervalKind } from "../../../offline-trainer/src/methods/method.ts";
import { type AskedGroups, groupsOf, planGroups } from "./groups.ts";
import { groupObserver, type ObservedGroups } from "./observe-groups.ts";
import { ERROR_LEVELS, lookUp } from "anchoreval/internal/core/bundle/names";
import type { EstimatorId } from "anchoreval/internal/core/estimators/types";
import {
  type CommonShift,
  commonShift,
  groupScore,
  type GroupSums,
  NO_SHIFT,
} from "anchoreval/internal/features/subscores/core/group-score";
import { total } from "../../../offline-trainer/src/numeric/statistics.ts";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import {
  conformalQuantile,
  heldOutInterval,
  heldOutResult,
  withoutFold,
} from "../../../offline-trainer/src/fit/held-out-scores.ts";
import type { HeldOutEstimate } from "../../../offline-trainer/src/fit/held-out.ts";

const STAGE = "subscores";

/**
 * The part of a fit that learns scores of groups of items inside scenarios, such as subjects: the bundle then tells them with
 * intervals, from the same answers (`estimate(bundle, answers, { subscores: true })`). Groups may overlap.
 * @param items - of the board
 * @throws AnchorEvalError `invalid_option` for groups that there can't be: without items, of unknown ones, of several scenarios
 * @example
 * const groups = [{ name: "stem", items: matrix.items.slice(0, 40).map(({ item_id: id }) => id) }];
 * await fit(matrix, { benchmark: "quiz", version: "1.0.0", created, sizes: [50], seed: 1, backend, parts: [withSubscores(matrix.items, { groups })] });
 */
export function withSubscores(items: readonly ItemInfo[], asked: AskedGroups): FitPart {
  const plan = planGroups(items, asked);
  return {
    stage: STAGE,
    observer: groupObserver(plan),
    add: ({ content, learned, parts: fitted, method }) => {
      const blends = new Map(fitted.flatMap((part) => [...part.blends]));
      const noted = learned.flatMap((scenario): [string, ScenarioGroups][] => {
        const groups = groupsOf(plan, scenario);
        if (groups.length === 0) return [];
        const estimator = scenario.scenario.matrix.fullScores ? null : headlineEstimator(method);
        const scored = { estimator, drawn: intervalKind(method) === "design" };
        const unknown: FormFigures = {
          dispersion: 1,
          outside: 1,
          groups: groups.map(() => ({ says: "too_few_models" })),
        };
        const figures = ({ separate, pooled }: FormBlend) => ({
          alone: measureGroups(separate, scored, STAGE) ?? unknown,
          ...(pooled && { together: measureGroups(pooled, scored, STAGE) ?? unknown }),
        });
        const forms = Array.from(blends.get(scenario.scenario.id)!, ([form, blend]) => [form, figures(blend)] as const);
        const named = groups.map(({ name, items: members }) => ({ name, items: runsOf(members) }));
        return [[scenario.scenario.id, { groups: named, forms: Object.fromEntries(forms) }]];
      });
      return { ...content, manifest: withPart(content.manifest, subscoresPart, Object.fromEntries(noted)) };
    },
  };
}

/** A held-out model's group: the shift of its scenario, what its anchors tell, and its true score. */
interface Held {
  readonly estimate: HeldOutEstimate;
  readonly common: CommonShift;
  readonly sums: GroupSums;
  readonly truth: number;
}

/** Learned of all groups of a scenario: φ, and by group μ and τ². */
interface Learned {
  readonly dispersion: number;
  readonly groups: readonly Pick<GroupFigures, "shift" | "variance">[];
}

/** Half-width of a 95 % interval from which too few items were asked to say something: half of all scores. Chosen, not measured. */
const MOST_HALF_WIDTH = 0.25;
const LEVEL = 0.95;
const Z = normalQuantile((1 + LEVEL) / 2);

/** Models that the mean over groups counts as in the variance of each. Chosen as in unasked scenarios, not measured. */
const PRIOR_MODELS = 10;

/** Significant digits of figures in a bundle. */
const DIGITS = 5;

/** The score of the scenario whose groups they are. */
interface GroupScoring {
  /** The one that is the score; null where that is on other items than the groups'. */
  readonly estimator: EstimatorId | null;
  /** The draw of the anchors tells its error. */
  readonly drawn: boolean;
}

/**
 * The figures that held-out models show of the groups of one scenario by one form. Each is scored by figures learned without its fold,
 * and its error divided by the model's deviation; factors are split conformal quantiles of that.
 * @param blend - of the scenario's estimators, and the models that were held out
 * @param stage - of the part that observed them
 */
function measureGroups(
  { validation, foldOut }: LearnedBlend,
  { estimator, drawn }: GroupScoring,
  stage: string,
): FormFigures | null {
  const observedIn = (estimates: readonly HeldOutEstimate[]): HeldOutEstimate[] =>
    estimates.filter(({ observed }) => lookUp(observed, stage) !== undefined);
  const [like, strong] = [observedIn(validation.interpolation), observedIn(validation.extrapolation)] as const;
  const first = like[0] && seen(like[0], stage);
  if (!first) return null;
  const all = [...like, ...strong];
  const commons = new Map(
    all.map((estimate): [HeldOutEstimate, CommonShift] => {
      if (estimator === null) return [estimate, NO_SHIFT];
      const result = heldOutResult(estimate, estimator, foldOut(estimate));
      const interval = drawn ? heldOutInterval(estimate, result) : null;
      const deviation = interval === null ? 0 : (interval.high - interval.low) / 2 / Z;
      return [estimate, commonShift(result.score, deviation, seen(estimate, stage).whole)];
    }),
  );
  const heldOf = (estimates: readonly HeldOutEstimate[], group: number): Held[] =>
    estimates.flatMap((estimate) => {
      const { sums, truth } = seen(estimate, stage).groups[group]!;
      return Number.isNaN(truth) ? [] : [{ estimate, common: commons.get(estimate)!, sums, truth }];
    });
  const learn = (estimates: readonly HeldOutEstimate[]): Learned => {
    const scatters = estimates.map((estimate) => seen(estimate, stage).scatter);
    const binomial = total(scatters.map((scatter) => scatter.binomial));
    const dispersion = binomial > 0 ? total(scatters.map(({ squares }) => squares)) / binomial : 1;
    return {
      dispersion,
      groups: learnShifts(
        first.groups.map((_, g) => heldOf(estimates, g)),
        dispersion,
      ),
    };
  };
  const without = withoutFold(all, (held) => learn(like.filter(({ model }) => !held.has(model))));
  const scaledOf = (estimates: readonly HeldOutEstimate[], group: number) =>
    heldOf(estimates, group).map(({ estimate, common, sums, truth }) => {
      const { dispersion, groups } = without(estimate);
      const { score, variance } = groupScore(sums, groups[group]!, dispersion, common);
      const deviation = Math.sqrt(variance);
      return { estimate, deviation, scaled: deviation > 0 ? Math.abs(score - truth) / deviation : 0 };
    });
  const served = learn(like);
  const measured = first.groups.map((_, g) => {
    const scaled = scaledOf(like, g);
    const figures = new Map(scaled.map((error) => [error.estimate, error.scaled]));
    const factors = ERROR_LEVELS.map((level) =>
      conformalQuantile([...figures.keys()], (estimate) => figures.get(estimate)!, level),
    );
    const factor = factors[ERROR_LEVELS.indexOf(LEVEL)] ?? null;
    return {
      scaled,
      factors,
      halfWidth: factor === null ? null : factor * median(scaled.map(({ deviation }) => deviation)),
    };
  });
  const rms = (rows: readonly { readonly scaled: number }[]): number =>
    Math.sqrt(total(rows.map(({ scaled }) => scaled ** 2)) / rows.length);
  const inside = rms(measured.flatMap(({ scaled }) => scaled));
  const outside = rms(first.groups.flatMap((_, g) => scaledOf(strong, g)));
  return {
    dispersion: rounded(served.dispersion),
    outside: inside > 0 && outside > inside ? rounded(outside / inside) : 1,
    groups: measured.map(({ factors, halfWidth }, g) => {
      if (halfWidth === null) return { says: "too_few_models" };
      if (halfWidth > MOST_HALF_WIDTH) return { says: "too_few_items" };
      const { shift, variance } = served.groups[g]!;
      const noted = factors.map((factor) => (factor === null ? null : rounded(factor)));
      return { says: "score", figures: { shift: rounded(shift), variance: rounded(variance), factors: noted } };
    }),
  };
}

function seen({ observed }: HeldOutEstimate, stage: string): ObservedGroups {
  return lookUp(observed, stage) as ObservedGroups;
}

/**
 * The shift of every group: with r what its true score has beyond the shifted prediction, D = Σv·p̂(1−p̂) and ν = φ·Σv²·p̂(1−p̂),
 * μ̂ = ΣrD/ΣD², τ̂² = (Σ(r − μ̂D)² − Σν)/ΣD², at least 0. μ̂ is drawn to 0 as far as chance may have made it (James & Stein),
 * τ̂² to its mean over groups, as if {@link PRIOR_MODELS} more models had shown that.
 */
function learnShifts(groups: readonly (readonly Held[])[], dispersion: number): Learned["groups"] {
  const raw = groups.map((rows) => {
    const beyond = rows.map(({ common, sums: { scored, expected, spread }, truth }) => ({
      r: truth - scored - expected - common.shift * spread,
      spread,
    }));
    const squares = total(beyond.map(({ spread }) => spread ** 2));
    const models = new Set(rows.map(({ estimate }) => estimate.model)).size;
    if (squares === 0) return { models, shift: 0, variance: 0 };
    const shift = total(beyond.map(({ r, spread }) => r * spread)) / squares;
    const left = total(beyond.map(({ r, spread }) => (r - shift * spread) ** 2)) / squares;
    const chance = left / models; // variance of μ̂: forms of one model are not many models
    const noise = (dispersion * total(rows.map(({ sums }) => sums.noise))) / squares;
    const kept = shift === 0 ? 0 : Math.max(0, 1 - chance / shift ** 2);
    return { models, shift: kept * shift, variance: Math.max(0, left - noise) };
  });
  const shown = raw.filter(({ models }) => models > 0);
  const mean = total(shown.map(({ variance }) => variance)) / Math.max(1, shown.length);
  return raw.map(({ models, shift, variance }) => ({
    shift,
    variance: (models * variance + PRIOR_MODELS * mean) / (models + PRIOR_MODELS),
  }));
}

function median(values: readonly number[]): number {
  const ordered = Float64Array.from(values).sort();
  return ordered[Math.floor(ordered.length / 2)]!;
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
