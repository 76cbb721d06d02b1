/** Leaderboards that look like real ones, with the truth beside them. */
export type { SimulateOptions } from "./settings.ts";
export { type SimulatedLeaderboard, simulateLeaderboard } from "./simulate-leaderboard.ts";
