import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import { mean, total } from "../../../offline-trainer/src/numeric/statistics.ts";

/** Several runs of one model: by item, how many there were, and how many of them were right. */
export interface RepeatedRuns {
  readonly runs: Float64Array;
  readonly right: Float64Array;
}

/** b: how much of the leaderboard's differences of difficulty this model shares. */
const SLOPES = [0, 0.25, 0.5, 0.75, 1];

/** s: in answers, how much an item's prior counts. */
const STRENGTHS = Array.from({ length: 9 }, (_, k) => 0.1 * 2 ** k);

/** Halvings until the level a is known. */
const BISECTIONS = 40;

/**
 * Probabilities that an item is answered otherwise from one run of a model to the next, 2·E[p(1−p)], from runs of it: p of
 * item i has the prior Beta(s·m_i, s·(1−m_i)) with logit m_i = a + b·logit x_i, x_i the item's mean score among other
 * models; a makes the priors as right as the runs are, b and s have the largest likelihood of the runs (empirical Bayes:
 * where other models tell nothing of this one, b is 0). After k right of r, with A = s·m + k and B = s·(1−m) + r − k,
 * E[p(1−p)] = AB/((A + B)(A + B + 1)).
 * @param accuracy - x in [0,1], NaN where no other model has answered @param models - how many these are
 * @returns by item, in (0,½)
 * @see Griffiths (1973), Biometrics 29, 637–648; Efron & Morris (1975), JASA 70, 311–319
 */
export function flipsFromRuns({ runs, right }: RepeatedRuns, accuracy: Float64Array, models: number): Float64Array {
  const average = mean(accuracy.filter((share) => !Number.isNaN(share)));
  const easiness = accuracy.map((share) =>
    logit(((Number.isNaN(share) ? average : share) * models + 0.5) / (models + 1)),
  );
  const level = (total(right) + 0.5) / (total(runs) + 1);
  let best: Float64Array = easiness;
  let most = -Infinity;
  for (const b of SLOPES) {
    const means = leveled(
      easiness.map((x) => b * x),
      runs,
      level,
    );
    for (const s of STRENGTHS) {
      const likelihood = logLikelihood(means, s, { runs, right });
      if (likelihood <= most) continue;
      most = likelihood;
      best = flips(means, s, { runs, right });
    }
  }
  return best;
}

/** σ(a + x) with a such that their mean over the runs is `level`. */
function leveled(x: Float64Array, runs: Float64Array, level: number): Float64Array {
  const count = total(runs);
  let [low, high] = [-40, 40];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (x.reduce((sum, item, i) => sum + runs[i]! * sigmoid(middle + item), 0) < level * count) low = middle;
    else high = middle;
  }
  return x.map((item) => sigmoid(high + item));
}

/** Beta-binomial, but for a term that depends on the runs alone. */
function logLikelihood(means: Float64Array, s: number, { runs, right }: RepeatedRuns): number {
  let sum = 0;
  means.forEach((m, i) => {
    for (let k = 0; k < right[i]!; k++) sum += Math.log(s * m + k);
    for (let k = 0; k < runs[i]! - right[i]!; k++) sum += Math.log(s * (1 - m) + k);
    for (let k = 0; k < runs[i]!; k++) sum -= Math.log(s + k);
  });
  return sum;
}

function flips(means: Float64Array, s: number, { runs, right }: RepeatedRuns): Float64Array {
  return means.map((m, i) => {
    const [a, b] = [s * m + right[i]!, s * (1 - m) + runs[i]! - right[i]!];
    return (2 * a * b) / ((a + b) * (a + b + 1));
  });
}

/** Weight of the mean over items, in models: few models say little of how the next one's noise lies. */
const SHRINKAGE = 4;

/**
 * The same from pass rates of other models, answers that are means over runs: the mean of 2p(1−p) over the models, shrunk
 * toward its mean over all items. Models whose accuracy is another flip on other items, so that this is worth far less
 * than runs of the model itself (docs/check.md has the figures).
 * @param rates - of an item, p of every model that answered it
 * @returns by item, in [0,½]; null where no answer lies between right and wrong: such answers are single runs
 */
export function flipsFromRates(rates: (item: number) => readonly number[], count: number): Float64Array | null {
  const items = Array.from({ length: count }, (_, i) => {
    const shares = rates(i);
    return { models: shares.length, flips: shares.reduce((sum, p) => sum + 2 * p * (1 - p), 0) };
  });
  const [flips, answers] = [total(items.map((item) => item.flips)), total(items.map(({ models }) => models))];
  if (flips === 0) return null;
  const average = flips / answers;
  return Float64Array.from(items, (item) => (item.flips + SHRINKAGE * average) / (item.models + SHRINKAGE));
}
