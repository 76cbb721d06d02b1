import { leapOf } from "anchoreval/internal/core/estimators/logit-shift";
import {
  FALSE_ALARMS,
  type AnswerPattern,
  type PatternThresholds,
} from "anchoreval/internal/core/person-fit/answer-pattern";
import { conformalQuantile, rounded, thatAnswered } from "./held-out-scores.ts";
import type { HeldOutEstimate } from "./held-out.ts";

type JointThresholds = Pick<PatternThresholds, "lzStar" | "preknowledge">;

/** A held-out estimate whose pattern has every statistic. */
type Judged = HeldOutEstimate & { readonly pattern: { readonly [Name in keyof AnswerPattern]: number } };

const LEVEL = 1 - FALSE_ALARMS;

/**
 * Level of the quantile that a statistic's distances from the median are measured in. Higher ones follow the outliers
 * that the thresholds are read off: at .98, 60 models gave three false alarms in a hundred (docs/decisions/intervals.md).
 */
const REACH_LEVEL = 0.95;

/**
 * Where an answer pattern becomes suspicious, from held-out source models, each with the calibration and the anchors of its
 * own fold. `brokenRun` has no share of false alarms: it must be above 0 and above all models that were held out.
 * @param interpolation - random parts of the source models
 * @param extrapolation - the strongest by the weakest; where they are too few for the level, the most suspicious of them
 * @returns null where the models are too few for the rank that the level takes (below 49), or their patterns don't differ
 */
export function patternThresholds(
  interpolation: readonly HeldOutEstimate[],
  extrapolation: readonly HeldOutEstimate[],
): PatternThresholds | null {
  const like = thatAnswered(interpolation).filter(isJudged);
  const inside = jointThresholds(like, LEVEL);
  if (inside === null) return null;
  const strong = thatAnswered(extrapolation).filter(isJudged);
  const beyond = jointThresholds(strong, Math.min(LEVEL, highestLevel(strong)));
  const quantile = (figure: (pattern: Judged["pattern"]) => number): number =>
    rounded(conformalQuantile(like, (estimate) => figure((estimate as Judged).pattern), LEVEL)!);
  return {
    models: modelsOf(like),
    ...inside,
    stronger: beyond && {
      lzStar: Math.min(inside.lzStar, beyond.lzStar),
      preknowledge: Math.max(inside.preknowledge, beyond.preknowledge),
      leap: rounded(strong.reduce((most, { truth, seen }) => Math.max(most, leapOf(truth, seen)), 0)),
    },
    brokenRun: rounded(like.reduce((most, { pattern }) => Math.max(most, pattern.brokenRun), 0)),
    infit: quantile(({ infit }) => infit),
    outfit: quantile(({ outfit }) => outfit),
  };
}

/**
 * Thresholds of the two statistics that share the false alarms: both lie the same number of reaches from their medians, a
 * statistic's reach being the distance of its .95 quantile; the number is the ⌈(M+1)·level⌉-th smallest of what the models
 * have, each the larger of its two (split conformal, {@link conformalQuantile}).
 * @returns null where the models are too few, or don't differ
 * @see Vovk, Gammerman & Shafer (2005), Algorithmic Learning in a Random World
 */
function jointThresholds(estimates: readonly Judged[], level: number): JointThresholds | null {
  const figures = [
    ({ pattern }: HeldOutEstimate) => pattern!.preknowledge!,
    ({ pattern }: HeldOutEstimate) => -pattern!.lzStar!,
  ];
  const parts = figures.map((figure) => {
    const middle = median(estimates.map(figure));
    const reach = (conformalQuantile(estimates, figure, Math.min(REACH_LEVEL, level)) ?? NaN) - middle;
    return { figure, middle, reach };
  });
  if (parts.some(({ reach }) => !(reach > 0))) return null;
  const reaches = conformalQuantile(
    estimates,
    (estimate) => Math.max(...parts.map(({ figure, middle, reach }) => (figure(estimate) - middle) / reach)),
    level,
  );
  if (reaches === null) return null;
  const [preknowledge, negativeLz] = parts.map(({ middle, reach }) => middle + reaches * reach);
  return { lzStar: rounded(-negativeLz!), preknowledge: rounded(preknowledge!) };
}

function isJudged(estimate: HeldOutEstimate): estimate is Judged {
  return estimate.pattern !== null && Object.values(estimate.pattern).every((value) => value !== null);
}

function modelsOf(estimates: readonly HeldOutEstimate[]): number {
  return new Set(estimates.map(({ model }) => model)).size;
}

/** The level whose rank is the largest of so many. */
function highestLevel(estimates: readonly HeldOutEstimate[]): number {
  const models = modelsOf(estimates);
  return (models - 0.5) / (models + 1);
}

function median(values: readonly number[]): number {
  return [...values].sort((x, y) => x - y)[Math.floor((values.length - 1) / 2)] ?? NaN;
}
