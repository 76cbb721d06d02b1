import type { AdaptiveInterval, AdaptiveOptions, AdaptiveStep } from "anchoreval";
import { beginAdaptive, continueAdaptive } from "anchoreval/internal/adaptive/adaptive-session";
import { type ItemPool, stackedPopulation } from "anchoreval/internal/adaptive/item-pool";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { BankPriors } from "../../calibrate/linking.ts";
import type { ScenarioGroup } from "../../matrix/benchmark.ts";
import type { Bank } from "../../calibrate/bank.ts";

/** Outcome of one evaluation of models whose answers are all known. */
export interface Replay {
  readonly asked: number;
  /** Estimate minus truth, of the score or of the difference; a fraction. */
  readonly error: number;
  readonly covered: boolean;
  /** Half of the last interval. */
  readonly halfWidth: number;
  /** A stop rule was met before the budget was spent. */
  readonly early: boolean;
  /** The same, but wrongly: the truth lies outside the interval, or on the other side. */
  readonly falseStop: boolean;
}

/**
 * Evaluates a model, or two, adaptively, by known answers.
 * @param answers - by model, score by item id
 * @param truth - the full score, or S_B − S_A
 */
export function replay(
  pool: ItemPool,
  options: AdaptiveOptions,
  answers: readonly ReadonlyMap<string, number>[],
  truth: number,
  random: RandomSource,
): Replay {
  let { session, step } = beginAdaptive(pool, options, random);
  while (step.stopped === null) {
    const given = answers.map((own) => ({
      responses: new Map(step.items.map(({ item_id }) => [item_id, own.get(item_id)!])),
    }));
    const [a, b] = given;
    ({ session, step } = continueAdaptive(pool, session, b === undefined ? a! : { a: a!, b }, random));
  }
  return outcome(step, truth, options);
}

function outcome({ asked, stopped, model, pair }: AdaptiveStep, truth: number, { stop = {} }: AdaptiveOptions): Replay {
  const interval = (pair ?? model!).interval!;
  const estimate = pair ? pair.difference! : model!.score!;
  const covered = covers(interval, truth);
  const early = !["budget", "all-items"].includes(stopped!.rule);
  return {
    asked,
    error: estimate - truth,
    covered,
    halfWidth: (interval.high - interval.low) / 2,
    early,
    falseStop: early && !isVerdictTrue(stopped!.verdict, truth, covered, stop.threshold),
  };
}

function covers({ low, high }: AdaptiveInterval, truth: number): boolean {
  return low - 1e-9 <= truth && truth <= high + 1e-9;
}

/** Whether the verdict that it stopped with is true. */
function isVerdictTrue(
  verdict: NonNullable<AdaptiveStep["stopped"]>["verdict"],
  truth: number,
  covered: boolean,
  threshold: number | undefined,
): boolean {
  switch (verdict) {
    case "above":
      return truth >= threshold!;
    case "below":
      return truth <= threshold!;
    case "a-better":
      return truth <= 0;
    case "b-better":
      return truth >= 0;
    case null:
      return covered;
  }
}

/** The pool that an adaptive evaluation draws from: items of banks fitted on a split's sources. */
export function foldPool(tasks: readonly ScenarioGroup[], banks: readonly Bank[], priors: BankPriors): ItemPool {
  let line = 0;
  const all = banks.flatMap((bank, b) =>
    bank.scenarios.map(({ slice, ...scenario }) => {
      const first = line;
      line += slice.count;
      return { ...scenario, id: slice.id, weights: slice.weights, exposure: null, first, b };
    }),
  );
  const items = tasks.flatMap(({ matrix, scenarios }) =>
    scenarios.flatMap(({ begin, count }) => matrix.items.slice(begin, begin + count)),
  );
  return {
    benchmark: "replay",
    version: "0.0.0",
    digest: "replay",
    scenarios: all.map(({ id, bank }) => ({ id, items: bank.count })),
    population: (wanted) => {
      const chosen = all.filter(({ id }) => wanted.includes(id));
      const used = [...new Set(chosen.map(({ b }) => b))];
      const linked = used.length > 1 ? priors.joint : null;
      return stackedPopulation(
        chosen.map((scenario) => ({ ...scenario, share: 1 / chosen.length })),
        used.map((b) => ({
          id: tasks[b]!.id,
          scenarios: tasks[b]!.scenarios.map(({ id }) => id),
          prior: linked?.[b] ?? priors.separate[b]!,
        })),
      );
    },
    item: (at) => ({ item_id: items[at]!.item_id, scenario: items[at]!.scenario }),
  };
}
