import { clamp } from "../estimators/answered-sample.ts";
import type { BaseScores } from "../estimators/types.ts";
import { type KnownVariance, satterthwaite } from "../inference/sampling-variance.ts";
import type { ScenarioEstimate } from "./scenario-estimate.ts";

/** The line from S, the mean over a scenario's items, to its full score on items that the bundle doesn't have. */
export interface FullScoreLine {
  /** Source models that it was learned on. */
  readonly models: number;
  /** Their mean of S, in [0,1]. */
  readonly mean: number;
  /** The full score where S is that, in [0,1]. */
  readonly level: number;
  /** At least 0. */
  readonly slope: number;
  /** Root mean square error of each model's full score by the line of the others, a fraction: what S leaves open. */
  readonly error: number;
  /** Σ(S − mean)² over these models and λ, above 0: the error grows away from them. */
  readonly spread: number;
  /** Lowest S of the source models, in [0,1]. */
  readonly worst: number;
}

/** Scores prove nothing of items that aren't asked. */
const ANY_SCORE = { low: 0, high: 1 };

/** level + slope·(S − mean), in [0,1]. */
export function fullScoreAt({ level, slope, mean }: FullScoreLine, score: number): number {
  return clamp(level + slope * (score - mean), ANY_SCORE);
}

/** error²·(1 + (S − mean)²/spread), what even all items answered leave open, with models − 2 degrees of freedom. */
export function openVariance({ error, mean, spread, models }: FullScoreLine, score: number): KnownVariance {
  return { variance: error ** 2 * (1 + (score - mean) ** 2 / spread), degrees: Math.max(1, models - 2) };
}

/**
 * A scenario's estimate as one of its full score: every estimator by the line, slope²·V and what all items leave open as
 * variance. Answers prove no bounds.
 * @param line - null where the full score is that of the bundle's items: the estimate as it is
 */
export function fullScoreEstimate(
  estimate: ScenarioEstimate,
  line: FullScoreLine | null | undefined,
): ScenarioEstimate {
  if (!line) return estimate;
  const { base, sample, sampling, shift } = estimate;
  return {
    ...estimate,
    base: Object.fromEntries(Object.entries(base).map(([id, score]) => [id, fullScoreAt(line, score)])) as BaseScores,
    bounds: ANY_SCORE,
    shift: { ...shift, spread: line.slope * shift.spread },
    sampling: sampling && {
      ...satterthwaite([
        { share: line.slope, sampling },
        { share: 1, sampling: openVariance(line, base["p-irt-dr"]) },
      ]),
      answers: sample.items.length,
      right: sample.scores.reduce((sum, score) => sum + score, 0),
      unit: line.slope ** 2 * sampling.unit,
      bias: 0,
    },
  };
}
