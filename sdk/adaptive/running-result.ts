import { type Population, populationAbilities } from "../core/adaptive/population.ts";
import { askedItems, type AdaptiveState } from "../core/adaptive/state.ts";
import { stateDifference, stateScore } from "../core/adaptive/state-scores.ts";
import { designInterval } from "../core/inference/score-interval.ts";
import { pairedInterval } from "../core/inference/paired-difference.ts";
import type { KnownVariance } from "../core/inference/sampling-variance.ts";
import type { PoolPopulation } from "./benchmark-population.ts";
import { LEAST_ANSWERS } from "./adaptive-plan.ts";
import type { AdaptiveInterval, AdaptiveModel, AdaptivePair, AdaptivePlan, AdaptiveScore } from "./types.ts";

/** Answers to a scenario's items below which it has no interval of its own. */
const LEAST_OF_SCENARIO = 10;

/** What is known of one model by now. @param model - 0 or 1 */
export function modelResult(
  population: PoolPopulation,
  plan: AdaptivePlan,
  state: AdaptiveState,
  model: number,
): AdaptiveModel {
  const answered = state.models[model]!.scores.filter((score) => score !== null).length;
  const single = population.scenarios.length === 1;
  const whole = runningScore(population, plan, state, model, 0, LEAST_ANSWERS);
  const scenarios = population.scenarios.map(({ id, begin, bank }, s) => {
    const own = state.asked.filter(
      (i, j) => i >= begin && i < begin + bank.count && state.models[model]!.scores[j] !== null,
    ).length;
    const score = single ? whole : runningScore(population, plan, state, model, s + 1, LEAST_OF_SCENARIO);
    return [id, { ...score, answered: own }] as const;
  });
  return {
    ...whole,
    answered,
    scenarios: Object.fromEntries(scenarios),
    abilities: abilitiesOf(population, plan, state),
  };
}

/** What is known of two models and of their difference. */
export function pairResult(population: PoolPopulation, plan: AdaptivePlan, state: AdaptiveState): AdaptivePair {
  const found = stateDifference(population, state);
  const both = state.asked.filter((_, j) => state.models.every(({ scores }) => scores[j] !== null)).length;
  const models = { a: modelResult(population, plan, state, 0), b: modelResult(population, plan, state, 1) };
  if (found === null) return { ...models, difference: null, interval: null, reason: NOTHING_YET };
  const short = tooFew(both, LEAST_ANSWERS, found.sampling);
  return {
    ...models,
    difference: found.difference,
    interval: short === null ? { ...pairedInterval(found, plan.lookLevel), ...described(plan, found.sampling) } : null,
    reason: short,
  };
}

const NOTHING_YET = "nothing is answered yet";

function runningScore(
  population: Population,
  plan: AdaptivePlan,
  state: AdaptiveState,
  model: number,
  part: number,
  least: number,
): AdaptiveScore {
  if (plan.goal === "ability")
    return { score: null, interval: null, reason: "items are chosen for the ability, not drawn: they tell no score" };
  const sampled = stateScore(population, state, model, part);
  if (sampled === null) return { score: null, interval: null, reason: NOTHING_YET };
  const reason = tooFew(sampled.sampling.answers, least, sampled.sampling);
  if (reason !== null) return { score: sampled.score, interval: null, reason };
  return {
    score: sampled.score,
    interval: { ...designInterval(sampled, plan.lookLevel), ...described(plan, sampled.sampling) },
    reason: null,
  };
}

function tooFew(answers: number, least: number, { variance }: KnownVariance): string | null {
  return answers >= least || variance === 0
    ? null
    : `${answers} answers are too few for an interval: ${least} are needed`;
}

function described(plan: AdaptivePlan, { variance }: KnownVariance): Pick<AdaptiveInterval, "level" | "method"> {
  const method = variance === 0 ? "exact" : plan.lookLevel > plan.level ? "sequential" : "design-based";
  return { level: plan.level, method };
}

function abilitiesOf(
  population: PoolPopulation,
  { goal }: AdaptivePlan,
  state: AdaptiveState,
): AdaptiveModel["abilities"] {
  if (goal === "score") return {};
  const abilities = populationAbilities(population, askedItems(state, 0));
  return Object.fromEntries(
    population.bankIds.map((id, b) => [
      id,
      { theta: Array.from(abilities[b]!.theta), standardError: Array.from(abilities[b]!.standardError) },
    ]),
  );
}
