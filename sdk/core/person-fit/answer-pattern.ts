import type { AbilityEstimate } from "../ability/types.ts";
import { anchorMean } from "../estimators/predicted-means.ts";
import type { AnsweredSample } from "../estimators/types.ts";
import type { ItemBank } from "../irt/types.ts";
import { answerCurves } from "./answer-curves.ts";
import { brokenRun } from "./broken-run.ts";
import { lzStar } from "./lz-star.ts";
import { MeanSquares } from "./mean-squares.ts";
import { preknowledge } from "./preknowledge.ts";

/** How a model's answers to the anchors of a scenario lie against what its ability lets expect. */
export interface AnswerPattern {
  /** {@link lzStar}: low where right and wrong answers don't follow difficulty. */
  readonly lzStar: number | null;
  /** {@link MeanSquares}, 1 is expected: high where answers near the model's level are erratic. */
  readonly infit: number | null;
  /** The same of standardised residuals: high where answers far from the model's level are unexpected. */
  readonly outfit: number | null;
  /** {@link preknowledge}: high where the model is right on what it should get wrong. */
  readonly preknowledge: number | null;
  /** {@link brokenRun}, in nats: above 0 where hardly anything is right, and no source model is that weak. */
  readonly brokenRun: number;
}

/**
 * The statistics of one scenario's answers.
 * @param ability - posterior mode that these answers, and maybe others, gave
 * @param sample - the answered anchors
 * @param worst - lowest full score of the source models, in [0,1]
 */
export function answerPattern(
  bank: ItemBank,
  ability: Pick<AbilityEstimate, "theta" | "covariance">,
  sample: AnsweredSample,
  worst: number,
): AnswerPattern {
  const curves = answerCurves(bank, ability.theta, sample);
  const squares = new MeanSquares();
  for (let j = 0; j < sample.items.length; j++) squares.add(sample.scores[j]!, curves.p[j]!);
  const { infit, outfit } = squares.fit;
  return {
    lzStar: lzStar(bank, ability, sample, curves),
    infit: finiteOrNull(infit),
    outfit: finiteOrNull(outfit),
    preknowledge: preknowledge(bank, ability.theta, sample, curves),
    brokenRun: brokenRun(anchorMean(sample), sample.items.length, worst),
  };
}

/** JSON has no NaN. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
