import { AnchorEvalError, type Issue, invalidOption } from "anchoreval/internal/core/errors";

/** A numeric setting of the simulator: its default, its range and its meaning. */
interface NumberSetting {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly integer: boolean;
  readonly description: string;
}

/** Every numeric setting, by name. */
export const SIMULATE_OPTIONS = {
  // Shape
  models: whole(395, 5, 100_000, "models (rows), replicates included"),
  items: whole(28_659, 2, 1_000_000, "items (columns) over all scenarios"),
  scenarios: whole(6, 1, 200, "scenarios; sizes differ"),
  dims: whole(
    5,
    1,
    64,
    "ability dimensions inside a scenario: the scenario's own and dims−1 skills that scenarios share",
  ),
  seed: whole(1, 0, Number.MAX_SAFE_INTEGER, "the same options and seed give the same bytes"),
  scenarioSpread: number(0.6, 0, 3, "sd of the log of scenarios' sizes"),
  subscenarioShare: share(0.5, "share of scenarios that have subscenarios"),
  subscenarios: whole(6, 2, 500, "subscenarios of a scenario that has them"),
  subscenarioSpread: number(0.7, 0, 3, "sd of the log of subscenarios' sizes"),

  // Models
  familySize: number(8, 1, 10_000, "models in a family, on average"),
  years: number(3, 0, 50, "years over which models appear"),
  progress: number(0.5, -10, 10, "gain of general ability, logits a year"),
  familySd: number(0.6, 0, 10, "sd of families' general ability, logits"),
  variantSd: number(0.9, 0, 10, "sd of general ability inside a family, logits"),
  kinship: share(0.5, "share of the variance of scenario abilities and skills that a family shares"),
  replicateShare: number(0.04, 0, 0.5, "share of models that rerun another one: the same answers but for the redrawn"),
  replicateRedraw: share(0.02, "share of a replicate's answers that are drawn anew"),

  // Abilities
  generalShare: share(0.85, "weight of general ability in a scenario's ability (√share · general + √(1−share) · own)"),
  skillSd: number(0.6, 0, 10, "length of an item's loadings on the skills"),
  mixtureShare: share(0.3, "share of models of the second class"),
  mixtureSd: number(1.2, 0, 10, "sd of items' shifts of difficulty for the second class, logits"),
  familyItemSd: number(1.6, 0, 10, "sd of the effect of each family on each item, logits: relatives fail alike"),

  // Scenarios
  choiceShare: share(0.5, "share of scenarios that are multiple choice"),
  choices: whole(4, 2, 26, "options of a multiple-choice item; chance is 1/choices"),
  floorSd: number(1, 0, 5, "sd of items' floors about chance, logits: distractors attract unequally"),
  saturatedShare: share(1 / 6, "share of scenarios that are nearly solved"),
  hardShare: share(1 / 6, "share of scenarios that hardly any model solves"),
  flatShare: share(1 / 6, "share of scenarios whose items hardly distinguish models"),
  chanceShare: number(
    0.01,
    0,
    0.5,
    "share of model-scenario pairs at chance (the weaker half of models only); all wrong where answers are open",
  ),
  constantShare: share(0.5, "share of the multiple-choice pairs at chance that always choose the same option"),

  // Items
  discrimination: number(2.8, 0, 20, "median discrimination of items"),
  discriminationSd: number(0.5, 0, 3, "sd of the log of discrimination"),
  difficultySd: number(1.2, 0, 10, "sd of difficulty inside a subscenario, logits of ability"),
  driftSd: number(
    0,
    0,
    10,
    "sd of items' drift: an item gets harder, or easier, by so many logits for each logit of general ability above 0",
  ),
  slip: number(0.02, 0, 0.5, "mean distance of items' upper asymptote from 1"),
  redundantShare: share(0.15, "share of items in clusters of near-copies"),
  clusterSize: whole(5, 2, 1000, "largest cluster; sizes are uniform from 2"),
  localSd: number(2, 0, 10, "sd of a model's effect common to a cluster, logits"),
  mislabelledShare: share(0.03, "share of items with a wrong key: strong models get them wrong"),
  nonMonotoneShare: share(0.03, "share of items on which middling models do best, or worst"),
  memorisedShare: share(0.03, "share of items that a family knows or not, whatever its ability"),

  // Scores
  samples: whole(1, 1, 10_000, "answers sampled per item where scores are pass rates; 1 = right or wrong"),
  passRateShare: share(1, "share of scenarios with pass rates where samples > 1"),
  sampleAgreement: share(0.7, "share of items on which all samples of a model agree beyond chance"),

  // Missing
  missingCells: number(0.001, 0, 0.9, "share of answers missing at random"),
  missingBlocks: number(
    0.01,
    0,
    0.9,
    "share of model-scenario pairs that were not run (each model keeps one scenario)",
  ),
  newerItems: number(0, 0, 0.5, "share of answers missing because the item is newer than the model"),
  prefixRuns: share(0.005, "share of model-scenario pairs where only the first items were run"),
};

function number(value: number, min: number, max: number, description: string): NumberSetting {
  return { default: value, min, max, integer: false, description };
}

function share(value: number, description: string): NumberSetting {
  return number(value, 0, 1, description);
}

function whole(value: number, min: number, max: number, description: string): NumberSetting {
  return { ...number(value, min, max, description), integer: true };
}

type NumericOption = keyof typeof SIMULATE_OPTIONS;

/** By date: real leaderboards are listed either way. */
export const ROW_ORDERS = ["newest-first", "oldest-first"] as const;

/** Settings of {@link simulateLeaderboard}; defaults are `SIMULATE_DEFAULTS`. */
export type SimulateOptions = { readonly [Key in NumericOption]: number } & {
  /** Of the rows. */
  readonly order: (typeof ROW_ORDERS)[number];
  /** Each item gets a generated question. */
  readonly text: boolean;
};

/** Default settings of a simulation. */
export const SIMULATE_DEFAULTS = {
  ...Object.fromEntries(Object.entries(SIMULATE_OPTIONS).map(([name, setting]) => [name, setting.default])),
  order: "newest-first",
  text: false,
} as SimulateOptions;

/** Shares whose sum can't exceed 1. */
const EXCLUSIVE: readonly (readonly NumericOption[])[] = [
  ["saturatedShare", "hardShare", "flatShare"],
  ["redundantShare", "mislabelledShare", "nonMonotoneShare", "memorisedShare"],
];

/** Fewest items of a subscenario, or of a scenario without. */
export const LEAST_ITEMS = 2;

/** Fewest items of any scenario: each may have subscenarios. */
export function leastItems({ subscenarioShare, subscenarios }: SimulateOptions): number {
  return subscenarioShare > 0 ? LEAST_ITEMS * subscenarios : LEAST_ITEMS;
}

/**
 * Settings of a simulation from parsed JSON, or from code: an object of some of {@link SimulateOptions}; the others have their
 * defaults, as do those that are undefined.
 * @throws AnchorEvalError `invalid_option` that lists every setting at fault by name
 * @example simulateSettings({ models: 100, items: 2000 }).scenarios // 6
 */
export function simulateSettings(asked: unknown): SimulateOptions {
  const issues: Issue[] = [];
  const refuse = (name: string, message: string) => issues.push({ path: [name], code: "invalid_option", message });
  if (typeof asked !== "object" || asked === null || Array.isArray(asked))
    throw invalidOption("simulate: settings are a JSON object of names and values");
  for (const name of Object.keys(asked))
    if (!Object.hasOwn(SIMULATE_DEFAULTS, name)) refuse(name, `there is no setting ${name}`);
  const defined = Object.entries(asked).filter(([, value]) => value !== undefined);
  const settings: SimulateOptions = { ...SIMULATE_DEFAULTS, ...Object.fromEntries(defined) };
  for (const [name, { min, max, integer }] of Object.entries(SIMULATE_OPTIONS)) {
    const value: unknown = settings[name as NumericOption];
    const valid =
      typeof value === "number" && value >= min && value <= max && (!integer || Number.isSafeInteger(value));
    if (!valid)
      refuse(name, `${name} must be a ${integer ? "whole " : ""}number from ${min} to ${max}, got ${String(value)}`);
  }
  if (!ROW_ORDERS.includes(settings.order))
    refuse("order", `order must be ${ROW_ORDERS.join(" or ")}, got ${settings.order as string}`);
  if (typeof (settings.text as unknown) !== "boolean")
    refuse("text", `text must be true or false, got ${String(settings.text)}`);
  if (issues.length === 0) {
    for (const names of EXCLUSIVE) {
      const sum = names.reduce((total, name) => total + settings[name], 0);
      if (sum > 1 + 1e-9) refuse(names[0]!, `${names.join(", ")} are ${Number(sum.toFixed(6))} together, more than 1`);
    }
    const needed = settings.scenarios * leastItems(settings);
    if (settings.items < needed)
      refuse("items", `${settings.scenarios} scenarios need at least ${needed} items, got ${settings.items}`);
  }
  if (issues.length > 0)
    throw new AnchorEvalError("invalid_option", `simulate: ${issues.map(({ message }) => message).join("; ")}`, {
      issues,
    });
  return settings;
}
