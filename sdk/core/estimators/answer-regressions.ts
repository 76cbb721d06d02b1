import { aipw } from "./aipw.ts";
import { answerSystem } from "./answer-system.ts";
import type { LinearScore } from "./linear-score.ts";
import { ridgeGap } from "./ridge-gap.ts";
import type { AnchorFactors, AnsweredSample } from "./types.ts";

/** The estimators that regress on the source models' answers, for one set of answered anchors, whatever the answers. */
export interface AnswerRegressions {
  readonly ridgeGap: LinearScore;
  readonly aipw: LinearScore;
}

/**
 * Both regressions, which share their normal equations. They depend only on which anchors were answered, so that models
 * that answered the same ones share them.
 * @param factors - of the source models' answers to the anchors, noise d = α/M and what the factors leave out
 * @param weights - item weights of the scenario, summing to 1
 * @param sample - the answered anchors, at least one
 */
export function answerRegressions(
  factors: AnchorFactors,
  weights: Float64Array,
  { items, positions, mass }: Pick<AnsweredSample, "items" | "positions" | "mass">,
): AnswerRegressions {
  const system = answerSystem(factors, positions);
  const own = Float64Array.from(items, (item) => weights[item]!);
  return { ridgeGap: ridgeGap(system, mass), aipw: aipw(system, own, mass) };
}
