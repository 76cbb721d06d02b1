import type { Population } from "../core/population.ts";
import type { AnchorSet } from "../../../sdk/core/estimators/types.ts";
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
