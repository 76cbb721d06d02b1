import type { Bundle } from "anchoreval";
import { itemResponse } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { abilityAt, abilityPath } from "./ability-path.ts";

/**
 * Simulated answers of a model to a form's anchors: right or wrong with the probabilities of the bundle at one ability.
 * @param strength - ability in standard deviations above the source models' mean
 */
export function exampleAnswers(bundle: Bundle, form: string, seed: number, strength: number): Map<string, number> {
  const random = createRandom(seed).fork("example");
  const answers = new Map<string, number>();
  for (const scenario of bundle.scenarios.values()) {
    const theta = abilityAt(abilityPath(bundle, scenario), strength);
    const { anchors, itemIds } = scenario.forms.get(form)!;
    anchors.items.forEach((item, k) => {
      answers.set(itemIds[k]!, random.next() < itemResponse(theta, scenario.bank, item) ? 1 : 0);
    });
  }
  return answers;
}

const MODELS = 40;
const ITEMS = 240;
const SCENARIOS = ["reading", "sums"];

/** A simulated leaderboard as a wide CSV: models of different abilities, items of different difficulties. */
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

/** A new seed each time, for examples only: no score depends on it. */
export function freshSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}
