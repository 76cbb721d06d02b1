/** Which of several models is better, and whether one got worse. */
export { checkFromAnchors } from "./check-from-anchors.ts";
export type { CheckOptions, CheckResult } from "./check-types.ts";
export { compareFromAnchors } from "./compare-from-anchors.ts";
export { rankFromAnchors } from "./rank-from-anchors.ts";
export type {
  ComparedModel,
  CompareOptions,
  Comparison,
  Difference,
  RankedModel,
  Ranking,
  RankOptions,
  Verdict,
} from "./types.ts";
