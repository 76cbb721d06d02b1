import { simulateLeaderboard, type SimulatedLeaderboard } from "./simulate-leaderboard.ts";

/**
 * The leaderboard of `npm run demo`: 120 models × 2 000 items in 3 scenarios, of which one has subscenarios and one is
 * multiple choice; every answer is there, so that each model's true score is known.
 */
export function demoLeaderboard(seed: number): SimulatedLeaderboard {
  return simulateLeaderboard({
    seed,
    models: 120,
    items: 2000,
    scenarios: 3,
    dims: 3,
    scenarioSpread: 0.3,
    subscenarioShare: 1 / 3,
    choiceShare: 1 / 3,
    saturatedShare: 0,
    hardShare: 0,
    flatShare: 0,
    missingCells: 0,
    missingBlocks: 0,
    prefixRuns: 0,
  });
}
