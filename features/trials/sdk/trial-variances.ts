import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { answeredSample, wholeSample } from "../../../sdk/core/estimators/answered-sample.ts";
import type { AnsweredSample } from "../../../sdk/core/estimators/types.ts";
import type { KnownVariance } from "../../../sdk/core/inference/sampling-variance.ts";
import { answerCurves } from "../../../sdk/core/person-fit/statistics.ts";
import { onScale } from "../../../sdk/core/scoring/predicted-scores.ts";
import type { ScoredScenario } from "../../../sdk/estimate/overall-score.ts";
import type { ResolvedAnswers } from "../../../sdk/estimate/resolve-answers.ts";
import { bundleComponents, trialShare } from "./components.ts";
import type { VarianceComponents } from "../core.ts";
import type { TrialSummary } from "../../../sdk/tables/item-trials.ts";

/** The ways to know a run's noise, the weakest first: how large it can be, the source models' trials, this model's own. */
const BASES = ["bound", "components", "trials"] as const;

export type NoiseBasis = (typeof BASES)[number];

/**
 * @param degrees - of freedom that the model's own trials give
 * @param isNoted - whether the source models' trials tell of it
 */
export function noiseBasis(degrees: number, isNoted: boolean): NoiseBasis {
  return degrees > 0 ? "trials" : isNoted ? "components" : "bound";
}

/** The basis of a sum of parts. */
export function weakestBasis(bases: readonly NoiseBasis[]): NoiseBasis {
  return BASES.find((basis) => bases.includes(basis))!;
}

/** Weight of the prior variance of trials, in degrees of freedom. */
const PRIOR_DEGREES = 2;

/** Variances that a scenario's intervals over runs and tasks rest on, beside that of the draw of its anchors. */
export interface TrialVariances {
  /** Of ȳ_N, the score of all items in as many trials, about the expected score. */
  readonly noise: KnownVariance;
  readonly basis: NoiseBasis;
  /** Of ȳ_N about the expected score on tasks like these. */
  readonly tasks: KnownVariance;
  /** Of the anchors' mean about that of infinitely many items like them, without groups and with: the whole of its error. */
  readonly endless: readonly [alone: KnownVariance, grouped: KnownVariance];
  /** Answered anchors, and the sum of their scores. */
  readonly answers: number;
  readonly right: number;
  /** Factor of the run's own variance, at least 1: {@link widening}. */
  readonly widening: number;
}

/** A scenario's answers as a sample of its items, and the answered items' ids; null where nothing was answered. */
export function answeredItems(
  { scenarios }: Bundle,
  { form, scores, whole }: Pick<ResolvedAnswers, "form" | "scores" | "whole">,
  id: string,
): { readonly sample: AnsweredSample; readonly ids: readonly string[] } | null {
  const { weights, forms } = scenarios.get(id)!;
  const all = whole.get(id);
  if (all) return { sample: wholeSample(weights, all.scores), ids: all.itemIds };
  const { anchors, itemIds } = forms.get(form)!;
  const sample = answeredSample(anchors, scores.get(id)!);
  return sample && { sample, ids: Array.from(sample.positions, (at) => itemIds[at]!) };
}

/** Trials and groups of items by their ids, and a scenario's noise as the bundle has it. */
export interface ItemTables {
  readonly summaries: ReadonlyMap<string, TrialSummary>;
  readonly clusters: ReadonlyMap<string, string> | undefined;
  readonly components: VarianceComponents | undefined;
}

/**
 * Variances by the trials of one scenario's anchors, with m the mass of an anchor, w its item's weight (m·w is w²/π) and s²
 * the unbiased variance of its R trials.
 *
 * Noise of a run on all items, Σ_N w²σ²/R, by Σ_A m·w·s²/R. s² is shrunk, with the weight of two degrees of freedom, toward
 * ρ·p̂(1−p̂), ρ of {@link trialShare}; an item that was tried once takes that, times what the others' s² are of it on the whole.
 * @returns null where nothing was answered
 */
export function trialVariances(
  bundle: Bundle,
  answers: Parameters<typeof answeredItems>[1],
  id: string,
  scored: ScoredScenario,
  { summaries, clusters, components }: ItemTables,
): TrialVariances | null {
  const { bank, weights, scoreMap } = bundle.scenarios.get(id)!;
  const answered = answeredItems(bundle, answers, id);
  if (!answered || scored.result.details === null) return null;
  const { sample, ids } = answered;
  const predicted = onScale(answerCurves(bank, Float64Array.from(scored.result.details.theta), sample).p, scoreMap);
  const share = trialShare(components);
  const prior = predicted.map((p) => share * p * (1 - p));
  const trials = ids.map((item) => summaries.get(item)!);
  const { variances, degrees } = shrunkVariances(trials, prior);
  const masses = Float64Array.from(sample.items, (item) => weights[item]!);
  const terms = variances.map((variance, j) => (sample.mass[j]! * masses[j]! * variance) / trials[j]!.count);
  const groups = clusters && ids.map((item) => clusters.get(item) ?? item);
  return {
    noise: sumOfTerms(terms),
    basis: noiseBasis(degrees, components !== undefined),
    tasks: taskVariance(sample, masses, groups),
    endless: [taskVariance(sample, sample.mass), taskVariance(sample, sample.mass, groups)],
    answers: sample.items.length,
    right: sample.scores.reduce((sum, score) => sum + score, 0),
    widening: widening(sample, scored, variances, trials, components),
  };
}

/**
 * Variance of a model's score of all items of a scenario from run to run, in as many trials of each: the noise of
 * {@link trialVariances} by its trials and what the bundle knows of its sources'.
 * @param summaries - of all its answered items
 */
export function runNoise(
  bundle: Bundle,
  answers: Parameters<typeof answeredItems>[1],
  id: string,
  scored: ScoredScenario,
  summaries: ReadonlyMap<string, TrialSummary>,
): KnownVariance {
  const components = bundleComponents(bundle.manifest).get(id);
  return trialVariances(bundle, answers, id, scored, { summaries, clusters: undefined, components })!.noise;
}

/**
 * Variance of one trial of each item, and the degrees of freedom that the trials give it all together.
 * @param prior - what it is expected to be
 * @param weight - of that, in degrees of freedom
 */
export function shrunkVariances(
  trials: readonly TrialSummary[],
  prior: ArrayLike<number>,
  weight = PRIOR_DEGREES,
): { readonly variances: readonly number[]; readonly degrees: number } {
  let [degrees, within, expected] = [0, 0, 0];
  trials.forEach(({ count, variance }, j) => {
    if (count < 2) return;
    degrees += count - 1;
    within += (count - 1) * variance;
    expected += (count - 1) * prior[j]!;
  });
  const added = degrees > 0 ? (weight * expected) / degrees : 0;
  const ratio = expected > 0 ? (within + added) / (expected + added) : 1;
  const reliability = degrees / (degrees + weight);
  const variances = trials.map(({ count, variance }, j) =>
    count < 2 ? ratio * prior[j]! : reliability * variance + (1 - reliability) * prior[j]!,
  );
  return { variances, degrees };
}

/** A sum of independent terms, known to as many degrees of freedom as it has terms that matter. */
export function sumOfTerms(terms: readonly number[] | Float64Array): KnownVariance {
  let [variance, squares] = [0, 0];
  for (const term of terms) {
    variance += term;
    squares += term ** 2;
  }
  return { variance, degrees: variance > 0 ? variance ** 2 / squares : Infinity };
}

/**
 * Variance of the mean over all items about that of the tasks that they are a draw of, Σ_N w²(y − ȳ)², by the anchors
 * Σ_A m·w·e²·G/(G−1), e = y − ȳ. Items of one group are drawn together: the products m·m′·e·e′ of each two of them are
 * added, where they add anything on the whole. The answers' own noise is in it.
 * @param weights - of the answered anchors' items; with their masses in place of them, that of as many draws without end
 * @param groups - of the answered anchors; undefined = each is drawn by itself
 * @see Cameron & Miller (2015), A Practitioner's Guide to Cluster-Robust Inference, §II
 */
export function taskVariance(
  { mass, scores }: Pick<AnsweredSample, "mass" | "scores">,
  weights: ArrayLike<number>,
  groups?: readonly string[],
): KnownVariance {
  const mean = scores.reduce((sum, score, j) => sum + mass[j]! * score, 0);
  const sums = new Map<string | number, { own: number; sum: number; squares: number; size: number }>();
  scores.forEach((score, j) => {
    const key = groups?.[j] ?? j;
    const group = sums.get(key) ?? { own: 0, sum: 0, squares: 0, size: 0 };
    const [moved, area] = [mass[j]! * (score - mean), mass[j]! * weights[j]!];
    group.own += area * (score - mean) ** 2;
    group.sum += moved;
    group.squares += moved ** 2;
    group.size += area;
    sums.set(key, group);
  });
  let [within, pairs, size, sizes] = [0, 0, 0, 0];
  for (const group of sums.values()) {
    within += group.own;
    pairs += group.sum ** 2 - group.squares;
    size += group.size;
    sizes += group.size ** 2;
  }
  const count = sums.size;
  if (count < 2) return { variance: within + Math.max(0, pairs), degrees: 1 };
  const degrees = Math.max(1, size ** 2 / sizes - 1);
  return { variance: ((within + Math.max(0, pairs)) * count) / (count - 1), degrees };
}

/** Numbers of trials that differ by less, relatively, are as many. */
const SAME_TRIALS = 0.05;

/** Whether a model was tried about as often as the source models were, an item. */
export function sameTrials(perItem: number, sources: number): boolean {
  return Math.abs(Math.log(perItem / sources)) < SAME_TRIALS;
}

/** Trials an item, the harmonic mean. */
export function trialsPerItem(counts: readonly number[]): number {
  const mean = counts.length / counts.reduce((sum, count) => sum + 1 / count, 0);
  return Math.round(mean * 1e9) / 1e9; // 3, where all are 3
}

/**
 * Effect of fewer trials than the source models' on the variance of this run's score. What held-out models have narrowed it by,
 * τ², was measured with their noise: of the draw's variance V that part which as many trials as theirs would have taken away,
 * E = Σ_A m²(1−π)σ²(1/R − 1/R_sources), isn't narrowed: V′ = τ²(V − E) + E, at most V. More trials leave it as it is.
 * @returns V′/(τ²V), at least 1
 */
function widening(
  { mass, inclusion }: AnsweredSample,
  { gated, sampling, result: { exact } }: ScoredScenario,
  variances: readonly number[],
  trials: readonly TrialSummary[],
  components: VarianceComponents | undefined,
): number {
  if (!components || exact || !gated || !sampling || inclusion === null) return 1;
  if (gated.within >= 1 || sampling.variance === 0) return 1;
  if (sameTrials(trialsPerItem(trials.map(({ count }) => count)), components.trials)) return 1;
  const whole = sampling.variance / gated.within;
  const excess = variances.reduce((sum, variance, j) => {
    const open = mass[j]! ** 2 * (1 - inclusion[j]!);
    return sum + open * variance * (1 / trials[j]!.count - 1 / components.trials);
  }, 0);
  const noisy = Math.min(whole, Math.max(0, excess));
  return (gated.within * (whole - noisy) + noisy) / sampling.variance;
}
