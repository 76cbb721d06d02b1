import type { Bundle, BundleScenario } from "../../../sdk/core/bundle/bundle.ts";
import { ERROR_LEVELS, lookUp } from "../../../sdk/core/bundle/names.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import { LEAST_ANSWERED_SHARE } from "../../../sdk/core/estimators/answered-sample.ts";
import { confidenceLevel } from "../../../sdk/core/inference/score-interval.ts";
import { normalQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { predictedScores } from "../../../sdk/core/scoring/predicted-scores.ts";
import type { ModelEstimate } from "../../../sdk/core/scoring/scoring-model.ts";
import { bundleScoring } from "../../../sdk/estimate/bundle-scoring.ts";
import type { Remark } from "../../../sdk/estimate/door.ts";
import { resolveAnswers } from "../../../sdk/estimate/resolve-answers.ts";
import type { Estimate, Integer, Interval, ScenarioResult } from "../../../sdk/estimate/types.ts";
import { firstFew } from "../../../sdk/tables/data-issues.ts";
import { checkedTrials } from "../../../sdk/tables/item-trials.ts";
import { counted } from "../../../sdk/words/figures.ts";
import { commonShift, groupScore, groupSums, NO_SHIFT } from "../core/group-score.ts";
import { type FormFigures, itemsOf, type NotedGroup, subscoresPart } from "../core/part.ts";

/** The score of a group of items inside a scenario, where it is asked for. Scores are fractions in [0,1]. */
export interface Subscore {
  readonly scenario: string;
  readonly name: string;
  /** Items of the group, and how many of them count as answered. */
  readonly items: Integer;
  readonly answered: Integer;
  /** Null where too little is known to say one. */
  readonly score: number | null;
  readonly interval: Interval | null;
  /**
   * `exact`: every item was answered. `measured`: the interval is by the errors on held-out source models. `too_few_items`,
   * `too_few_models`: there is no score, `reason` says why.
   */
  readonly status: "exact" | "measured" | "too_few_items" | "too_few_models";
  /** Why `score` or `interval` is null. */
  readonly reason: string | null;
}

/** Answered items of a group below which nothing is said of it: one alone shows no spread. Chosen, not measured. */
const LEAST_ANSWERED = 2;

/** Levels at which intervals are measured. */
const LEVELS: readonly number[] = ERROR_LEVELS;

/** Scores of groups of items beside an estimate of means, where they are asked for. */
export const subscoreRemark: Remark<
  {
    /** Scores of the bundle's groups of items as well: true for all, or names of some. @default false */
    readonly subscores?: boolean | readonly string[];
  },
  object,
  { readonly subscores: readonly Subscore[] }
> = {
  options: { subscores: true },
  beside: (bundle, answers, result, { subscores: asked, level, digest, hashes, onChangedItem }) => {
    if (asked === undefined || asked === false) return null;
    if (asked !== true && !(Array.isArray(asked) && asked.every((name) => typeof name === "string")))
      throw invalidOption("subscores must be true, false, or a list of names of groups");
    if ("metric" in result) throw invalidOption("subscores are of mean scores: they don't go with metric");
    const estimate = result as Estimate;
    const reading = {
      form: estimate.form,
      ...(digest !== undefined && { digest }),
      ...(hashes !== undefined && { hashes }),
      ...(onChangedItem !== undefined && { onChangedItem }),
    };
    const resolved = resolveAnswers(bundle, checkedTrials(answers()).means, reading);
    const grouped = askedGroups(bundle, asked);
    const model = bundleScoring(bundle, estimate.form).estimate(resolved.scores);
    return {
      subscores: grouped.flatMap(({ id, groups }) =>
        scenarioScores(bundle.scenarios.get(id)!, groups, {
          result: lookUp(estimate.scenarios, id)!,
          figures: figuresOf(bundle.manifest, id, estimate),
          whole: resolved.whole.get(id)?.scores ?? null,
          model,
          level: confidenceLevel(level),
        }),
      ),
    };
  },
};

/** A group that is asked for, and its place among those of its scenario. */
interface AskedGroup extends NotedGroup {
  readonly place: number;
}

/** The groups of the loaded scenarios that are asked for. @throws AnchorEvalError `invalid_option` for others */
function askedGroups(bundle: Bundle, asked: true | readonly string[]) {
  const noted = partOf(bundle.manifest, subscoresPart);
  if (noted === null) throw invalidOption("subscores need groups of items, and this bundle wasn't fitted with any");
  const grouped = [...bundle.scenarios.keys()].flatMap((id) => {
    const groups = (lookUp(noted, id)?.groups ?? []).map((group, place): AskedGroup => ({ ...group, place }));
    return groups.length === 0 ? [] : [{ id, groups }];
  });
  if (grouped.length === 0) throw invalidOption("no scenario that was loaded has groups of items");
  const names = [...new Set(grouped.flatMap(({ groups }) => groups.map(({ name }) => name)))];
  const unknown = asked === true ? [] : asked.filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw invalidOption(`there is no group ${firstFew(unknown)}: there are ${firstFew(names, 20)}`);
  if (asked === true) return grouped;
  return grouped.map(({ id, groups }) => ({ id, groups: groups.filter(({ name }) => asked.includes(name)) }));
}

function figuresOf(manifest: Manifest, scenario: string, { form, scenarios }: Estimate): FormFigures {
  const { alone, together } = lookUp(lookUp(partOf(manifest, subscoresPart), scenario)!.forms, form)!;
  return lookUp(scenarios, scenario)!.details?.evidence === "together" ? (together ?? alone) : alone;
}

interface ScenarioAnswers {
  readonly result: ScenarioResult;
  readonly figures: FormFigures;
  /** Scores of all its items, where all were answered. */
  readonly whole: Float64Array | null;
  readonly model: ModelEstimate;
  readonly level: number;
}

function scenarioScores(
  { id, bank, weights, scoreMap, fullScore }: BundleScenario,
  groups: readonly AskedGroup[],
  { result, figures, whole, model, level }: ScenarioAnswers,
): Subscore[] {
  const pooling = result.details?.evidence === "together" ? "pooled" : "separate";
  const estimate = model.scenario(id, pooling);
  const ability = model.ability(id, pooling);
  const every = Uint32Array.from(weights, (_, item) => item);
  const predicted = ability && predictedScores(ability.theta, bank, scoreMap);
  const sample = whole
    ? { items: every, scores: whole, leverages: whole }
    : {
        items: estimate?.sample.items ?? [],
        scores: estimate?.sample.scores ?? [],
        leverages: estimate?.leverages ?? [],
      };
  const sumsOf = groupSums({ weights, predicted: predicted ?? weights, ...sample });
  const scored = result.score !== null && fullScore === null && !result.predicted;
  const common = scored ? commonShift(result.score, deviationOf(result), sumsOf(every)) : NO_SHIFT;
  const outside = result.details?.outside ?? { above: 0, below: 0 };
  const wider = 1 + (outside.above + outside.below) * (figures.outside - 1);
  return groups.map(({ name, items: runs, place }): Subscore => {
    const sums = sumsOf(itemsOf(runs));
    const { items, answered } = sums;
    const group = { scenario: id, name, items, answered };
    const none = (status: "too_few_items" | "too_few_models", reason: string): Subscore => ({
      ...group,
      ...{ score: null, interval: null, status, reason },
    });
    if (answered === items) {
      const score = Math.min(1, sums.scored);
      return {
        ...group,
        score,
        interval: { low: score, high: score, level, method: "exact" },
        status: "exact",
        reason: null,
      };
    }
    if (answered < LEAST_ANSWERED)
      return none("too_few_items", `${answered === 0 ? "none" : "one"} of its ${counted(items, "item")} was answered`);
    if (result.answeredShare < LEAST_ANSWERED_SHARE)
      return none("too_few_items", `too few of the anchors of ${id} were answered`);
    if (items === bank.count && scored) {
      const { score, interval, reason } = result;
      return { ...group, score, interval, status: "measured", reason };
    }
    const { says, figures: learned } = figures.groups[place]!;
    if (learned === undefined)
      return says === "too_few_models"
        ? none(says, "too few source models to measure its error")
        : none(
            "too_few_items",
            "so few of its items are asked that held-out models' intervals cover half of all scores",
          );
    const { score, variance, bounds } = groupScore(sums, learned, figures.dispersion, common);
    const factor = learned.factors[LEVELS.indexOf(level)] ?? null;
    const why = factor === null ? noFactor(level) : result.interval === null ? result.reason : null;
    const half = (factor ?? 0) * wider * Math.sqrt(variance);
    const low = Math.max(bounds.low, score - half);
    const high = Math.min(bounds.high, score + half);
    return {
      ...group,
      score,
      interval: why === null ? { low, high, level, method: "cross-validated" } : null,
      status: "measured",
      reason: why,
    };
  });
}

/** A score's standard deviation by the draw of the anchors; 0 where it isn't known so, as in the fit. */
function deviationOf({ interval }: ScenarioResult): number {
  if (interval === null || interval.method === "cross-validated") return 0;
  return (interval.high - interval.low) / 2 / normalQuantile(0.5 + interval.level / 2);
}

function noFactor(level: number): string {
  return LEVELS.includes(level)
    ? "too few source models to measure the error at this level"
    : `intervals are measured at the levels ${LEVELS.join(", ")}`;
}
