import { type Population, populationAbilities } from "../core/population.ts";
import { answeredSample, type Bounds, knownBounds } from "../../../sdk/core/estimators/answered-sample.ts";
import type { AnchorSet } from "../../../sdk/core/estimators/types.ts";
import type { RaceEvidence } from "../core/elimination.ts";
import {
  type PairedAnswers,
  pairedSampling,
  taskSampling,
  weightedDifference,
  widenedDifference,
} from "../../../sdk/core/inference/paired-difference.ts";
import { correctedAnswers } from "../../../sdk/core/scoring/scenario-estimate.ts";
import { remembered } from "../../../sdk/core/scoring/scoring-model.ts";
import type { RaceOver } from "../../compare/sdk/types.ts";
import type { RandomSource } from "../../../sdk/core/numeric/random.ts";
import { inclusionProbabilities } from "../../../sdk/core/numeric/sampling.ts";

/** Items of all scenarios together in the first round, if there are so many. */
const FIRST_ITEMS = 60;

/** Least items of a scenario in the first round: fewer say nothing of their own variance. */
const LEAST_ITEMS = 5;

/** Factor by which a round lets the items grow. */
const GROWTH = 1.4;

/** Rounds at most: each makes all bounds wider. */
const MOST_ROUNDS = 16;

/** One scenario of a race: its items as they are asked, and how many after each round. */
interface RaceScenario {
  readonly id: string;
  /** W_s, the shares summing to 1. */
  readonly share: number;
  /** Of its items in its own score, summing to 1, in parameter order. */
  readonly weights: Float64Array;
  /** Of its first item in the population. */
  readonly begin: number;
  /** Items of the scenario as they are asked. */
  readonly order: readonly number[];
}

/** In which order a race asks a benchmark's items, and after which it looks. */
export interface RaceOrder {
  readonly scenarios: readonly RaceScenario[];
  readonly rounds: readonly {
    /** Items of each scenario up to the end of the round. */
    readonly counts: readonly number[];
    /** 1/V of a difference of these answers whose items have unit variance; Infinity once all items are asked. */
    readonly information: number;
    /** The same of the models' difference over tasks like these. */
    readonly taskInformation: number;
  }[];
}

/**
 * The order of a race over all items of a benchmark. In every scenario items stand by u_i/w_i with even random numbers u_i,
 * so that the first n are a sample with π_i near n·w_i, whatever n is (sequential Poisson sampling); of equally weighted
 * items they are a simple random sample. A round takes as many items of each scenario as its share of the score says, until
 * it has no more; from about 60 items in the first one on, numbers grow by 1.4, or more where that would take over 16
 * rounds.
 * @see Ohlsson (1998), Journal of Official Statistics 14, 149–162
 */
export function raceOrder(population: Pick<Population, "scenarios" | "weights">, random: RandomSource): RaceOrder {
  const scenarios = population.scenarios.map(({ id, begin, bank: { count } }): RaceScenario => {
    const masses = population.weights.slice(begin, begin + count);
    const share = masses.reduce((sum, weight) => sum + weight, 0);
    const stream = random.fork(id);
    const places = Array.from(masses, (weight, item) => ({ item, place: stream.next() / weight }));
    places.sort((left, right) => left.place - right.place);
    return { id, share, weights: masses.map((weight) => weight / share), begin, order: places.map(({ item }) => item) };
  });
  const longest = Math.max(...scenarios.map(({ share, order }) => order.length / share));
  const first = Math.max(FIRST_ITEMS, ...scenarios.map(({ share }) => LEAST_ITEMS / share));
  const growth = Math.max(GROWTH, (longest / first) ** (1 / (MOST_ROUNDS - 1)));
  const rounds: RaceOrder["rounds"][number][] = [];
  for (let total = first; rounds.at(-1)?.information !== Infinity; total *= growth) {
    const counts = scenarios.map(({ share, order }) => Math.min(order.length, Math.round(share * total)));
    let [variance, taskVariance] = [0, 0];
    for (const [s, { share, order }] of scenarios.entries()) {
      const unit = share ** 2 / counts[s]!;
      variance += (unit * (order.length - counts[s]!)) / order.length;
      taskVariance += unit;
    }
    rounds.push({ counts, information: 1 / variance, taskInformation: 1 / taskVariance });
  }
  return { scenarios, rounds };
}

/** The items of a scenario up to the end of a round, as a probability sample. */
export function roundSample({ scenarios, rounds }: RaceOrder, scenario: number, round: number): AnchorSet {
  const { order, weights } = scenarios[scenario]!;
  const count = rounds[round]!.counts[scenario]!;
  const items = Uint32Array.from(order.slice(0, count));
  const all = inclusionProbabilities(weights, count);
  const inclusion = Float64Array.from(items, (item) => all[item]!);
  return { items, inclusion, mass: inclusion.map((chance, j) => weights[items[j]!]! / chance) };
}

/** Positions in the population that a round asks, scenario after scenario. */
export function roundItems({ scenarios, rounds }: RaceOrder, round: number): number[] {
  return scenarios.flatMap(({ begin, order }, s) =>
    order.slice(rounds[round - 1]?.counts[s] ?? 0, rounds[round]!.counts[s]).map((item) => begin + item),
  );
}

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
