import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { Population } from "anchoreval/internal/features/adaptive/core/population";

/** Two scenarios with an ability each, of 40 and 80 items, the first with half of the weight. */
export function simulatedPopulation(): Population {
  const random = createRandom("population");
  const counts = [40, 80];
  const scenarios = counts.map((count, s) => ({
    id: `s${s}`,
    begin: s === 0 ? 0 : counts[0]!,
    bank: itemBank(
      Float32Array.from({ length: count }, () => 0.7 + 0.4 * Math.abs(random.normal())),
      Float32Array.from({ length: count }, () => random.normal()),
    ),
    scoreMap: null,
    prior: scaledPrior(Float64Array.of(0), Float64Array.of(1), 2),
  }));
  return {
    scenarios,
    count: 120,
    weights: Float64Array.from({ length: 120 }, (_, i) => (i < 40 ? 0.5 / 40 : 0.5 / 80)),
    factors: null,
  };
}

/** Answers of a model of some ability; `graded` ones are means of three tries. */
export function simulatedAnswers({ scenarios, count }: Population, ability: number, seed: string, graded = false) {
  const random = createRandom(seed);
  const answers = new Float64Array(count);
  for (const { begin, bank } of scenarios)
    itemResponses(Float64Array.of(ability), bank).forEach((p, i) => {
      const tries = graded ? 3 : 1;
      let right = 0;
      for (let k = 0; k < tries; k++) if (random.next() < p) right++;
      answers[begin + i] = right / tries;
    });
  return answers;
}

/** Σwy. */
export function trueScore({ weights }: Population, answers: Float64Array): number {
  return answers.reduce((sum, y, i) => sum + weights[i]! * y, 0);
}
