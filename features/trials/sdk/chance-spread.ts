import { sigmoid } from "../../../sdk/core/numeric/functions.ts";
import { cholesky, choleskyInverse, choleskySolve } from "../../../sdk/core/numeric/dense.ts";
import { dampedNewton } from "../../../sdk/core/numeric/optimise.ts";
import { trialsPerItem } from "./trial-variances.ts";

/** Items of one scenario, and the trials of those that were asked. */
export interface TriedScenario {
  /** Logits of all items' chances by the response model, z. */
  readonly logits: Float64Array;
  /** Weights of all items, summing to 1. */
  readonly weights: Float64Array;
  /** Indices of the items that were tried. */
  readonly items: ArrayLike<number>;
  /** The mass d that each of them stands for, summing to 1. */
  readonly mass: ArrayLike<number>;
  /** Trials that passed, and trials, of each. */
  readonly passed: ArrayLike<number>;
  readonly of: ArrayLike<number>;
}

/** That of k trials one passes at least (`any`), or that they all pass. */
export interface TrialsGoal {
  readonly need: "any" | "all";
  readonly k: number;
}

/** A scenario's mean over all items of what k trials bring. */
export interface SpreadScore {
  /** In [0,1]. */
  readonly score: number;
  /** Variance of its error if chances are beta distributed, at least 0. */
  readonly variance: number;
  /** Standard deviation of what it is off by as they aren't, at least 0; 0 for no more trials than there are. */
  readonly misfit: number;
  /** Posterior mean of log φ. */
  readonly logPrecision: number;
}

/** Prior of log φ, normal: what 98 settings of models on four code benchmarks had, each by 128 trials an item. */
const PRECISION_PRIOR = { mean: 0.8, deviation: 0.9 } as const;

/** Prior of α₀ and α₁, normal and independent. */
const LINE_PRIOR = { mean: [0, 1], deviation: [1, 0.5] } as const;

/** log φ over which the posterior is summed: the prior's mean, 3.9 deviations to either side. */
const GRID = /* @__PURE__ */ Array.from({ length: 15 }, (_, j) => PRECISION_PRIOR.mean + (j - 7) * 0.5);

/** log φ that are less likely than the likeliest by more, in nats, are left out. */
const NEGLIGIBLE = 16;

/**
 * Misfit of beta distributions that are known exactly, as a share of what they add to the score beyond the trials: the root
 * mean square is .19 over 98 settings on four code benchmarks, all items tried and their chances known, and .17 to .21 of any
 * three of them (bench/pass-at-k.js --limit).
 */
const MISFIT = 0.2;

/** Chances are kept this far from 0 and 1. */
const LEAST_CHANCE = 1e-6;

/** Step in α₀ and α₁ of the score's slopes. */
const SLOPE_STEP = 1e-3;

/**
 * The mean over all items of what k trials of each bring, where only some were tried, and fewer than k times.
 *
 * Chances vary about the response model's: p_i ~ Beta(φμ_i, φ(1−μ_i)), μ_i = σ(α₀ + α₁·z_i), c_i ~ Binomial(n_i, p_i); small φ,
 * and items are all or nothing; φ = ∞, and the model's chances are right. Given φ, α is at its posterior mode, every answer
 * counting by its mass; log φ is summed over its posterior (Laplace's in α). With y = 1 − (1−p)ᵏ or pᵏ, whose means under a
 * beta distribution are products, the score is Σ w·E[y] + Σ_A d·e, e = E[y | c] − E[y].
 *
 * Its variance is that of what isn't known of the items, Σ_U w²Var[y] + Σ_A w²Var[y | c], of the draw of the anchors,
 * Σ_A (d−w)²·max(e², Var E[y | c]), of α and φ, and, as the same answers tell α and φ, 2·Σ_A (d−w)·e·u, where that adds
 * anything: u = Cov(score, log P(c)) over the posterior is what an anchor moves the score by through them. Its misfit is
 * {@link MISFIT} of what it is more, or less, than the score of as many trials as there were.
 * @returns with all items tried and d = w, Σ w·E[y | c]
 * @see Skellam (1948), JRSS B 10, 257–261 (the beta-binomial); Kazdan et al. (2025), Efficient Prediction of Pass@k Scaling;
 * Tierney & Kadane (1986), JASA 81, 82–86; Giordano & Broderick (2023), The Bayesian Infinitesimal Jackknife for Variance (u)
 */
export function spreadScore(scenario: TriedScenario, goal: TrialsGoal): SpreadScore {
  const { items, mass, weights, of } = scenario;
  const line = Float64Array.from(LINE_PRIOR.mean);
  const fitted = GRID.map((logPrecision) => {
    const { evidence, covariance } = fitLine(scenario, Math.exp(logPrecision), line);
    const off = (logPrecision - PRECISION_PRIOR.mean) / PRECISION_PRIOR.deviation;
    return { logPrecision, line: line.slice(), covariance, evidence: evidence - (off * off) / 2 };
  });
  const most = Math.max(...fitted.map(({ evidence }) => evidence));
  const tried = Math.max(1, Math.floor(trialsPerItem(Array.from(of))));
  const points = fitted
    .filter(({ evidence }) => evidence > most - NEGLIGIBLE)
    .map((point) => {
      const precision = Math.exp(point.logPrecision);
      const expected = givenLine(scenario, goal, precision, point.line);
      const near = goal.k > tried ? scoreGiven(scenario, { ...goal, k: tried }, precision, point.line) : expected.score;
      const slopes = [0, 1].map((d) => {
        const moved = point.line.slice();
        moved[d] = moved[d]! + SLOPE_STEP;
        return (scoreGiven(scenario, goal, precision, moved) - expected.score) / SLOPE_STEP;
      });
      const [level, tilt] = [0, 2].map(
        (row) => point.covariance[row]! * slopes[0]! + point.covariance[row + 1]! * slopes[1]!,
      );
      const variance = expected.variance + level! * slopes[0]! + tilt! * slopes[1]!;
      const answers = Array.from(items, (item, j) => {
        const counts = countsAt(scenario, precision, point.line, j);
        const pull = countsSlope(counts) * (level! + tilt! * scenario.logits[item]!);
        return { logChance: countsLogChance(counts), pull };
      });
      return { ...point, ...expected, near, variance, answers, share: Math.exp(point.evidence - most) };
    });
  const total = points.reduce((sum, { share }) => sum + share, 0);
  const mean = (value: (one: (typeof points)[number]) => number): number =>
    points.reduce((sum, one) => sum + (one.share / total) * value(one), 0);
  const score = mean((one) => one.score);
  let together = 0;
  for (let j = 0; j < items.length; j++) {
    const beyond = mass[j]! - weights[items[j]!]!;
    const logChance = mean((one) => one.answers[j]!.logChance);
    const pull = mean(
      ({ answers, ...one }) => answers[j]!.pull + (one.score - score) * (answers[j]!.logChance - logChance),
    );
    together += 2 * beyond * mean(({ moved }) => moved[j]!) * pull;
  }
  return {
    score: Math.min(1, Math.max(0, score)),
    variance: mean((one) => one.variance + (one.score - score) ** 2) + Math.max(0, together),
    misfit: MISFIT * Math.abs(score - mean(({ near }) => near)),
    logPrecision: mean((one) => one.logPrecision),
  };
}

/**
 * The posterior mode of (α₀, α₁) given φ, from where `line` is; it ends there.
 * @returns Laplace's log evidence up to a constant, and the covariance, 2×2
 */
function fitLine(
  scenario: TriedScenario,
  precision: number,
  line: Float64Array,
): { evidence: number; covariance: Float64Array } {
  const { logits, items, mass, of } = scenario;
  const value = (at: Float64Array): number => {
    let sum = 0;
    for (let d = 0; d < 2; d++) sum -= (at[d]! - LINE_PRIOR.mean[d]!) ** 2 / LINE_PRIOR.deviation[d]! ** 2 / 2;
    for (let j = 0; j < items.length; j++) sum += countsLogChance(countsAt(scenario, precision, at, j));
    return sum;
  };
  const curvature = new Float64Array(4);
  const step = (at: Float64Array) => {
    const gradient = new Float64Array(2);
    curvature.fill(0);
    for (let d = 0; d < 2; d++) {
      const weight = 1 / LINE_PRIOR.deviation[d]! ** 2;
      gradient[d] = -(at[d]! - LINE_PRIOR.mean[d]!) * weight;
      curvature[3 * d] = weight;
    }
    for (let j = 0; j < items.length; j++) {
      const z = logits[items[j]!]!;
      const mu = chanceAt(at, z);
      // Trials of one item go together by 1/(1+φ): they count as n/(1 + (n−1)/(1+φ)).
      const information = (mass[j]! * items.length * mu * (1 - mu) * of[j]!) / (1 + (of[j]! - 1) / (1 + precision));
      const slope = countsSlope(countsAt(scenario, precision, at, j));
      gradient[0] = gradient[0]! + slope;
      gradient[1] = gradient[1]! + slope * z;
      curvature[0] = curvature[0]! + information;
      curvature[1] = curvature[1]! + information * z;
      curvature[3] = curvature[3]! + information * z * z;
    }
    curvature[2] = curvature[1]!;
    const factor = cholesky(curvature, 2);
    if (factor === null) return null;
    const delta = choleskySolve(factor, 2, gradient);
    return { step: delta, decrement: delta[0]! * gradient[0]! + delta[1]! * gradient[1]! };
  };
  dampedNewton(line, { name: "the posterior of the items' chances", value, step }, { tolerance: 1e-10 });
  step(line);
  const determinant = curvature[0]! * curvature[3]! - curvature[1]! ** 2;
  return {
    evidence: value(line) - Math.log(determinant) / 2,
    covariance: choleskyInverse(cholesky(curvature, 2)!, 2),
  };
}

/** An anchor's trials, and the distribution of its chance given φ and α, Beta(φμ, φ(1 − μ)). */
interface Counts {
  readonly mu: number;
  readonly precision: number;
  /** Its mass times the number of anchors: how much it counts. */
  readonly share: number;
  readonly passed: number;
  readonly of: number;
}

function countsAt(
  { logits, items, mass, passed, of }: TriedScenario,
  precision: number,
  line: Float64Array,
  j: number,
): Counts {
  const mu = chanceAt(line, logits[items[j]!]!);
  return { mu, precision, share: mass[j]! * items.length, passed: passed[j]!, of: of[j]! };
}

/** An anchor's part of the log-likelihood. */
function countsLogChance({ mu, precision, share, passed, of }: Counts): number {
  return share * logCounts(precision * mu, precision * (1 - mu), passed, of);
}

/** The slope of an anchor's part of the log-likelihood in the logit of μ. */
function countsSlope({ mu, precision, share, passed, of }: Counts): number {
  const rise = reciprocals(precision * mu, passed) - reciprocals(precision * (1 - mu), of - passed);
  return share * precision * rise * mu * (1 - mu);
}

/** The score of {@link givenLine} alone: without the variances, which take twice as many factors. */
function scoreGiven(
  { logits, weights, items, mass, passed, of }: TriedScenario,
  goal: TrialsGoal,
  precision: number,
  line: Float64Array,
): number {
  let score = 0;
  const means = Float64Array.from(logits, (z, i) => {
    const mu = chanceAt(line, z);
    const mean = outcomeMean(precision * mu, precision * (1 - mu), goal);
    score += weights[i]! * mean;
    return mean;
  });
  for (let j = 0; j < items.length; j++) {
    const i = items[j]!;
    const mu = chanceAt(line, logits[i]!);
    const expected = outcomeMean(precision * mu + passed[j]!, precision * (1 - mu) + of[j]! - passed[j]!, goal);
    score += mass[j]! * (expected - means[i]!);
  }
  return score;
}

/** Score and variance given φ and α, and what each anchor's trials moved its mean by, E[y | c] − E[y]. */
function givenLine(
  { logits, weights, items, mass, passed, of }: TriedScenario,
  goal: TrialsGoal,
  precision: number,
  line: Float64Array,
): { score: number; variance: number; moved: Float64Array } {
  let [score, variance] = [0, 0];
  const priors = Array.from(logits, (z, i) => {
    const mu = chanceAt(line, z);
    const prior = outcome(precision * mu, precision * (1 - mu), goal);
    score += weights[i]! * prior.mean;
    variance += weights[i]! ** 2 * prior.variance;
    return prior;
  });
  const moved = Float64Array.from(items, (i, j) => {
    const mu = chanceAt(line, logits[i]!);
    const prior = priors[i]!;
    const posterior = outcome(precision * mu + passed[j]!, precision * (1 - mu) + of[j]! - passed[j]!, goal);
    const move = posterior.mean - prior.mean;
    const explained = Math.max(move ** 2, prior.variance - posterior.variance);
    score += mass[j]! * move;
    variance += weights[i]! ** 2 * (posterior.variance - prior.variance) + (mass[j]! - weights[i]!) ** 2 * explained;
    return move;
  });
  return { score, variance: Math.max(0, variance), moved };
}

function chanceAt(line: Float64Array, z: number): number {
  return Math.min(1 - LEAST_CHANCE, Math.max(LEAST_CHANCE, sigmoid(line[0]! + line[1]! * z)));
}

/** Mean and variance of what k trials bring, of a chance p ~ Beta(α, β). */
function outcome(alpha: number, beta: number, { need, k }: TrialsGoal): { mean: number; variance: number } {
  const [shape, other] = need === "all" ? [alpha, beta] : [beta, alpha];
  const first = powerMean(shape, other, k);
  const variance = Math.max(0, powerMean(shape, other, 2 * k) - first * first);
  return { mean: need === "all" ? first : 1 - first, variance };
}

function outcomeMean(alpha: number, beta: number, { need, k }: TrialsGoal): number {
  return need === "all" ? powerMean(alpha, beta, k) : 1 - powerMean(beta, alpha, k);
}

/** E[qᵏ] of q ~ Beta(α, β): Γ(α+k)Γ(α+β)/(Γ(α)Γ(α+β+k)). */
export function powerMean(alpha: number, beta: number, k: number): number {
  return Math.exp(logRising(alpha, k) - logRising(alpha + beta, k));
}

/** Factors up to which log Γ(x+k)/Γ(x) is a sum of their logarithms. */
const MOST_FACTORS = 24;

/** log Γ(x+k)/Γ(x) = Σ_{j<k} log(x+j), by Stirling's series for many. */
function logRising(x: number, k: number): number {
  if (k > MOST_FACTORS) return logRising(x, MOST_FACTORS) + stirling(x + k) - stirling(x + MOST_FACTORS);
  let sum = 0;
  let product = 1;
  for (let j = 0; j < k; j++) {
    product *= x + j;
    if (product > 1e200 || product < 1e-200) {
      sum += Math.log(product);
      product = 1;
    }
  }
  return sum + Math.log(product);
}

/** log Γ(x) but for ½·log 2π, for x ≥ 24 to 1e-15. */
function stirling(x: number): number {
  const s = 1 / (x * x);
  return (x - 0.5) * Math.log(x) - x + (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s / 1680))) / x;
}

/** log of the beta-binomial's chance of c of n, but for C(n, c). */
function logCounts(alpha: number, beta: number, passed: number, of: number): number {
  return logRising(alpha, passed) + logRising(beta, of - passed) - logRising(alpha + beta, of);
}

/** Σ_{j<n} 1/(x+j), by the digamma function's series for many. */
function reciprocals(x: number, n: number): number {
  if (n > MOST_FACTORS) return reciprocals(x, MOST_FACTORS) + digamma(x + n) - digamma(x + MOST_FACTORS);
  let sum = 0;
  for (let j = 0; j < n; j++) sum += 1 / (x + j);
  return sum;
}

/** The derivative of log Γ(x), for x ≥ 24 to 1e-15. */
function digamma(x: number): number {
  const s = 1 / (x * x);
  return Math.log(x) - 1 / (2 * x) - s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s / 240)));
}
