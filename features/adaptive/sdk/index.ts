/** Adaptive evaluations and races: which item to ask next, by what was answered. */
export { raceFromPool, type Race, type RaceOptions } from "./race.ts";
export type { RaceCandidate } from "./race-answers.ts";
export {
  adaptiveEvaluation,
  localAdaptive,
  type AdaptiveEvaluation,
  type AdaptiveSource,
  type AdaptiveTurn,
} from "./adaptive-session.ts";
export { pricedPool, withinBudget } from "./priced.ts";
export { loadAdaptive } from "./item-pool.ts";
export type {
  AdaptiveAnswers,
  AdaptiveItem,
  AdaptiveOptions,
  AdaptiveSession,
  NextItemsRequest,
  StopRules,
} from "./types.ts";
