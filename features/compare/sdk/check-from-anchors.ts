import { commonWhole, keepCommon, resolveModels } from "./common-answers.ts";
import { modelEvidence, type ScenarioEvidence } from "./model-evidence.ts";
import type { ComparedModel } from "./types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError, checkCall, invalidOption, type OptionNames } from "../../../sdk/core/errors.ts";
import {
  halfWidth,
  pairedSampling,
  type SampledDifference,
  taskSampling,
  weightedDifference,
  widenedDifference,
} from "../../../sdk/core/inference/paired-difference.ts";
import { studentTCdf, studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { scoreAnswers } from "../../../sdk/estimate/estimate-from-anchors.ts";
import { countAnswers, scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import type { WholeScenario } from "../../../sdk/estimate/resolve-answers.ts";
import type { Estimate } from "../../../sdk/estimate/types.ts";
import type { CheckOptions, CheckResult, CheckVerdict, DropCheck, MinimumCheck } from "./check-types.ts";

const CHECK_OPTIONS: OptionNames<CheckOptions> = {
  form: true,
  onChangedItem: true,
  baselines: "list",
  maxDrop: "number",
  minScore: "number",
  alarmsPerYear: "number",
  runsPerYear: "number",
  level: "number",
  allowYanked: true,
};

/**
 * Whether a model got worse: its answers against those of earlier runs, against a lowest score, or both. A check fails
 * only where the answers show it, and how seldom it fails without a reason is stated: built for runs every night.
 * Synchronous; touches no network.
 *
 * A drop is that of the expected scores: two runs of a model that samples its answers differ, and that noise counts as
 * no change. A lowest score is held against the score that this run would have got on all items.
 *
 * @param bundle - from `loadBundle`
 * @param current - the answers to be checked, scores in [0,1] by item id; of several runs each item's mean counts
 * @returns a verdict for each rule and for all, with bounds, in fractions
 * @throws AnchorEvalError as `compareFromAnchors`; `invalid_option` without a rule, and for a value out of its range
 * @example
 * const { verdict, drop } = checkFromAnchors(bundle, { responses: tonight }, { baselines: [{ responses: released }] });
 */
export function checkFromAnchors(
  bundle: Bundle,
  current: ComparedModel | readonly ComparedModel[],
  options: CheckOptions,
): CheckResult {
  checkCall(bundle, "loadBundle", options, CHECK_OPTIONS);
  const { baselines = [], minScore } = options;
  const rule = dropRule(options);
  const { alarms, level } = rule;
  if (baselines.length === 0 && minScore === undefined)
    throw invalidOption("a check needs a baseline's answers, a lowest score, or both");
  if (minScore !== undefined && !(minScore >= 0 && minScore <= 1))
    throw invalidOption(`minScore must be a score in [0,1], got ${minScore}`);

  refuseYanked(bundle, options);
  const runs = Array.isArray(current) ? (current as readonly ComparedModel[]) : [current as ComparedModel];
  if (runs.length === 0) throw invalidOption("a check needs answers");
  const names = [...namedRuns(baselines, "baseline"), ...namedRuns(runs, "current")];
  const resolved = resolveModels(bundle, [...baselines, ...runs], names, options);
  const { benchmark, version, form, digest, scores, warnings } = resolved;
  const now = meanScores(scores.slice(baselines.length));
  const before = baselines.length === 0 ? null : meanScores(scores.slice(0, baselines.length));
  const wholeRuns = commonWhole(resolved.whole);
  const whole = meanWhole(wholeRuns.slice(baselines.length));
  const counts = keepCommon(before ? [before, now] : [now], ["the baselines", "the checked runs"], whole);
  const estimateAt = (oneSided: number): Estimate => scoreAnswers(bundle, form, now, 2 * oneSided - 1, whole).estimate;
  const evidenceOf = (run: ReadonlyMap<string, Float64Array>, all: ReadonlyMap<string, WholeScenario>) =>
    modelEvidence(bundle, form, run, undefined, all);
  const drop =
    before && checkedDrop(bundle, evidenceOf(before, meanWhole(wholeRuns.slice(0, baselines.length))), evidenceOf(now, whole), rule); // prettier-ignore
  const minimum = minScore === undefined ? null : checkMinimum(estimateAt, minScore, { alarms, level });
  return {
    benchmark,
    version,
    form,
    digest,
    verdict: together([drop, minimum].flatMap((rule) => (rule === null ? [] : [rule.verdict]))),
    drop,
    minimum,
    alarms,
    level,
    ...countAnswers(counts.values()),
    warnings: [...warnings, ...estimateAt(level).warnings],
  };
}

/** @throws AnchorEvalError `yanked_version` for a version that its publisher took back, unless that is allowed */
export function refuseYanked(
  { manifest: { benchmark, version }, yanked }: Pick<Bundle, "manifest" | "yanked">,
  { allowYanked = false }: Pick<CheckOptions, "allowYanked">,
): void {
  if (yanked === undefined || allowYanked) return;
  throw new AnchorEvalError(
    "yanked_version",
    `${benchmark} ${version} was yanked by its publisher: ${yanked}; a check doesn't rest on such a version: take another, or allow it`,
  );
}

export function namedRuns(models: readonly ComparedModel[], side: string): string[] {
  return models.map(({ name }, k) => name ?? (models.length === 1 ? side : `${side} ${k + 1}`));
}

/** The rule of a drop: the largest that is allowed, a fraction, and how sure a verdict must be. */
export interface DropRule extends Pick<CheckResult, "alarms" | "level"> {
  readonly maxDrop: number;
}

/** The rule of a drop that options ask for. @throws AnchorEvalError `invalid_option` for a value out of its range */
export function dropRule({
  maxDrop = 0.01,
  level = 0.95,
  alarmsPerYear,
  runsPerYear,
}: Pick<CheckOptions, "maxDrop" | "level" | "alarmsPerYear" | "runsPerYear">): DropRule {
  const alarms = alarmRate(alarmsPerYear, runsPerYear);
  if (!(level > 0.5 && level < 1)) throw invalidOption(`level must be a one-sided confidence in (0.5,1), got ${level}`);
  if (!(maxDrop >= 0 && maxDrop < 1)) throw invalidOption(`maxDrop must be a drop of scores in [0,1), got ${maxDrop}`);
  return { maxDrop, level, alarms };
}

function alarmRate(alarmsPerYear = 1, runsPerYear = 365): CheckResult["alarms"] {
  if (!(runsPerYear >= 1 && Number.isFinite(runsPerYear)))
    throw invalidOption(`runsPerYear must be at least 1, got ${runsPerYear}`);
  if (!(alarmsPerYear > 0 && alarmsPerYear <= runsPerYear / 2))
    throw invalidOption(`alarmsPerYear must be above 0 and at most half of ${runsPerYear} runs, got ${alarmsPerYear}`);
  return { perYear: alarmsPerYear, runsPerYear, probability: alarmsPerYear / runsPerYear };
}

/** Mean over those of several runs that answered, aligned with the form's anchors; NaN where none did. */
export function meanScores(runs: readonly ReadonlyMap<string, Float64Array>[]): Map<string, Float64Array> {
  return new Map(
    [...runs[0]!].map(([id, first]) => [
      id,
      first.map((_, j) => {
        const marks = runs.map((run) => run.get(id)![j]!).filter((score) => !Number.isNaN(score));
        return marks.reduce((sum, score) => sum + score, 0) / marks.length;
      }),
    ]),
  );
}

/** Mean over several runs of the scenarios of which each has answered every item. */
export function meanWhole(runs: readonly ReadonlyMap<string, WholeScenario>[]): Map<string, WholeScenario> {
  return new Map(
    [...(runs[0] ?? [])].map(([id, { scores, itemIds }]) => {
      const mean = scores.map((_, j) => runs.reduce((sum, run) => sum + run.get(id)!.scores[j]!, 0) / runs.length);
      return [id, { scores: mean, itemIds }];
    }),
  );
}

function together(verdicts: readonly CheckVerdict[]): CheckVerdict {
  if (verdicts.includes("regressed")) return "regressed";
  return verdicts.every((verdict) => verdict === "passed") ? "passed" : "undecided";
}

/** How often a drop of size `found` is found: Cohen's convention (1988, Statistical Power Analysis, 56). */
const POWER = 0.8;

/**
 * A drop against the largest that is allowed: regressed where its lower bound lies above, at the alarms' probability; passed
 * where its upper bound doesn't, at the level. Bounds are those that `compareFromAnchors` has over tasks.
 * @param before - the baselines' evidence, by scenario
 */
export function checkedDrop(
  bundle: Bundle,
  before: ReadonlyMap<string, ScenarioEvidence>,
  now: ReadonlyMap<string, ScenarioEvidence>,
  { maxDrop, alarms, level }: DropRule,
): DropCheck {
  const difference = expectedDifference(bundle, before, now);
  if ("reason" in difference) {
    const unknown = { drop: null, low: null, high: null, reason: difference.reason };
    return { verdict: "undecided", ...unknown, maxDrop, alarmsWithoutChange: null, found: null };
  }
  const { variance, degrees } = difference.sampling;
  const drop = -difference.difference;
  const error = Math.sqrt(variance);
  const alarm = halfWidth(difference.sampling, 1 - alarms.probability);
  const low = Math.max(-1, drop - alarm);
  /** How far an alarm is off where nothing changed; without end of too few items to raise one. */
  const errors = (alarm + maxDrop) / error;
  const high = Math.min(1, drop + halfWidth(difference.sampling, level));
  return {
    verdict: low > maxDrop ? "regressed" : high <= maxDrop ? "passed" : "undecided",
    drop,
    low,
    high,
    reason: null,
    maxDrop,
    alarmsWithoutChange: Number.isFinite(errors) ? alarms.runsPerYear * studentTCdf(-errors, degrees) : 0,
    found: Math.min(1, maxDrop + alarm + studentTQuantile(POWER, degrees) * error),
  };
}

/**
 * A score against the lowest that is allowed: regressed where its upper bound with the alarms' probability lies below,
 * passed where its lower bound with confidence `level` doesn't.
 * @param estimateAt - the estimate whose interval has ends of this one-sided confidence
 */
function checkMinimum(
  estimateAt: (oneSided: number) => Estimate,
  minScore: number,
  { alarms, level }: Pick<CheckResult, "alarms" | "level">,
): MinimumCheck {
  const { score, interval, reason } = estimateAt(level);
  const low = interval?.low ?? null;
  const high = estimateAt(1 - alarms.probability).interval?.high ?? null;
  const bounded = low !== null && high !== null;
  const verdict = bounded && high < minScore ? "regressed" : bounded && low >= minScore ? "passed" : "undecided";
  return { verdict, score, low, high, reason, minScore };
}

/**
 * Difference of two models' expected scores, S_B − S_A over tasks like these: that of the corrected means, with the variance of
 * the draw of the anchors and that of the items, `taskSampling`. So the noise of both runs counts too, also where all items were
 * asked.
 * @returns null, and why, where a scenario has none, or where its anchors were chosen
 */
export function expectedDifference(
  { manifest, scenarios }: Bundle,
  a: ReadonlyMap<string, ScenarioEvidence>,
  b: ReadonlyMap<string, ScenarioEvidence>,
): SampledDifference | { readonly reason: string } {
  const parts: (SampledDifference & { readonly share: number })[] = [];
  for (const { id, share } of scenarioShares(manifest)) {
    const [left, right] = [a.get(id), b.get(id)];
    if (!left || !right) return { reason: `no anchor of ${id} was answered by all` };
    if (left.sample.inclusion === null)
      return { reason: "these anchors were chosen, not drawn: nothing measures the error of a difference" };
    const difference = right.score - left.score;
    const sampling = pairedSampling(difference, left, right);
    if (sampling === null) return { reason: `fewer than two anchors of ${id} were answered by all` };
    const tasks = taskSampling(scenarios.get(id)!.weights, left.sample, right.sample);
    parts.push({ share, ...widenedDifference({ difference, bounds: { low: -1, high: 1 }, sampling }, tasks) });
  }
  return weightedDifference(parts);
}
