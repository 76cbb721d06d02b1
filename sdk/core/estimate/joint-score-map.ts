import { jointFeatures, mappedScore, type AnswerFeatures, type ScoreMaps } from "../estimators/additive-map.ts";
import { brought, type ScenarioEstimate } from "./scenario-estimate.ts";

/**
 * An estimate from all scenarios' answers, with the score of the map that reads them all in place of its own map's.
 * @param maps - null, or a map of its own answers alone: the estimate as it is
 * @param features - of every scenario, each from its own bank's answers
 */
export function withJointScoreMap(
  estimate: ScenarioEstimate,
  maps: ScoreMaps | null,
  features: ReadonlyMap<string, AnswerFeatures>,
): ScenarioEstimate {
  if (maps === null || maps.together === null) return estimate;
  const score = brought(mappedScore(maps.together, jointFeatures(features)), estimate.bounds);
  return { ...estimate, base: { ...estimate.base, "score-map": score } };
}
