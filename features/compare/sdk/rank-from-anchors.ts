import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { checkCall, invalidOption } from "../../../sdk/core/errors.ts";
import { confidenceLevel } from "../../../sdk/core/inference/score-interval.ts";
import { oneSidedConfidence, turnedDifference } from "../../../sdk/core/inference/paired-difference.ts";
import { rankIntervals } from "../../../sdk/core/inference/ranks.ts";
import { countAnswers } from "../../../sdk/estimate/overall-score.ts";
import { comparedSides, overallMean } from "./model-evidence.ts";
import { pairDifferences, saidDifference } from "./scenario-difference.ts";
import type { ComparedModel, RankedModel, Ranking, RankOptions } from "./types.ts";

/** Means that differ by less are the same mean, summed in another order. */
const ROUNDING = 1e-12;

/**
 * Models ranked on the items that all of them answered. The order is that of the stratified mean, which orders strong
 * models better than the score does; the rank intervals hold together with the probability `level`, and rest on all
 * pairwise differences: of the models over runs or tasks, or of these answers, as `compareFromAnchors` has them (`over`). Synchronous; touches no network.
 *
 * @param models - two at least; names must differ
 * @throws AnchorEvalError as `compareFromAnchors`
 * @example
 * const { models } = rankFromAnchors(bundle, [{ name: "x", responses: x }, { name: "y", responses: y }]);
 */
export function rankFromAnchors(bundle: Bundle, models: readonly ComparedModel[], options: RankOptions = {}): Ranking {
  checkCall(bundle, "loadBundle", options, { form: true, level: "number", onChangedItem: true, over: true });
  const { level: wanted, ...resolve } = options;
  const level = confidenceLevel(wanted);
  const names = models.map(({ name }, k) => name ?? `model ${k + 1}`);
  if (models.length < 2 || new Set(names).size < names.length)
    throw invalidOption(`a ranking is of two models or more, each with a name of its own`);
  const common = comparedSides(bundle, models, names, { ...resolve, level });
  const { benchmark, version, digest, form, over, sides, answered, warnings } = common;

  // Of every pair once, the later model's score less the earlier one's. What keeps one pair from an interval keeps all:
  // the items are the same.
  const pairs = sides.map((later, i) =>
    sides.slice(0, i).map((earlier) => pairDifferences(bundle, earlier.evidence, later.evidence, form, over).overall),
  );
  const { reason } = pairs[1]![0]!;
  const said = reason === null ? pairs.map((row) => row.map((pair) => saidDifference(pair)!)) : [];
  // The p-value of "i is better than j" is the one-sided confidence that j is.
  const behind = (i: number, j: number): number =>
    oneSidedConfidence(i > j ? turnedDifference(said[i]![j]!) : said[j]![i]!);
  const intervals = reason === null ? rankIntervals(behind, models.length, level) : null;

  const means = sides.map(({ evidence }) => overallMean(bundle.manifest, evidence));
  const placeOf = (score: number): number =>
    1 + means.filter((mean) => mean !== null && mean > score + ROUNDING).length;
  const ranked = means.map((stratifiedMean, index): RankedModel => {
    const { score, interval } = sides[index]!.estimate;
    const rank = stratifiedMean === null ? null : placeOf(stratifiedMean);
    const rankInterval = intervals?.[index] ?? null;
    return { name: names[index]!, index, score, interval, stratifiedMean, rank, rankInterval };
  });
  return {
    benchmark,
    version,
    form: form.id,
    digest,
    level,
    over,
    reason,
    ...countAnswers(answered.values()),
    models: ranked.sort((x, y) => (x.rank ?? 0) - (y.rank ?? 0) || x.index - y.index),
    warnings,
  };
}
