import { AnchorEvalError } from "../errors.ts";
import { itemLogit, responseDerivatives } from "../irt/response.ts";
import type { ItemBank } from "../irt/item-bank.ts";
import { logSumExp } from "../numeric/log-sum-exp.ts";
import type { AbilityEstimate, AbilityPrior, ScoredItems } from "./types.ts";

/** The grid that a posterior is integrated over. */
export interface EapOptions {
  /** Points of the grid. @default 121 */
  readonly points?: number;
  /** Half-width of the first grid in prior standard deviations. @default 6 */
  readonly span?: number;
}

/** What lies this far below the posterior's peak, in logs, is nothing: e⁻⁴⁰ is below a double's last digit. */
const NEGLIGIBLE = 40;

/**
 * Expected a posteriori ability in one dimension: E[θ | y] on an even grid, summed in log space, so that thousands of
 * answers neither underflow nor overflow. The grid begins over the prior and closes in on the posterior's mass until
 * half of its points lie there, however much narrower than the prior that is.
 * @returns θ with the posterior standard deviation as standard error
 * @throws AnchorEvalError `unsupported` for more than one dimension
 * @see Bock & Mislevy (1982), Applied Psychological Measurement 6, 431–444
 * @example eapAbility(bank, { items: [0, 1], scores: [1, 1] }, prior).standardError[0]
 */
export function eapAbility(
  bank: ItemBank,
  answers: ScoredItems,
  prior: AbilityPrior,
  options: EapOptions = {},
): AbilityEstimate {
  if (bank.dims !== 1)
    throw new AnchorEvalError("unsupported", `EAP is for one dimension, this bank has ${bank.dims}: use mapAbility`);
  const { points = 121, span = 6 } = options;
  const mean = prior.mean[0]!;
  const deviation = 1 / Math.sqrt(prior.precision[0]!);
  const at = new Float64Array(1);
  const point = { logLikelihood: 0, slope: 0, information: 0 };
  const posterior = (value: number): number => {
    at[0] = value;
    let sum = -0.5 * ((value - mean) / deviation) ** 2;
    for (let j = 0; j < answers.items.length; j++) {
      const item = answers.items[j]!;
      sum += responseDerivatives(itemLogit(at, bank, item), answers.scores[j]!, bank, item, point).logLikelihood;
    }
    return sum;
  };
  let low = mean - span * deviation;
  let high = mean + span * deviation;
  let grid: Float64Array;
  let logPosterior: Float64Array;
  let evaluations = 0;
  for (;;) {
    const step = (high - low) / (points - 1);
    grid = Float64Array.from({ length: points }, (_, k) => low + k * step);
    logPosterior = grid.map(posterior);
    evaluations += points;
    const peak = logPosterior.reduce((largest, value) => Math.max(largest, value), -Infinity);
    const counts = (value: number): boolean => value > peak - NEGLIGIBLE;
    const first = logPosterior.findIndex(counts);
    const last = logPosterior.findLastIndex(counts);
    if (first < 0 || last - first >= points / 2 || evaluations >= 20 * points) break;
    low = grid[first]! - step;
    high = grid[last]! + step;
  }
  const total = logSumExp(logPosterior);
  if (!Number.isFinite(total))
    throw new AnchorEvalError(
      "numeric_failure",
      "the ability's posterior is not finite: item parameters or scores are not numbers",
    );
  let theta = 0;
  for (let k = 0; k < points; k++) theta += grid[k]! * Math.exp(logPosterior[k]! - total);
  let variance = 0;
  for (let k = 0; k < points; k++) variance += (grid[k]! - theta) ** 2 * Math.exp(logPosterior[k]! - total);
  return {
    theta: Float64Array.of(theta),
    covariance: Float64Array.of(variance),
    standardError: Float64Array.of(Math.sqrt(variance)),
    status: "converged",
    iterations: evaluations / points,
    method: "eap",
  };
}
