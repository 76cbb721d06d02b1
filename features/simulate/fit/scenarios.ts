import { apportion } from "../../../offline-trainer/src/numeric/statistics.ts";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { LEAST_ITEMS, leastItems, type SimulateOptions } from "./settings.ts";

/** Kinds of scenarios; the code in the truth is the position here. */
export const SCENARIO_KINDS = ["regular", "saturated", "hard", "flat"] as const;
type ScenarioKind = (typeof SCENARIO_KINDS)[number];

export type ScenarioPlan = ReturnType<typeof planScenarios>[number];

/** The subscenarios of all scenarios in order, each with the place of its scenario and its columns. */
export function parts(scenarios: readonly ScenarioPlan[]) {
  let end = 0;
  return scenarios.flatMap(({ subscenarios }, scenario) =>
    subscenarios.map((part) => ({ ...part, scenario, begin: end, end: (end += part.items) })),
  );
}

/** Mean difficulty of a scenario by kind, logits of ability (stretched where flat), and its sd where it varies. */
const CENTRES: Readonly<Record<ScenarioKind, { readonly mean: number; readonly sd: number }>> = {
  regular: { mean: -0.3, sd: 0.5 },
  saturated: { mean: -2.6, sd: 0 },
  hard: { mean: 2.8, sd: 0 },
  flat: { mean: 0.9, sd: 0 },
};
/** Sd of subscenarios' mean difficulties about the scenario's. */
const SUBSCENARIO_CENTRE_SD = 0.4;
/** Sd of the log of the skills' weights. */
const SKILL_WEIGHT_SD = 0.9;

/** Draws sizes, kinds, answer forms and subscenarios. Shares are rounded to whole scenarios. */
export function planScenarios(options: SimulateOptions, random: RandomSource) {
  const count = options.scenarios;
  const kinds = assignKinds(options, random.fork("kinds"));
  const choice = chosen(count, options.choiceShare, random.fork("choice"));
  const split = chosen(count, options.subscenarioShare, random.fork("subscenarios"));
  const passRates = chosen(count, options.passRateShare, random.fork("pass-rates"));
  const sizes = unequalSizes(options.items, count, options.scenarioSpread, leastItems(options), random.fork("sizes"));
  let begin = 0;
  return sizes.map((items, s) => {
    const stream = random.fork("scenario").fork(String(s));
    const kind = kinds[s]!;
    const centre = CENTRES[kind].mean + CENTRES[kind].sd * stream.fork("centre").normal();
    begin += items;
    return {
      id: `scenario-${s + 1}`,
      /** First column. */
      begin: begin - items,
      items,
      kind,
      /** Options of its multiple-choice items; 0 = open answers. */
      choices: choice[s] ? options.choices : 0,
      /** Scores are pass rates. */
      passRates: options.samples > 1 && passRates[s]!,
      subscenarios: planSubscenarios(items, split[s]! ? options.subscenarios : 1, centre, options, stream),
    };
  });
}

function planSubscenarios(
  items: number,
  count: number,
  centre: number,
  options: SimulateOptions,
  random: RandomSource,
) {
  const sizes =
    count === 1 ? [items] : unequalSizes(items, count, options.subscenarioSpread, LEAST_ITEMS, random.fork("sizes"));
  const offsets = random.fork("offsets");
  return sizes.map((size, k) => ({
    /** Null where the scenario has no subscenarios. */
    id: count === 1 ? null : `part-${k + 1}`,
    items: size,
    /** Mean difficulty of its items, logits of ability. */
    centre: centre + (count === 1 ? 0 : SUBSCENARIO_CENTRE_SD * offsets.normal()),
    /** Weight of each of the dims−1 skills in its items. */
    skillWeights: skillWeights(options.dims - 1, random.fork("skills").fork(String(k))),
  }));
}

/** Log-normal weights with mean 1, one stream a skill, so that more dimensions don't affect the first ones. */
function skillWeights(skills: number, random: RandomSource): number[] {
  return Array.from({ length: skills }, (_, k) =>
    Math.exp(SKILL_WEIGHT_SD * random.fork(String(k)).normal() - SKILL_WEIGHT_SD ** 2 / 2),
  );
}

function assignKinds(
  { scenarios, saturatedShare, hardShare, flatShare }: SimulateOptions,
  random: RandomSource,
): ScenarioKind[] {
  const kinds = new Array<ScenarioKind>(scenarios).fill("regular");
  const free = random.shuffle([...kinds.keys()]);
  for (const [kind, share] of [
    ["saturated", saturatedShare],
    ["hard", hardShare],
    ["flat", flatShare],
  ] as const)
    for (const s of free.splice(0, Math.round(share * scenarios))) kinds[s] = kind;
  return kinds;
}

/** Marks round(share · count) of the positions. */
function chosen(count: number, share: number, random: RandomSource): boolean[] {
  const marks = new Array<boolean>(count).fill(false);
  for (const k of random.shuffle([...marks.keys()]).slice(0, Math.round(share * count))) marks[k] = true;
  return marks;
}

/** Whole sizes with log-normal proportions, each at least `least`, that sum to `total`. */
function unequalSizes(total: number, count: number, spread: number, least: number, random: RandomSource): number[] {
  const weights = Array.from({ length: count }, () => Math.exp(spread * random.normal()));
  return apportion(total, weights, least);
}
