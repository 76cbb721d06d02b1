import type { Bundle } from "../sdk/core/bundle/bundle.ts";
import { knownScoreRemark } from "./known-scores/sdk/with-known-score.ts";
import { bridgeRemark } from "./versions/sdk.ts";
import { door, type DoorOptions, type DoorResult, type PlugOptions } from "../sdk/estimate/door.ts";
import { ESTIMATE_OPTIONS, estimateFromAnchors } from "../sdk/estimate/estimate-from-anchors.ts";
import type { Estimate } from "../sdk/estimate/types.ts";
import { costRemark } from "./prices/sdk/bundle-prices.ts";
import type { AnyResponses } from "../sdk/tables/item-trials.ts";
import { subscoreRemark } from "./subscores/sdk/subscores.ts";
import { passReading } from "./trials/sdk/estimate-pass-at-k.ts";
import { trialReading } from "./trials/sdk/estimate-trials.ts";

const PLUGS = {
  readings: [passReading, trialReading],
  remarks: [bridgeRemark, costRemark, subscoreRemark, knownScoreRemark],
} as const;

/** How answers of any kind are read, and which score is wanted. */
export type AnswerOptions = DoorOptions<[...typeof PLUGS.readings, ...typeof PLUGS.remarks]>;

/** Options of what may stand beside an estimate of any kind. */
export type RemarkOptions = PlugOptions<typeof PLUGS.remarks>;

/** An estimate from one score an item. */
export type PlainEstimate = DoorResult<Estimate, [], typeof PLUGS.remarks>;

/** An estimate over trials. */
export type RepeatedEstimate = DoorResult<never, [typeof trialReading], typeof PLUGS.remarks>;

/** An estimate of a `metric`. */
export type MetricEstimate = DoorResult<never, [typeof passReading], typeof PLUGS.remarks>;

/** An estimate of any kind: `trials` or `metric` in it tell which. */
export type AnyEstimate = DoorResult<Estimate, typeof PLUGS.readings, typeof PLUGS.remarks>;

const enter = door(estimateFromAnchors, ESTIMATE_OPTIONS, PLUGS);

/**
 * The estimate that answers ask for: JavaScript, the program, a Worker and Python's package call this one. Scores are read by
 * `estimateFromAnchors`; several trials of an item, `over`, or a bundle of several trials by `estimateTrials`; a `metric`, or
 * trials for a bundle of one, by `estimatePassAtK`. Beside it stand `cost`, where there are prices, `bridged`, for a bundle
 * on an earlier version's scale, `subscores`, where they are asked for, and `withKnownScores`, where scores on other benchmarks
 * are given.
 * @param answers - by item id, or an array with `formDigest`: scores in [0,1], or an item's trials; null or absent = no answer
 * @throws AnchorEvalError as these; `invalid_option` for options of two of them
 * @example
 * const bundle = await loadBundle("https://evals.example.com/v1/bundles/helm-lite/1.0.0");
 * const { score, interval } = estimate(bundle, { "gsm/17": 1, "gsm/42": [0, 1, 1] });
 */
export function estimate(bundle: Bundle, answers: AnyResponses, options: AnswerOptions = {}): AnyEstimate {
  return enter(bundle, answers, options);
}
