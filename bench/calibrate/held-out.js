import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { answeredSample } from "anchoreval/internal/core/estimators/answered-sample";
import { modelImputedMean } from "anchoreval/internal/core/estimators/predicted-means";
import { itemLogit } from "anchoreval/internal/core/irt/response";
import { softplus } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { answerCurves } from "anchoreval/internal/core/person-fit/statistics";
import { expectedScore } from "anchoreval/internal/core/scoring/predicted-scores";
import { scoreAt } from "../../offline-trainer/dist/matrix/response-matrix.js";

/** k of the ability prior N(μ, k²Σ): what the fit implies, and what the trainer serves with. */
export const PRIOR_SCALES = [1, 2];
const ANCHOR_COUNTS = [50, 100];
/** What {@link heldOut} measures of a model. */
export const MEASURES = ["log-likelihood", ...ANCHOR_COUNTS.map((count) => `p-irt error, ${count}`)];

/**
 * How well items' parameters predict models that they were not fitted on. The same for every fit: the prior is
 * N(μ, k²Σ), μ and Σ the mean and covariance of the fit's own source abilities (a hundredth of the mean variance added
 * to every variance); abilities are their posterior modes.
 * @param fit - `bank` of all items, `theta` of the sources
 * @returns for each k, for each target: mean log P of an answer of a random half of the items, the ability from the
 * other half; then |p-irt − score| in points for each number of random anchors. null where a parameter is no number
 */
export function heldOut({ bank, theta }, { matrix, scores }, targets, seed) {
  if (![...bank.a, ...bank.b, ...theta].every(Number.isFinite)) return null;
  const { mean, covariance } = moments(theta, bank.dims);
  const draws = targets.map((model) => draw(matrix.items.length, createRandom(seed).fork(`model ${model}`)));
  return PRIOR_SCALES.map((scale) => {
    const prior = scaledPrior(mean, covariance, scale);
    return targets.map((model, k) => {
      const { seen, unseen, anchors } = draws[k];
      const errors = ANCHOR_COUNTS.map((count) => {
        const estimate = pIrt(bank, matrix, model, anchors.subarray(0, count), prior);
        return 100 * Math.abs(estimate - scores[model]);
      });
      return [logLikelihood(bank, matrix, model, abilityFrom(bank, matrix, model, seen, prior), unseen), ...errors];
    });
  });
}

/** Mean log-probability of a model's answers to some items. */
function logLikelihood(bank, matrix, model, { theta }, items) {
  let sum = 0;
  let cells = 0;
  for (const item of items) {
    const score = scoreAt(matrix, model, item);
    if (Number.isNaN(score)) continue;
    const z = itemLogit(theta, bank, item);
    sum -= score > 0.5 ? softplus(-z) : softplus(z);
    cells++;
  }
  return sum / cells;
}

/** Halves of the items, and anchors, for one model: by seed and model, so that all fits are asked the same. */
function draw(items, random) {
  const order = random.fork("halves").shuffle(Array.from({ length: items }, (_, i) => i));
  const half = Math.floor(items / 2);
  const anchors = random.fork("anchors").shuffle(Array.from({ length: items }, (_, i) => i));
  return {
    seen: order.slice(0, half),
    unseen: order.slice(half),
    anchors: Uint32Array.from(anchors.slice(0, Math.max(...ANCHOR_COUNTS))),
  };
}

function abilityFrom(bank, matrix, model, items, prior) {
  const gathered = gatherItems([{ bank, items, scores: Array.from(items, (i) => scoreAt(matrix, model, i)) }]);
  return mapAbility(gathered.bank, gathered, prior);
}

function pIrt(bank, matrix, model, items, prior) {
  const share = new Float64Array(bank.count).fill(1 / bank.count);
  const anchors = { items, inclusion: null, mass: new Float64Array(items.length).fill(1 / items.length) };
  const answers = Float64Array.from(items, (i) => scoreAt(matrix, model, i));
  const ability = abilityFrom(bank, matrix, model, items, prior);
  const sample = answeredSample(anchors, answers);
  const expected = expectedScore(ability.theta, bank, share, null);
  const predicted = answerCurves(bank, ability.theta, sample).p;
  return modelImputedMean({ weights: share, expected, predicted, sample });
}

function moments(theta, dims) {
  const models = theta.length / dims;
  const mean = new Float64Array(dims);
  const covariance = new Float64Array(dims * dims);
  for (let k = 0; k < theta.length; k++) mean[k % dims] += theta[k] / models;
  for (let at = 0; at < theta.length; at += dims)
    for (let r = 0; r < dims; r++)
      for (let c = 0; c < dims; c++)
        covariance[r * dims + c] += ((theta[at + r] - mean[r]) * (theta[at + c] - mean[c])) / models;
  let variance = 0;
  for (let d = 0; d < dims; d++) variance += covariance[d * (dims + 1)] / dims;
  for (let d = 0; d < dims; d++) covariance[d * (dims + 1)] += 0.01 * variance;
  return { mean, covariance };
}
