import type { FormManifest } from "anchoreval/internal/core/bundle/manifest";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import type { Blend } from "anchoreval/internal/core/estimators/types";
import { pairedSampling, weightedDifference } from "anchoreval/internal/core/inference/paired-difference";
import {
  gatedPairVariance,
  pairedScores,
  type ScorePair,
  type ServedScore,
} from "anchoreval/internal/core/inference/paired-scores";
import { gatedVariance, type KnownVariance } from "anchoreval/internal/core/inference/sampling-variance";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import type { Benchmark } from "../matrix/benchmark.ts";
import { tighteningRule } from "./blend-figures.ts";
import { type Blends, servedBlend } from "./blends.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { pooledQuantile, rounded } from "./held-out-scores.ts";

/**
 * Others of its fold that each held-out model is paired with before and after itself, at most. Chosen, not measured.
 */
const NEIGHBOURS = 8;

/**
 * Pairs of a draw of the form, about, at which more tell little: what they have in common are the models. Chosen, not
 * measured.
 */
const ENOUGH_PAIRS = 800;

/** Shrinkages that are tried: none, then from a twentieth to 13 by steps of a quarter. */
const SHRINKAGES = [0, ...Array.from({ length: 26 }, (_, k) => 0.05 * 1.25 ** k)];

/** Share of the differences that intervals are to hold, by definition. */
const LEVEL = 0.95;

/** A held-out model's score in one scenario, and the true one. */
type HeldOutScore = ServedScore & { readonly truth: number };

/** Two models that one fold held out, on the same form: a score of each in every scenario that both answered alike. */
interface HeldOutPair {
  readonly scenarios: readonly (ScorePair & { readonly truth: number })[];
  /** All scenarios are there. */
  readonly whole: boolean;
}

/**
 * Figures of differences, from pairs of held-out models: the shrinkage with the least squared error, and what multiples of the
 * stated half-widths would have held 95 % of the true differences, of scenarios and overall (split conformal prediction on
 * scaled errors, corrected for the number of models). Models of a pair are of one fold, so that the same anchors were
 * asked and nothing was learned from either; of replicates only one is paired. Of many models each is paired with fewer others.
 * @param blends - of all scenarios, held out together
 * @param form - its id
 * @returns null where models are fewer than 39 or of fewer than 8 families, or answers are missing
 * @see Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), JASA 113, 1094–1111, §5.2
 */
export function pairFigures(
  { families, replicates }: Benchmark,
  blends: Blends,
  form: string,
  random: RandomSource,
): NonNullable<FormManifest["pairs"]> | null {
  const served = Array.from(blends.values(), (byForm) => servedBlend(byForm.get(form)!));
  const tables = served.map(({ validation, foldOut }) => {
    const estimates = validation.interpolation.filter(({ part }) => part === null);
    const first = firstReplicates(estimates, replicates);
    return { estimates: estimates.filter(({ model }) => first.has(model)), foldOut };
  });
  if (!tables.every(({ estimates }) => tighteningRule(estimates, families) === "conformal")) return null;
  const scores = tables.map(({ estimates, foldOut }) => scoresByForm(estimates, foldOut));
  const models = new Set(tables[0]!.estimates.map(({ model }) => model)).size;
  const neighbours = Math.min(NEIGHBOURS, Math.ceil(ENOUGH_PAIRS / models));
  const pairs = [...scores[0]!.keys()].flatMap((drawn) =>
    heldOutPairs(
      scores.map((table) => table.get(drawn)!),
      neighbours,
      random.fork(`${form} ${drawn}`),
    ),
  );
  const quantile = (ratios: readonly number[]): number => Math.sqrt(pooledQuantile(ratios, models, LEVEL)!); // of 39 or more
  const excess = excessRatio();
  const prepared = pairs.map(({ scenarios }) => ({ scenarios, scoresAt: pairedScores(scenarios) }));
  const shrinkage = leastError(prepared);
  const differences = prepared.map((pair, k) => ({
    whole: pairs[k]!.whole,
    scenarios: pairedDifferences(pair, shrinkage),
  }));
  const tightening = quantile(
    differences.flatMap(({ scenarios }) =>
      scenarios.map(({ error, scaled, bias, degrees }) => excess(error, { variance: scaled, degrees }, bias)),
    ),
  );
  const overall = differences.flatMap(({ scenarios, whole }) => {
    if (!whole) return [];
    const share = 1 / scenarios.length;
    const { difference, sampling } = weightedDifference(
      scenarios.map(({ error, scaled, bias, degrees }) => ({
        share,
        difference: error,
        bounds: { low: -1, high: 1 },
        sampling: { variance: tightening ** 2 * scaled + bias, degrees },
      })),
    );
    return [excess(difference, sampling, 0)];
  });
  if (!(tightening > 0 && overall.length > 0)) return null;
  const inflation = quantile(overall);
  const areFinite = Number.isFinite(tightening) && Number.isFinite(inflation) && inflation > 0;
  return areFinite
    ? { shrinkage: rounded(shrinkage), tightening: rounded(tightening), inflation: rounded(inflation) }
    : null;
}

/** The first of every set of replicates. */
function firstReplicates(estimates: readonly HeldOutEstimate[], replicates: ArrayLike<number>): Set<number> {
  const first = new Map<number, number>();
  for (const model of estimates.map((estimate) => estimate.model).sort((x, y) => x - y))
    if (!first.has(replicates[model]!)) first.set(replicates[model]!, model);
  return new Set(first.values());
}

/** Scores of the models that a fold held out, by fold and draw of the form, then by model. */
function scoresByForm(
  estimates: readonly HeldOutEstimate[],
  blendOf: (estimate: HeldOutEstimate) => Blend,
): Map<string, Map<number, HeldOutScore>> {
  const byForm = new Map<string, Map<number, HeldOutScore>>();
  for (const estimate of estimates) {
    const score = servedScore(estimate, blendOf(estimate));
    const key = `${estimate.fold}/${estimate.draw}`;
    const byModel = byForm.get(key) ?? new Map<number, HeldOutScore>();
    byForm.set(key, score === null ? byModel : byModel.set(estimate.model, score));
  }
  return byForm;
}

/** The gate as it would have been served; null without a variance. */
function servedScore(estimate: HeldOutEstimate, blend: Blend): HeldOutScore | null {
  const { bounds, seen, sampling, answers, truth } = estimate;
  if (answers === null || sampling === null) return null;
  const blended = blendEstimates(estimate, blend, seen);
  const gated = gatedVariance(blended, blend.tightening, sampling);
  const side = blended.outside.above >= blended.outside.below ? 1 : -1;
  return {
    ...answers,
    score: blended.estimators.gate,
    bounds,
    gated: { ...gated, side, variance: gated.within * sampling.variance },
    truth,
  };
}

/** Every model beside some others of its fold, in an order that says nothing of them. @param scores - by scenario */
function heldOutPairs(
  scores: readonly ReadonlyMap<number, HeldOutScore>[],
  neighbours: number,
  random: RandomSource,
): HeldOutPair[] {
  const models = random.shuffle([...scores[0]!.keys()].sort((x, y) => x - y));
  const reach = Math.min(neighbours, Math.floor((models.length - 1) / 2));
  return models.flatMap((model, k) =>
    Array.from({ length: reach }, (_, step): HeldOutPair => {
      const other = models[(k + step + 1) % models.length]!;
      const scenarios = scores.flatMap((byModel) => {
        const [a, b] = [byModel.get(model), byModel.get(other)];
        return a && b && areSame(a.sample.items, b.sample.items) ? [{ a, b, truth: b.truth - a.truth }] : [];
      });
      return { scenarios, whole: scenarios.length === scores.length };
    }),
  );
}

/** Whether both are of the same items, which models that answered a whole form share. */
function areSame(items: Uint32Array, others: Uint32Array): boolean {
  return items === others || (items.length === others.length && items.every((item, j) => item === others[j]));
}

/** A pair with its scores by shrinkage. */
interface PreparedPair extends Pick<HeldOutPair, "scenarios"> {
  readonly scoresAt: ReturnType<typeof pairedScores>;
}

function leastError(pairs: readonly PreparedPair[]): number {
  const errors = SHRINKAGES.map(() => 0);
  for (const { scenarios, scoresAt } of pairs)
    SHRINKAGES.forEach((shrinkage, k) => {
      const scores = scoresAt(shrinkage);
      for (let s = 0; s < scores.length; s++)
        errors[k] = errors[k]! + (scores[s]!.b - scores[s]!.a - scenarios[s]!.truth) ** 2;
    });
  return SHRINKAGES[errors.indexOf(Math.min(...errors))]!;
}

/** Errors of a pair's differences, with the variance that is stated of each before it is tightened, and its bias. */
function pairedDifferences({ scenarios, scoresAt }: PreparedPair, shrinkage: number) {
  const scores = scoresAt(shrinkage);
  return scenarios.map(({ a, b, truth }, s) => {
    const difference = scores[s]!.b - scores[s]!.a;
    const { variance, degrees } = pairedSampling(difference, a, b)!; // both have a variance by the draw
    const { within, bias } = gatedPairVariance(variance, a.gated!, b.gated!, 1);
    return { error: difference - truth, scaled: within, bias, degrees };
  });
}

/** The multiple of a variance at which t intervals just hold an error, beside a squared bias. */
function excessRatio(): (error: number, sampling: KnownVariance, bias: number) => number {
  const quantileOf = remembered((degrees: number) => studentTQuantile(0.5 + LEVEL / 2, degrees));
  return (error, { variance, degrees }, bias) => {
    const needed = error ** 2 / quantileOf(degrees) ** 2 - bias;
    return needed < 1e-24 ? 0 : needed / variance;
  };
}
