import { partOf, type PartedManifest } from "../../../sdk/core/bundle/part.ts";
import { AnchorEvalError, invalidOption } from "../../../sdk/core/errors.ts";
import { trialMetricPart } from "../core.ts";
import type { ItemTrials, TrialSummary } from "../../../sdk/tables/item-trials.ts";

/** Kinds of scores of k trials: that one passes, that all pass, and the best of their scores. */
const TRIAL_METRICS = ["pass@", "pass^", "best-of-"] as const;

/** A score of k trials of an item. */
export interface TrialMetric {
  readonly kind: (typeof TRIAL_METRICS)[number];
  /** k, whole and at least 1. */
  readonly k: number;
}

/**
 * Chance that at least one of k trials passes, from n of which c did: 1 − C(n−c, k)/C(n, k), the share of all choices of k
 * trials that hold one that passed. Its mean is 1 − (1−p)ᵏ whatever p, which that of 1 − (1 − c/n)ᵏ is not.
 * @param passed - c, whole, 0 to n
 * @param of - n, whole
 * @param k - whole, 1 to n
 * @returns in [0,1]; never falls in c, nor in k; c/n for k = 1
 * @throws AnchorEvalError `invalid_data` for counts that are none, `invalid_option` for a k that isn't whole, or above n
 * @see Chen et al. (2021), Evaluating Large Language Models Trained on Code, arXiv 2107.03374, §2.1
 * @example passAtK(1, 4, 2) // 0.5
 */
export function passAtK(passed: number, of: number, k: number): number {
  checkCounts(passed, of, k);
  return 1 - choiceShare(of - passed, of, k);
}

/**
 * Chance that k trials pass one and all, from n of which c did: C(c, k)/C(n, k). Its mean is pᵏ whatever p.
 * @param passed - c, whole, 0 to n
 * @param of - n, whole
 * @param k - whole, 1 to n
 * @returns in [0,1]; never falls in c, never rises in k; c/n for k = 1
 * @throws AnchorEvalError as {@link passAtK}
 * @see Yao et al. (2024), τ-bench, arXiv 2406.12045, §2
 * @example passHatK(3, 4, 2) // 0.5
 */
export function passHatK(passed: number, of: number, k: number): number {
  checkCounts(passed, of, k);
  return choiceShare(passed, of, k);
}

/**
 * Expected best score of k trials, from the scores of n: the mean over all choices of k of them of the largest,
 * Σ_j y_(j)·C(j−1, k−1)/C(n, k) with y_(1) ≤ … ≤ y_(n). Its mean is that of the largest of k draws, whatever they are
 * drawn from. Of scores that are 0 and 1 it is {@link passAtK}.
 * @param scores - of the trials, in [0,1], in any order
 * @param k - whole, 1 to n
 * @returns the mean of the scores for k = 1, the largest for k = n
 * @throws AnchorEvalError as {@link passAtK}
 * @see Serfling (1980), Approximation Theorems of Mathematical Statistics, ch. 5 (U-statistics)
 * @example bestOfK([0.2, 0.6, 1], 2) // (0.6 + 1 + 1) / 3
 */
export function bestOfK(scores: readonly number[], k: number): number {
  checkCounts(0, scores.length, k);
  if (scores.some((score) => !(score >= 0 && score <= 1)))
    throw new AnchorEvalError("invalid_data", "scores of trials are in [0,1]");
  const rising = [...scores].sort((left, right) => left - right);
  const n = rising.length;
  let best = 0;
  let share = k / n; // C(j−1, k−1)/C(n, k) at j = n
  for (let j = n; j >= k; j--) {
    best += share * rising[j - 1]!;
    share *= (j - k) / (j - 1);
  }
  return Math.min(1, best);
}

/** C(m, k)/C(n, k), m ≤ n. */
function choiceShare(m: number, n: number, k: number): number {
  let share = 1;
  for (let j = 0; j < k && share > 0; j++) share *= Math.max(0, m - j) / (n - j);
  return share;
}

function checkCounts(passed: number, of: number, k: number): void {
  if (!Number.isInteger(passed) || !Number.isInteger(of) || passed < 0 || of < 1 || passed > of)
    throw new AnchorEvalError(
      "invalid_data",
      `trials are whole numbers, passed from 0 to their number, got ${passed} passed of ${of}`,
    );
  if (!Number.isInteger(k) || k < 1) throw invalidOption(`k is a whole number of trials, at least 1, got ${k}`);
  if (k > of)
    throw invalidOption(
      `no estimate of ${k} trials is unbiased that comes from ${of} of them: make ${k} trials an item or more`,
    );
}

/**
 * A metric's name as a value.
 * @returns null for what isn't the name of a score of k trials
 * @throws AnchorEvalError `invalid_option` for one whose k is no whole number, or 0
 * @example parseTrialMetric("pass@16") // { kind: "pass@", k: 16 }
 */
export function parseTrialMetric(name: string): TrialMetric | null {
  const kind = TRIAL_METRICS.find((prefix) => name.startsWith(prefix));
  if (kind === undefined) return null;
  const digits = name.slice(kind.length);
  const k = /^\d{1,6}$/.test(digits) ? Number(digits) : NaN;
  if (!(k >= 1)) throw invalidOption(`${name}: ${kind}K needs a whole number of trials of at least 1 in place of K`);
  return { kind, k };
}

/** @example trialMetricName({ kind: "pass@", k: 16 }) // "pass@16" */
export function trialMetricName({ kind, k }: TrialMetric): string {
  return `${kind}${k}`;
}

/** How many trials of an item passed, of those that have a score; null where a score is neither 0 nor 1. */
export function passCounts(trials: ItemTrials): { readonly passed: number; readonly of: number } | null {
  if ("passed" in trials) return trials;
  const scores = trials.filter((score) => score !== null);
  if (scores.some((score) => score !== 0 && score !== 1)) return null;
  return { passed: scores.filter((score) => score === 1).length, of: scores.length };
}

/**
 * The unbiased estimate of a metric from one item's trials; a trial without a score is left out.
 * @returns null where no trial has a score
 * @throws AnchorEvalError `invalid_data` for graded scores where the metric counts passes, `invalid_option` for fewer than k
 * @example trialScore([1, 0, null, 1], { kind: "pass^", k: 2 }) // 1/3
 */
export function trialScore(trials: ItemTrials, { kind, k }: TrialMetric): number | null {
  const counts = passCounts(trials);
  if (counts?.of === 0) return null;
  if (kind === "best-of-" && counts === null)
    return bestOfK(
      (trials as readonly (number | null)[]).filter((score) => score !== null),
      k,
    );
  if (counts === null)
    throw new AnchorEvalError(
      "invalid_data",
      `${kind}K counts trials that passed: scores are 0 or 1, others have best-of-K`,
    );
  return kind === "pass^" ? passHatK(counts.passed, counts.of, k) : passAtK(counts.passed, counts.of, k);
}

/**
 * An item's trials as n/k blocks of k: the metric's unbiased estimate is their mean. Its variance is at most that of one block
 * over n/k; where there are two blocks, A² − B without bias, A the share of all choices of k trials that fail (pass^k: pass)
 * one and all, B that of 2k.
 * @returns the variance of one block, NaN where it isn't known: for fewer than 2k trials, or graded ones; null where no trial
 * has a score
 * @throws AnchorEvalError as {@link trialScore}
 * @see Hoeffding (1948), Annals of Mathematical Statistics 19, 293–325, §5
 * @example summariseBlocks({ passed: 1, of: 4 }, { kind: "pass@", k: 2 }) // { count: 2, mean: 1/2, variance: 1/2 }
 */
export function summariseBlocks(trials: ItemTrials, metric: TrialMetric): TrialSummary | null {
  const mean = trialScore(trials, metric);
  if (mean === null) return null;
  const counts = passCounts(trials);
  const of = counts?.of ?? (trials as readonly (number | null)[]).filter((score) => score !== null).length;
  const { kind, k } = metric;
  const count = of / k;
  if (counts === null || count < 2) return { count, mean, variance: NaN };
  const alike = kind === "pass^" ? counts.passed : of - counts.passed;
  const variance = choiceShare(alike, of, k) ** 2 - choiceShare(alike, of, 2 * k);
  return { count, mean, variance: count * Math.max(0, variance) };
}

/** The name of the score of k trials that a bundle was fitted on (`fit --metric`); null for another bundle. */
export function bundleTrialMetric(manifest: PartedManifest): string | null {
  return partOf(manifest, trialMetricPart);
}
