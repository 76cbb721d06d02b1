import { createRandom } from "anchoreval/core";

const MODELS = 40;
const ITEMS = 240;
const SCENARIOS = ["reading", "sums"];

/** A made-up leaderboard as a wide CSV: models of unlike strength, items of unlike difficulty, answers drawn from them. */
export function exampleLeaderboard(seed: number): File {
  const random = createRandom(seed).fork("leaderboard");
  const items = Array.from({ length: ITEMS }, (_, i) => ({
    id: `${SCENARIOS[i % SCENARIOS.length]!}/${Math.floor(i / SCENARIOS.length)}`,
    a: Math.exp(0.4 * random.normal()),
    b: 1.3 * random.normal(),
  }));
  const rows = Array.from({ length: MODELS }, (_, m) => {
    const ability = 0.4 + 1.2 * random.normal();
    const answers = items.map(({ a, b }) => (random.next() < 1 / (1 + Math.exp(-a * (ability - b))) ? 1 : 0));
    return [`model-${m + 1}`, ...answers].join(",");
  });
  return new File([[["model", ...items.map(({ id }) => id)].join(","), ...rows].join("\n"), "\n"], "made-up.csv");
}
