import { type Bounds, clamp } from "../estimators/answered-sample.ts";
import type { GatedVariance } from "./sampling-variance.ts";
import { answerResidual, type PairedAnswers } from "./paired-difference.ts";

/**
 * Answers with which a scenario's own share of differing ones is drawn to that of all scenarios. Chosen, not measured.
 */
const SHARED_ANSWERS = 20;

/**
 * Log odds of a copy against another model, of two that differ in no answer. No leaderboard tells how often a model
 * meets its copy: chosen, not measured.
 */
const COPY_LOG_ODDS = 3;

/**
 * Standard deviation of the share of answers in which a copy differs, a half-normal's. Chosen, not measured: pairs that
 * differ in a fifth of their answers are no copies.
 */
const COPY_NOISE = 0.05;

/** Differing answers, and answers, that stand for that half-normal: the gamma distribution of its mean and variance. */
const COPY_PRIOR = { differing: 1.75, answers: 44 };

/** Least chance of either answer: no single one proves a copy. Chosen, not measured. */
const LEAST_CHANCE = 0.05;

/** One model's answers with the score that is served of it, and what that score's variance is. */
export interface ServedScore extends PairedAnswers {
  readonly score: number;
  /** The range that the answers alone prove. */
  readonly bounds: Bounds;
  /** How its variance follows from the draw's, where it is the gate. */
  readonly gated: ServedVariance | null;
}

/** A gate's variance within·V, V by the draw of the anchors, its squared bias, and on which side of the range it lies. */
export interface ServedVariance extends GatedVariance {
  readonly variance: number;
  readonly side: -1 | 1;
}

/** Two models' served scores of one scenario, from the items that both answered. */
export interface ScorePair {
  readonly a: ServedScore;
  readonly b: ServedScore;
}

/** Of several scenarios of two models: both scores of each, fractions in [0,1]. */
type JointScores = readonly { readonly a: number; readonly b: number }[];

/**
 * Scores of two models estimated together: the mean of both stays what it is, and their difference D̂ is drawn to what the
 * answers that differ can tell. With G = S_B − S_A of the two scores by themselves, n common answers in a scenario, U what
 * the other items weigh, and δ the share of answers that differ, drawn to that of all scenarios with 20 answers' weight,
 * another model differs by k·G, k = δ/(δ + s·U/n): the few answers that tell near-identical models apart say little.
 *
 * A copy that errs by chance differs on items whatever their difficulty, another model on those it may well answer either
 * way. Chances C_A and C_B of either one's being the other's copy follow from where the answers differ: every such item
 * weighs for a copy B by the mean of 1−q over the items, over its own, q the chance of A's answer there, at prior odds of
 * e³·exp(−(δ/.05)²/2), δ that of all scenarios. A copy's score on the items left is lower by ε·(2S − 1), S the mean of
 * both scores and ε = (differing answers + 1.75)/(answers + 44), so that
 * D̂ = (1−C_A−C_B)·k·G + (C_A+C_B)·Σ_A w(y_B−y_A) + (C_A−C_B)·ε·(2S−1)·U. Scores that aren't 0 or 1 are no copy's.
 *
 * D̂ of the pair turned around is −D̂; with all items answered it is exactly D.
 * @param pairs - one a scenario
 * @returns scores inside what the answers prove, given the shrinkage s ≥ 0
 */
export function pairedScores(pairs: readonly ScorePair[]): (shrinkage: number) => JointScores {
  const differing = pairs.map(({ a, b }) =>
    a.sample.scores.reduce((sum, score, j) => sum + Math.abs(b.sample.scores[j]! - score), 0),
  );
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  const answers = pairs.map(({ a }) => a.sample.items.length);
  const common = (total(differing) + 0.5) / (total(answers) + 1);
  const copies = copyChances(pairs, total(differing) / total(answers));
  const noise = (total(differing) + COPY_PRIOR.differing) / (total(answers) + COPY_PRIOR.answers);
  const parts = pairs.map(({ a, b }, s) => {
    const open = a.bounds.high - a.bounds.low;
    const mean = (a.score + b.score) / 2;
    const answeredGap = b.bounds.low - a.bounds.low;
    return {
      a,
      b,
      open: open / answers[s]!,
      mean,
      gap: (1 - copies.a - copies.b) * (b.score - a.score),
      copy: (copies.a + copies.b) * answeredGap + (copies.a - copies.b) * noise * (2 * mean - 1) * open,
      likeness: (differing[s]! + SHARED_ANSWERS * common) / (answers[s]! + SHARED_ANSWERS),
    };
  });
  return (shrinkage) =>
    parts.map(({ a, b, open, mean, gap, copy, likeness }) => {
      if (open === 0) return { a: a.score, b: b.score };
      const half = ((likeness / (likeness + shrinkage * open)) * gap + copy) / 2;
      return { a: clamp(mean - half, a.bounds), b: clamp(mean + half, b.bounds) };
    });
}

/** Chances that A is B's copy, and B is A's, from where their answers differ. @param share - of the answers that differ */
function copyChances(pairs: readonly ScorePair[], share: number): { readonly a: number; readonly b: number } {
  let count = 0;
  let differing = 0;
  const surprise = { a: 0, b: 0 };
  const evidence = { a: 0, b: 0 };
  for (const { a, b } of pairs)
    for (let j = 0; j < a.sample.scores.length; j++) {
      const [one, other] = [a.sample.scores[j]!, b.sample.scores[j]!];
      const gap = Math.abs(other - one);
      if (gap > 0 && gap < 1) return { a: 0, b: 0 };
      const mean = (one - answerResidual(a, j) + other - answerResidual(b, j)) / 2;
      const chance = Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, mean));
      const missed = { a: Math.abs(one - chance), b: Math.abs(other - chance) }; // 1 − q
      count++;
      surprise.a += missed.a;
      surprise.b += missed.b;
      if (gap === 0) continue;
      differing++;
      evidence.a -= Math.log(missed.b);
      evidence.b -= Math.log(missed.a);
    }
  const prior = COPY_LOG_ODDS - (share / COPY_NOISE) ** 2 / 2 - Math.LN2; // A or B alike
  const a = prior + evidence.a + differing * Math.log(surprise.b / count);
  const b = prior + evidence.b + differing * Math.log(surprise.a / count);
  const most = Math.max(a, b, 0);
  const sum = Math.exp(a - most) + Math.exp(b - most) + Math.exp(-most);
  return { a: Math.exp(a - most) / sum, b: Math.exp(b - most) / sum };
}

/**
 * Variance of the difference of two gates. By the draw it is V of the paired corrected means; by the scores themselves it
 * is that of both, as if what they leave over had nothing in common. Near-identical models make the first small, the
 * response model the second: of both the harmonic mean 2/(1/V + 1/(V_A+V_B)), times τ², which held-out pairs of models
 * were measured to need. The biases b outside the range seen are added, (±√b_B ∓ √b_A)², alike on the same side of it.
 * @param variance - V, from `pairedSampling`
 * @param tightening - τ; null where no pairs have told it: ½(1 + w)·V, w the mean of what either gate's variance is within
 * its own V, of which half is counted on for differences
 */
export function gatedPairVariance(
  variance: number,
  a: ServedVariance,
  b: ServedVariance,
  tightening: number | null,
): { readonly within: number; readonly bias: number } {
  const bias = (b.side * Math.sqrt(b.bias) - a.side * Math.sqrt(a.bias)) ** 2;
  if (tightening === null) return { within: ((1 + (a.within + b.within) / 2) / 2) * variance, bias };
  const apart = a.variance + b.variance;
  const sum = variance + apart;
  return { within: sum === 0 ? 0 : (tightening ** 2 * 2 * variance * apart) / sum, bias };
}
