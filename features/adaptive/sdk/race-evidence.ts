import { type Population, populationAbilities } from "../core/population.ts";
import { answeredSample, type Bounds, knownBounds } from "../../../sdk/core/estimators/answered-sample.ts";
import type { AnchorSet } from "../../../sdk/core/estimators/types.ts";
import type { RaceEvidence } from "../../../sdk/core/inference/elimination.ts";
import {
  type PairedAnswers,
  pairedSampling,
  taskSampling,
  weightedDifference,
  widenedDifference,
} from "../../../sdk/core/inference/paired-difference.ts";
import { correctedAnswers } from "../../../sdk/core/scoring/scenario-estimate.ts";
import { remembered } from "../../../sdk/core/scoring/scoring-model.ts";
import { type RaceOrder, roundSample } from "./race-order.ts";
import type { RaceOver } from "../../../sdk/compare/types.ts";

/** One candidate's corrected mean of a scenario after a round, ready to be compared. */
interface ScenarioStanding extends PairedAnswers {
  readonly score: number;
  readonly bounds: Bounds;
}

/** One candidate after a round. */
interface Standing {
  readonly score: number;
  readonly scenarios: readonly ScenarioStanding[];
}

/** Scores and differences of candidates by round; computed when it is asked for, each once. */
export interface RaceField extends Omit<RaceEvidence, "completed"> {
  /** The same of one scenario. */
  readonly scenario: (s: number) => Omit<RaceEvidence, "completed">;
}

/**
 * Scores and differences of candidates after each round: corrected means (`p-irt-dr`), their abilities from the answers up
 * to that round alone, and the design-based variance of `pairedSampling`; over tasks that of the items too, by `taskSampling`.
 * @param answers - of each candidate, aligned with the population; NaN = no answer, of an item for all candidates alike
 */
export function raceField(
  population: Population,
  order: RaceOrder,
  answers: readonly Float64Array[],
  over: RaceOver = "these-answers",
): RaceField {
  const samples = remembered((round: number) => order.scenarios.map((_, s) => roundSample(order, s, round)));
  const standings = remembered((key: number) => {
    const [i, round] = [key % answers.length, Math.floor(key / answers.length)];
    return standing(population, order, samples(round), answers[i]!);
  });
  const at = (i: number, round: number): Standing => standings(round * answers.length + i);
  const differenceOf = (s: number, i: number, j: number, round: number): ReturnType<RaceEvidence["difference"]> => {
    const [one, other] = [at(i, round).scenarios[s]!, at(j, round).scenarios[s]!];
    const difference = one.score - other.score;
    const bounds = { low: one.bounds.low - other.bounds.high, high: one.bounds.high - other.bounds.low };
    const sampling = pairedSampling(difference, other, one);
    if (over === "these-answers") return { difference, bounds, sampling };
    if (sampling === null) return { difference, bounds: { low: -1, high: 1 }, sampling };
    const tasks = taskSampling(order.scenarios[s]!.weights, other.sample, one.sample);
    return widenedDifference({ difference, bounds, sampling }, tasks);
  };
  return {
    score: (i, round) => at(i, round).score,
    difference: (i, j, round) => {
      const parts = order.scenarios.map(({ share }, s) => ({ share, ...differenceOf(s, i, j, round) }));
      const sampled = parts.flatMap(({ sampling, ...part }) => (sampling === null ? [] : [{ ...part, sampling }]));
      if (sampled.length === parts.length) return weightedDifference(sampled);
      const none = { variance: 0, degrees: Infinity };
      return { ...weightedDifference(parts.map((part) => ({ ...part, sampling: none }))), sampling: null };
    },
    scenario: (s) => ({
      score: (i, round) => at(i, round).scenarios[s]!.score,
      difference: (i, j, round) => differenceOf(s, i, j, round),
    }),
  };
}

function standing(
  population: Population,
  { scenarios }: RaceOrder,
  samples: readonly AnchorSet[],
  answers: Float64Array,
): Standing {
  const answered = scenarios.map(({ begin }, s) => {
    const { items } = samples[s]!;
    const scores = Float64Array.from(items, (item) => answers[begin + item]!);
    return { items, begin, scores, sample: answeredSample(samples[s]!, scores)! };
  });
  const abilities = populationAbilities(population, {
    items: answered.flatMap(({ items, begin }) => Array.from(items, (item) => begin + item)),
    scores: answered.flatMap(({ scores }) => [...scores]),
  });
  const parts = answered.map(({ sample }, s): ScenarioStanding => {
    const { bank, scoreMap } = population.scenarios[s]!;
    const { weights } = scenarios[s]!;
    const bounds = knownBounds(weights, sample);
    const { corrected, residuals, leverages } = correctedAnswers(
      { bank, weights, scoreMap },
      abilities[s]!,
      sample,
      bounds,
    );
    return { sample, residuals, leverages, score: corrected, bounds };
  });
  return { score: scenarios.reduce((sum, { share }, s) => sum + share * parts[s]!.score, 0), scenarios: parts };
}
