import type { Bundle } from "anchoreval";
import { createRandom, itemResponse } from "anchoreval/core";
import { abilityPath } from "./ability-path.ts";

/**
 * Answers of a made-up model to a form's anchors: right or wrong by the chances that the bundle gives a model of one
 * ability, drawn by the seed.
 * @param strength - in standard deviations above the source models' mean
 */
export function exampleAnswers(bundle: Bundle, form: string, seed: number, strength: number): Map<string, number> {
  const random = createRandom(seed).fork("example");
  const answers = new Map<string, number>();
  for (const scenario of bundle.scenarios.values()) {
    const { thetas } = abilityPath(bundle, scenario);
    const theta = thetas[Math.round(((strength + 4) / 8) * (thetas.length - 1))]!;
    const { anchors, itemIds } = scenario.forms.get(form)!;
    anchors.items.forEach((item, k) => {
      answers.set(itemIds[k]!, random.next() < itemResponse(theta, scenario.bank, item) ? 1 : 0);
    });
  }
  return answers;
}

/** A seed that is another each time: for examples alone, no score depends on it. */
export function freshSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}
