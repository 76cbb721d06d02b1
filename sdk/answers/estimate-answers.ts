import type { Bundle } from "../core/bundle/bundle.ts";
import { invalidOption } from "../core/errors.ts";
import { estimateFromAnchors } from "../estimate/estimate-from-anchors.ts";
import { namedAnswers } from "../estimate/resolve-answers.ts";
import type { Estimate, EstimateOptions } from "../estimate/types.ts";
import { type AnyResponses, hasTrials, type Responses, type TrialResponses } from "../tables/item-trials.ts";
import { answerCost, type Priced } from "../prices/bundle-prices.ts";
import { bundleComponents } from "../trials/components.ts";
import { estimatePassAtK, type PassEstimate } from "../trials/estimate-pass-at-k.ts";
import { estimateTrials, type TrialEstimate } from "../trials/estimate-trials.ts";

/** How answers of any kind are read, and which score is wanted. */
export interface AnswersOptions extends EstimateOptions {
  /** Intervals over runs and tasks of single answers, too; trials have them anyway. */
  readonly over?: "runs" | "tasks";
  /** The group of each item whose answers go together, for intervals over tasks. */
  readonly clusters?: Readonly<Record<string, string>> | ReadonlyMap<string, string>;
  /** A score of several trials, such as `pass@16`, in place of their mean. */
  readonly metric?: string;
}

/** An estimate of any kind: `trials` or `metric` in it tell which. */
export type AnyEstimate = Priced<Estimate | TrialEstimate | PassEstimate>;

/**
 * The estimate that answers ask for, in one place for a Worker and Python's package: `estimateFromAnchors` of scores,
 * `estimateTrials` where there are trials or `over`, or the bundle was fitted on several trials an item, `estimatePassAtK` of a
 * `metric`; and what the answers cost.
 * @throws AnchorEvalError as these; `invalid_option` for `over` or `clusters` with a metric
 */
export function estimateAnswers(bundle: Bundle, responses: AnyResponses, options: AnswersOptions = {}): AnyEstimate {
  const { over, clusters, metric, ...own } = options;
  const isPlain = over === undefined && clusters === undefined && metric === undefined && !hasTrials(responses);
  const estimate =
    isPlain && bundleComponents(bundle.manifest).size === 0
      ? estimateFromAnchors(bundle, responses as Responses, own)
      : estimateRepeated(bundle, responses, options);
  if (bundle.manifest.fit["prices"] === undefined) return estimate;
  const named = Array.isArray(responses) ? namedAnswers(bundle, responses, own).responses : responses;
  const cost = answerCost(bundle, named as TrialResponses);
  return cost === null ? estimate : { ...estimate, cost };
}

function estimateRepeated(
  bundle: Bundle,
  responses: AnyResponses,
  { over, clusters, metric, formDigest, ...own }: AnswersOptions,
): TrialEstimate | PassEstimate {
  if (over !== undefined && !["runs", "tasks"].includes(over))
    throw invalidOption(`over must be runs or tasks, got ${over}`);
  const digest = formDigest === undefined ? {} : { formDigest };
  const { responses: named, ...form } = Array.isArray(responses)
    ? namedAnswers(bundle, responses, { ...own, ...digest })
    : { responses: responses as TrialResponses };
  if (metric === undefined) {
    const groups = clusters && (clusters instanceof Map ? clusters : new Map(Object.entries(clusters)));
    return estimateTrials(bundle, named, { ...own, ...form, ...(groups && { clusters: groups }) });
  }
  const idle = over !== undefined ? "over" : clusters !== undefined ? "clusters" : null;
  if (idle !== null)
    throw invalidOption(`${idle} is for the mean of the trials, and ${metric} is for the chances themselves`);
  return estimatePassAtK(bundle, named, metric, { ...own, ...form });
}
