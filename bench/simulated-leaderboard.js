import { simulateLeaderboard } from "anchoreval-trainer";

/** 200 models × 2 scenarios of 500 items on average: what is measured where no leaderboards are given. */
export function simulatedLeaderboard() {
  return simulateLeaderboard({ models: 200, items: 1000, scenarios: 2, dims: 2, seed: 1 }).matrix;
}
