import { AnchorEvalError, checkNames, invalidOption, type OptionNames } from "../../../sdk/core/errors.ts";
import { confidenceLevel } from "../../../sdk/core/inference/score-interval.ts";
import { looksLevel, MOST_LOOKS } from "../core/looks-level.ts";
import type { ItemPool } from "./item-pool.ts";
import type { AdaptiveOptions, AdaptivePlan } from "./types.ts";

/** Answers below which nothing is decided. */
export const LEAST_ANSWERS = 20;

/** Items that one evaluation may ask at most: what it stands at must fit into a request. */
export const MOST_ITEMS = 1000;

export const DEFAULT_BATCH = 10;
export const DEFAULT_BUDGET = 200;

const ADAPTIVE_OPTIONS: OptionNames<AdaptiveOptions> = {
  models: "number",
  scenarios: "list",
  goal: true,
  batch: "number",
  budget: "number",
  level: "number",
  stop: true,
};

/**
 * Checks the options and decides what is decided at the beginning: the looks' common level among it.
 * @throws AnchorEvalError `invalid_option`, `unknown_scenario`
 * @example adaptivePlan(pool, { budget: 150 }).batch // 10
 */
export function adaptivePlan(pool: Pick<ItemPool, "scenarios">, options: AdaptiveOptions = {}): AdaptivePlan {
  checkNames(options, ADAPTIVE_OPTIONS);
  const { models = 1, goal = "score", stop = {} } = options;
  checkNames(stop, { halfWidth: "number", threshold: "number", better: true, standardError: "number" });
  const ids = pool.scenarios.map(({ id }) => id);
  const scenarios = options.scenarios ?? ids;
  const unknown = scenarios.filter((id) => !ids.includes(id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unknown_scenario",
      `there is no scenario ${unknown.join(", ")}: there are ${ids.join(", ")}`,
    );
  if (scenarios.length === 0) throw invalidOption("scenarios is empty: leave it out for all of them");
  if (![1, 2].includes(models)) throw invalidOption(`models must be 1 or 2, got ${models}`);
  if (!["score", "ability"].includes(goal)) throw invalidOption(`goal must be score or ability, got ${goal}`);
  if (goal === "ability" && models === 2)
    throw invalidOption("abilities are looked for one model at a time: models is 1");
  const items = pool.scenarios.reduce(
    (sum, scenario) => sum + (scenarios.includes(scenario.id) ? scenario.items : 0),
    0,
  );
  const least = goal === "score" ? 2 : 1;
  const most = Math.min(items, MOST_ITEMS);
  const budget = options.budget ?? Math.min(DEFAULT_BUDGET, most);
  if (!(Number.isInteger(budget) && budget >= least && budget <= most))
    throw invalidOption(`budget must be a whole number of items from ${least} to ${most}, got ${budget}`);
  // A rule that looks at the score stops where the score is lucky; one by width alone doesn't know where it lies.
  const peeks = stop.threshold !== undefined || stop.better === true;
  const byWidth = stop.halfWidth !== undefined && !peeks;
  const fewTurns = goal === "score" && !byWidth ? Math.ceil(budget / MOST_LOOKS) : 0;
  const batch = options.batch ?? Math.min(budget, Math.max(DEFAULT_BATCH, fewTurns));
  if (!(Number.isInteger(batch) && batch >= least && batch <= budget))
    throw invalidOption(`batch must be a whole number of items from ${least} to the budget, ${budget}; got ${batch}`);
  const batches = Math.ceil(budget / batch);
  if (peeks && batches > MOST_LOOKS)
    throw invalidOption(
      `${budget} items in batches of ${batch} are ${batches} looks, and each makes the interval wider: ${MOST_LOOKS} at most, so batches of ${Math.ceil(budget / MOST_LOOKS)} or more`,
    );
  checkRules(options);
  const level = confidenceLevel(options.level);
  const looks = Array.from({ length: batches }, (_, b) => b + 1).filter(
    (look) => look === batches || look * batch >= LEAST_ANSWERS,
  );
  return {
    models,
    scenarios: ids.filter((id) => scenarios.includes(id)),
    goal,
    batch,
    budget,
    level,
    lookLevel: peeks ? looksLevel(level, looks) : level,
    stop,
  };
}

function checkRules({ models = 1, goal = "score", stop = {} }: AdaptiveOptions): void {
  const { halfWidth, threshold, better, standardError } = stop;
  const checkRule = (name: string, value: unknown, fits: boolean, needs: string): void => {
    if (value !== undefined && value !== false && !fits) throw invalidOption(`stop.${name} needs ${needs}`);
  };
  checkRule("halfWidth", halfWidth, goal === "score", "goal score");
  checkRule("threshold", threshold, goal === "score" && models === 1, "goal score and one model");
  checkRule("better", better, goal === "score" && models === 2, "goal score and two models");
  checkRule("standardError", standardError, goal === "ability", "goal ability");
  if (halfWidth !== undefined && !(halfWidth > 0 && halfWidth < 1))
    throw invalidOption(`stop.halfWidth must be a fraction in (0,1), got ${halfWidth}`);
  if (threshold !== undefined && !(threshold > 0 && threshold < 1))
    throw invalidOption(`stop.threshold must be a score in (0,1), got ${threshold}`);
  if (standardError !== undefined && !(standardError > 0))
    throw invalidOption(`stop.standardError must be a positive number on the ability's scale, got ${standardError}`);
}
