import {
  answerStep,
  type DifferenceVariance,
  discordance,
  type Discordance,
  NO_PAIRED_SAMPLING,
  pairedSampling,
  type SampledDifference,
  sumOfVariances,
  taskSampling,
  weightedDifference,
  widenedDifference,
} from "../../../sdk/core/inference/paired-difference.ts";
import { satterthwaite } from "../../../sdk/core/inference/sampling-variance.ts";
import { gatedPairVariance, pairedScores } from "../../../sdk/core/inference/paired-scores.ts";
import { LEAST_ANSWERED_SHARE } from "../../../sdk/core/estimators/answered-sample.ts";
import type { FormManifest, Manifest } from "../../../sdk/core/bundle/manifest.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import type { ScenarioEvidence } from "./model-evidence.ts";
import type { Over } from "./types.ts";

/** Two models' scores. */
interface PairScores {
  readonly a: number;
  readonly b: number;
}

/** S_B − S_A, of a scenario or overall, with what its interval rests on. */
export interface PairDifference {
  /** Both models' scores, whose difference it is; null where there is none. */
  readonly scores: PairScores | null;
  /** Of these answers: by the draw of the anchors alone. Null where there is no difference. */
  readonly sampled: SampledDifference | null;
  /** Variance of these answers' difference about that of the models; null where nothing is said of models. */
  readonly models: DifferenceVariance | null;
  /** Why there is no difference, or no variance that an interval can rest on; null where there is one. */
  readonly reason: string | null;
  /** Both models answered every item. */
  readonly exact: boolean;
  readonly discordance: Discordance;
}

/** Differences of two models, S_B − S_A: of each loaded scenario, and overall. */
export interface PairDifferences {
  readonly scenarios: ReadonlyMap<string, PairDifference>;
  readonly overall: PairDifference;
}

/** The difference that is said: of the models, where `models` has their variance, else of these answers. */
export function saidDifference({ sampled, models }: PairDifference): SampledDifference | null {
  return sampled && models ? widenedDifference(sampled, models) : sampled;
}

/**
 * Both models' scores are estimated together where held-out pairs of models have told how, else each by itself.
 * @param form - whose anchors both answered
 * @param over - what the difference is said of
 */
export function pairDifferences(
  { manifest, scenarios }: Bundle,
  a: ReadonlyMap<string, ScenarioEvidence>,
  b: ReadonlyMap<string, ScenarioEvidence>,
  { interval, overall, pairs: figures }: Pick<FormManifest, "interval" | "overall" | "pairs">,
  over: Over = "these-answers",
): PairDifferences {
  const common = [...scenarios.keys()].filter((id) => a.has(id) && b.has(id));
  const joint = figures && pairedScores(common.map((id) => ({ a: a.get(id)!, b: b.get(id)! })))(figures.shrinkage);
  const differences = new Map(
    [...scenarios].map(([id, { weights }]) => {
      const [left, right] = [a.get(id), b.get(id)];
      const pair = scenarioDifference(left, right, interval === "design", {
        scores: joint?.[common.indexOf(id)],
        tightening: figures?.tightening ?? null,
      });
      return [id, left && right ? { ...pair, models: modelSampling(over, weights, left, right) } : pair];
    }),
  );
  const inflation = figures?.inflation ?? overall?.inflation;
  return { scenarios: differences, overall: overallDifference(manifest, differences, inflation) };
}

/** Variance of two runs' difference of all items about that of the models, over runs of theirs or over tasks like these. */
function modelSampling(
  over: Over,
  weights: Float64Array,
  a: ScenarioEvidence,
  b: ScenarioEvidence,
): DifferenceVariance | null {
  if (over === "these-answers") return null;
  if (over === "tasks") return taskSampling(weights, a.sample, b.sample);
  const unit = a.sample.items.reduce((sum, item, j) => sum + a.sample.mass[j]! * weights[item]!, 0);
  const noise = satterthwaite([a, b].map((model) => ({ share: 1, sampling: model.noise! })));
  return { ...noise, unit: 0, step: answerStep(unit, a.sample, b.sample) };
}

/**
 * The difference of two models' scores in one scenario, from the items that both answered. Its variance is that of the
 * difference of corrected means by the draw of the anchors, or of gates what {@link gatedPairVariance} makes of it.
 * @param design - whether the form's intervals rest on the draw of its anchors
 * @param joint - both scores where they are estimated together, and τ
 */
export function scenarioDifference(
  a: ScenarioEvidence | undefined,
  b: ScenarioEvidence | undefined,
  design: boolean,
  joint: { readonly scores?: PairScores | undefined; readonly tightening: number | null } = { tightening: null },
): PairDifference {
  if (a === undefined || b === undefined)
    return noDifference("no anchor of this scenario was answered by both", { aHigher: 0, bHigher: 0 });
  const scores = joint.scores ?? { a: a.score, b: b.score };
  const difference = scores.b - scores.a;
  const bounds = { low: b.bounds.low - a.bounds.high, high: b.bounds.high - a.bounds.low };
  const pair = (reason: string | null, sampling = NO_PAIRED_SAMPLING): PairDifference => ({
    scores,
    sampled: { difference, bounds, sampling },
    models: null,
    reason,
    exact: a.exact,
    discordance: discordance(a.sample.scores, b.sample.scores),
  });
  if (a.exact) return pair(null);
  const { inclusion, share } = a.sample;
  if (!design || inclusion === null)
    return pair("these anchors were chosen, not drawn: nothing measures the error of a difference");
  if (share < LEAST_ANSWERED_SHARE)
    return pair(
      `both answered only ${Math.round(100 * share)} % of the anchors' weight, below ${100 * LEAST_ANSWERED_SHARE} %`,
    );
  const sampling = pairedSampling(difference, a, b);
  if (sampling === null) return pair("fewer than two anchors were answered by both");
  if (a.gated === null || b.gated === null) return pair(null, sampling);
  const { within, bias } = gatedPairVariance(sampling.variance, a.gated, b.gated, joint.tightening);
  return pair(null, { ...sampling, variance: within + bias });
}

function noDifference(reason: string, discordance: Discordance): PairDifference {
  return { scores: null, sampled: null, models: null, reason, exact: false, discordance };
}

/**
 * The overall difference ΣW_s·D_s / ΣW_s; null where a scenario has none.
 * @param inflation - κ, by which errors of overall scores exceed those of independent scenarios
 */
export function overallDifference(
  manifest: Manifest,
  scenarios: ReadonlyMap<string, PairDifference>,
  inflation = 1,
): PairDifference {
  const count = (side: keyof Discordance): number =>
    Array.from(scenarios.values(), (part) => part.discordance[side]).reduce((sum, part) => sum + part, 0);
  const discordances = { aHigher: count("aHigher"), bHigher: count("bHigher") };
  const parts = scenarioShares(manifest).map(({ id, share }) => ({ id, share, part: scenarios.get(id) }));
  const names = (which: (part: PairDifference | undefined) => boolean): string[] =>
    parts.filter(({ part }) => which(part)).map(({ id }) => id);
  const missing = names((part) => part === undefined || part.sampled === null);
  if (missing.length > 0) return noDifference(`no difference for ${missing.join(", ")}`, discordances);
  const unknown = names((part) => part!.reason !== null);
  const { sampling, ...sampled } = weightedDifference(parts.map(({ share, part }) => ({ share, ...part!.sampled! })));
  const scoreOf = (side: keyof PairScores): number =>
    parts.reduce((sum, { share, part }) => sum + share * part!.scores![side], 0);
  return {
    scores: { a: scoreOf("a"), b: scoreOf("b") },
    sampled: { ...sampled, sampling: { ...sampling, variance: inflation ** 2 * sampling.variance } },
    models: parts.every(({ part }) => part!.models)
      ? sumOfVariances(parts.map(({ share, part }) => ({ share, sampling: part!.models! })))
      : null,
    reason: unknown.length > 0 ? `no interval for ${unknown.join(", ")}` : null,
    exact: parts.every(({ part }) => part!.exact),
    discordance: discordances,
  };
}
