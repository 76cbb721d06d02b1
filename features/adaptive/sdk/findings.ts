import { type Population, populationAbilities } from "../core/population.ts";
import { stateDifference, stateScore, type AdaptiveState, askedItems } from "../core/state.ts";
import type { Bounds } from "../../../sdk/core/estimators/answered-sample.ts";
import { requireNumbers } from "../../../sdk/core/errors.ts";
import { designInterval } from "../../../sdk/core/inference/score-interval.ts";
import { pairedInterval } from "../../../sdk/core/inference/paired-difference.ts";
import type { KnownVariance } from "../../../sdk/core/inference/sampling-variance.ts";
import { LEAST_ANSWERS } from "./adaptive-plan.ts";
import type { PoolPopulation } from "./item-pool.ts";
import type {
  AdaptiveInterval,
  AdaptiveModel,
  AdaptivePair,
  AdaptivePlan,
  AdaptiveScore,
  AdaptiveStep,
  AdaptiveStop,
} from "./types.ts";

/** Answers to a scenario's items below which it has no interval of its own. */
const LEAST_OF_SCENARIO = 10;

interface Standing {
  readonly population: PoolPopulation;
  readonly plan: AdaptivePlan;
  readonly state: AdaptiveState;
}

function modelResult(standing: Standing, model: number): AdaptiveModel {
  const { population, state } = standing;
  const { scores } = state.models[model]!;
  const answered = state.asked.filter((_, j) => scores[j] !== null);
  const single = population.scenarios.length === 1;
  const whole = runningScore(standing, model, 0, LEAST_ANSWERS);
  const scenarios = population.scenarios.map(({ id, begin, bank }, s) => {
    const count = answered.filter((i) => i >= begin && i < begin + bank.count).length;
    const score = single ? whole : runningScore(standing, model, s + 1, LEAST_OF_SCENARIO);
    return [id, { ...score, answered: count }] as const;
  });
  return {
    ...whole,
    answered: answered.length,
    scenarios: Object.fromEntries(scenarios),
    abilities: abilitiesOf(standing),
  };
}

function pairResult(standing: Standing): AdaptivePair {
  const { population, plan, state } = standing;
  const gap = stateDifference(population, state);
  const both = state.asked.filter((_, j) => state.models.every(({ scores }) => scores[j] !== null)).length;
  const models = { a: modelResult(standing, 0), b: modelResult(standing, 1) };
  if (gap === null) return { ...models, difference: null, interval: null, reason: NOTHING_YET };
  requireNumbers("the difference", [gap.difference, gap.sampling.variance]);
  const limits = (): Bounds => pairedInterval(gap, plan.lookLevel);
  return { ...models, difference: gap.difference, ...statedInterval(plan, gap.sampling, both, LEAST_ANSWERS, limits) };
}

const NOTHING_YET = "nothing is answered yet";

function runningScore(
  { population, plan, state }: Standing,
  model: number,
  part: number,
  least: number,
): AdaptiveScore {
  const none = { score: null, interval: null };
  if (plan.goal === "ability")
    return { ...none, reason: "items are chosen for the ability, not drawn: they tell no score" };
  const sampled = stateScore(population, state, model, part);
  if (sampled === null) return { ...none, reason: NOTHING_YET };
  const { score, sampling } = sampled;
  requireNumbers("the score", [score, sampling.variance]);
  const limits = (): Bounds => designInterval(sampled, plan.lookLevel);
  return { score, ...statedInterval(plan, sampling, sampling.answers, least, limits) };
}

/** An interval, or why there is none: answers that are fewer than it takes, unless all there are were given. */
function statedInterval(
  { level, lookLevel }: AdaptivePlan,
  { variance }: KnownVariance,
  answers: number,
  least: number,
  limits: () => Bounds,
): Pick<AdaptiveScore, "interval" | "reason"> {
  if (answers < least && variance > 0)
    return { interval: null, reason: `${answers} answers are too few for an interval: ${least} are needed` };
  const method = variance === 0 ? "exact" : lookLevel > level ? "sequential" : "design-based";
  return { interval: { ...limits(), level, method }, reason: null };
}

function abilitiesOf({ population, plan, state }: Standing): AdaptiveModel["abilities"] {
  if (plan.goal === "score") return {};
  const abilities = populationAbilities(population, askedItems(state, 0));
  return Object.fromEntries(
    population.scenarios.map(({ id }, s) => {
      const { theta, standardError } = abilities[s]!;
      requireNumbers(id, [...theta, ...standardError]);
      return [id, { theta: Array.from(theta), standardError: Array.from(standardError) }];
    }),
  );
}

/** The results when a batch has been answered: of one model, or of two. */
export type Findings = Pick<AdaptiveStep, "asked" | "model" | "pair">;

/** @param state - with all answers given */
export function findings(standing: Standing): Findings {
  const two = standing.plan.models === 2;
  return {
    asked: standing.state.asked.length,
    model: two ? null : modelResult(standing, 0),
    pair: two ? pairResult(standing) : null,
  };
}

/** The rule that ends an evaluation here; null where it goes on. A rule that is met counts more than the budget's end. */
export function stoppedBy(
  { count }: Population,
  plan: AdaptivePlan,
  { asked, model, pair }: Findings,
): AdaptiveStop | null {
  const { stop, budget } = plan;
  const interval = pair ? pair.interval : model!.interval;
  const name = pair ? "difference" : "score";
  const half = interval && (interval.high - interval.low) / 2;
  const sure = `${points(plan.level)} %`;
  if (asked >= LEAST_ANSWERS && interval !== null) {
    if (stop.threshold !== undefined && !within(interval, stop.threshold)) {
      const verdict = interval.low > stop.threshold ? "above" : "below";
      return ending("threshold", `the score is ${verdict} ${points(stop.threshold)}, at ${sure}`, verdict);
    }
    if (stop.better === true && !within(interval, 0)) {
      const [one, verdict] = interval.low > 0 ? (["B", "b-better"] as const) : (["A", "a-better"] as const);
      return ending("better", `${one} scores higher on all items, at ${sure}`, verdict);
    }
    if (stop.halfWidth !== undefined && half! <= stop.halfWidth)
      return ending("half-width", `the ${name} is known to ${points(half!)} points to either side, at ${sure}`);
  }
  if (stop.standardError !== undefined) {
    const worst = Math.max(...Object.values(model!.abilities).flatMap(({ standardError }) => standardError));
    if (worst <= stop.standardError)
      return ending("standard-error", `the ability's largest standard error is ${worst.toFixed(3)}`);
  }
  if (asked >= count) return ending("all-items", `all ${count} items have been asked`);
  return asked >= budget ? ending("budget", `the budget of ${budget} items is spent`) : null;
}

export function ending(
  rule: AdaptiveStop["rule"],
  message: string,
  verdict: AdaptiveStop["verdict"] = null,
): AdaptiveStop {
  return { rule, verdict, message };
}

function within({ low, high }: AdaptiveInterval, value: number): boolean {
  return low <= value && value <= high;
}

/** A fraction in points, one decimal. */
function points(fraction: number): string {
  return String(Math.round(1000 * fraction) / 10);
}
