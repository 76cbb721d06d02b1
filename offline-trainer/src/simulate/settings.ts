import { AnchorEvalError, type Issue } from "anchoreval/core";

/** One numeric option of the simulator: its default, what is allowed, and what it means (unit, range). */
interface NumberOption {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly integer?: boolean;
  readonly description: string;
}

/** Every numeric option; the command line has each as a flag (`familySize` is `--family-size`). */
export const SIMULATE_OPTIONS = {
  // Shape
  models: { default: 395, min: 5, max: 100_000, integer: true, description: "models (rows), replicates included" },
  items: { default: 28_659, min: 2, max: 1_000_000, integer: true, description: "items (columns) over all scenarios" },
  scenarios: { default: 6, min: 1, max: 200, integer: true, description: "scenarios; sizes differ" },
  dims: {
    default: 5,
    min: 1,
    max: 64,
    integer: true,
    description: "ability dimensions inside a scenario: the scenario's own and dims−1 skills that scenarios share",
  },
  seed: {
    default: 1,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    integer: true,
    description: "the same options and seed give the same bytes",
  },
  scenarioSpread: { default: 0.6, min: 0, max: 3, description: "sd of the log of scenarios' sizes" },
  subscenarioShare: { default: 0.5, min: 0, max: 1, description: "share of scenarios that have subscenarios" },
  subscenarios: {
    default: 6,
    min: 2,
    max: 500,
    integer: true,
    description: "subscenarios of a scenario that has them",
  },
  subscenarioSpread: { default: 0.7, min: 0, max: 3, description: "sd of the log of subscenarios' sizes" },

  // Models
  familySize: { default: 8, min: 1, max: 10_000, description: "models in a family, on average" },
  years: { default: 3, min: 0, max: 50, description: "years over which models appear" },
  progress: { default: 0.5, min: -10, max: 10, description: "gain of general ability, logits a year" },
  familySd: { default: 0.6, min: 0, max: 10, description: "sd of families' general ability, logits" },
  variantSd: { default: 0.9, min: 0, max: 10, description: "sd of general ability inside a family, logits" },
  kinship: {
    default: 0.5,
    min: 0,
    max: 1,
    description: "share of the variance of scenario abilities and skills that a family has in common",
  },
  replicateShare: {
    default: 0.04,
    min: 0,
    max: 0.5,
    description: "share of models that are another one run again: the same answers but for the redrawn",
  },
  replicateRedraw: { default: 0.02, min: 0, max: 1, description: "share of a replicate's answers that are drawn anew" },

  // Abilities
  generalShare: {
    default: 0.85,
    min: 0,
    max: 1,
    description: "weight of general ability in a scenario's ability (√share · general + √(1−share) · own)",
  },
  skillSd: { default: 0.6, min: 0, max: 10, description: "length of an item's loadings on the skills" },
  mixtureShare: { default: 0.3, min: 0, max: 1, description: "share of models of the second class" },
  mixtureSd: {
    default: 1.2,
    min: 0,
    max: 10,
    description: "sd of items' shifts of difficulty for the second class, logits",
  },
  familyItemSd: {
    default: 1.6,
    min: 0,
    max: 10,
    description: "sd of the effect of each family on each item, logits: why relatives fail alike",
  },

  // Scenarios
  choiceShare: { default: 0.5, min: 0, max: 1, description: "share of scenarios that are multiple choice" },
  choices: {
    default: 4,
    min: 2,
    max: 26,
    integer: true,
    description: "options of a multiple-choice item; chance is 1/choices",
  },
  floorSd: {
    default: 1,
    min: 0,
    max: 5,
    description: "sd of items' floors about chance, logits: distractors attract unequally",
  },
  saturatedShare: { default: 1 / 6, min: 0, max: 1, description: "share of scenarios that are nearly solved" },
  hardShare: { default: 1 / 6, min: 0, max: 1, description: "share of scenarios that hardly a model can do" },
  flatShare: { default: 1 / 6, min: 0, max: 1, description: "share of scenarios whose items hardly tell models apart" },
  chanceShare: {
    default: 0.01,
    min: 0,
    max: 0.5,
    description:
      "share of model-scenario pairs at chance (the weaker half of models only); all wrong where answers are open",
  },
  constantShare: {
    default: 0.5,
    min: 0,
    max: 1,
    description: "share of the multiple-choice pairs at chance that always choose the same option",
  },

  // Items
  discrimination: { default: 2.8, min: 0, max: 20, description: "median discrimination of items" },
  discriminationSd: { default: 0.5, min: 0, max: 3, description: "sd of the log of discrimination" },
  difficultySd: {
    default: 1.2,
    min: 0,
    max: 10,
    description: "sd of difficulty inside a subscenario, logits of ability",
  },
  slip: { default: 0.02, min: 0, max: 0.5, description: "mean distance of items' upper asymptote from 1" },
  redundantShare: { default: 0.15, min: 0, max: 1, description: "share of items in clusters of near-copies" },
  clusterSize: {
    default: 5,
    min: 2,
    max: 1000,
    integer: true,
    description: "largest cluster; sizes are uniform from 2",
  },
  localSd: { default: 2, min: 0, max: 10, description: "sd of a model's effect common to a cluster, logits" },
  mislabelledShare: {
    default: 0.03,
    min: 0,
    max: 1,
    description: "share of items with a wrong key: strong models get them wrong",
  },
  nonMonotoneShare: {
    default: 0.03,
    min: 0,
    max: 1,
    description: "share of items that middling models do best, or worst",
  },
  memorisedShare: {
    default: 0.03,
    min: 0,
    max: 1,
    description: "share of items that a family knows or doesn't, whatever its ability",
  },

  // Scores
  samples: {
    default: 1,
    min: 1,
    max: 10_000,
    integer: true,
    description: "answers sampled per item where scores are pass rates; 1 = right or wrong",
  },
  passRateShare: { default: 1, min: 0, max: 1, description: "share of scenarios with pass rates where samples > 1" },
  sampleAgreement: {
    default: 0.7,
    min: 0,
    max: 1,
    description: "share of items on which all samples of a model agree beyond chance",
  },

  // Missing
  missingCells: { default: 0.001, min: 0, max: 0.9, description: "share of answers missing at random" },
  missingBlocks: {
    default: 0.01,
    min: 0,
    max: 0.9,
    description: "share of model-scenario pairs that were not run (each model keeps one scenario)",
  },
  prefixRuns: {
    default: 0.005,
    min: 0,
    max: 1,
    description: "share of model-scenario pairs where only a first part of the items was run",
  },
} as const satisfies Record<string, NumberOption>;

/** A numeric option of a simulation. */
export type NumericOption = keyof typeof SIMULATE_OPTIONS;

/** Order of the rows: real leaderboards are listed either way. */
export const ROW_ORDERS = ["newest-first", "oldest-first"] as const;

/** In which order models are listed. */
export type RowOrder = (typeof ROW_ORDERS)[number];

/** What {@link simulateLeaderboard} takes; defaults are {@link SIMULATE_DEFAULTS}. */
export type SimulateOptions = { readonly [Key in NumericOption]: number } & {
  /** Order of the rows by date. */
  readonly order: RowOrder;
  /** Each item gets a generated question. */
  readonly text: boolean;
};

/** What a simulation is made with unless told otherwise. */
export const SIMULATE_DEFAULTS: SimulateOptions = {
  ...(Object.fromEntries(Object.entries(SIMULATE_OPTIONS).map(([name, option]) => [name, option.default])) as Record<
    NumericOption,
    number
  >),
  order: "newest-first",
  text: false,
};

/** Shares that can't exceed 1 together. */
const SHARED: readonly (readonly NumericOption[])[] = [
  ["saturatedShare", "hardShare", "flatShare"],
  ["redundantShare", "mislabelledShare", "nonMonotoneShare", "memorisedShare"],
];

/** Fewest items per scenario, and per subscenario. */
const LEAST_ITEMS = 2;

/**
 * Fills in the defaults and checks.
 * @throws AnchorEvalError `invalid_option` that lists every option at fault
 */
export function resolveSimulateOptions(given: Partial<SimulateOptions>): SimulateOptions {
  const issues: Issue[] = [];
  const refuse = (option: string, message: string): void => {
    issues.push({ path: [option], code: "invalid_option", message });
  };
  for (const name of Object.keys(given))
    if (!Object.hasOwn(SIMULATE_DEFAULTS, name)) refuse(name, `there is no option ${name}`);
  const known = Object.entries<unknown>(given).filter(([, value]) => value !== undefined);
  const options: SimulateOptions = { ...SIMULATE_DEFAULTS, ...Object.fromEntries(known) };
  for (const [name, { min, max, ...rule }] of Object.entries<NumberOption>(SIMULATE_OPTIONS)) {
    const value: unknown = options[name as NumericOption];
    const integer = rule.integer === true;
    const good = typeof value === "number" && value >= min && value <= max && (!integer || Number.isSafeInteger(value));
    if (!good)
      refuse(name, `${name} is a ${integer ? "whole " : ""}number from ${min} to ${max}, got ${String(value)}`);
  }
  if (!ROW_ORDERS.includes(options.order))
    refuse("order", `order is ${ROW_ORDERS.join(" or ")}, got ${options.order as string}`);
  if (typeof (options.text as unknown) !== "boolean")
    refuse("text", `text is true or false, got ${String(options.text)}`);
  if (issues.length === 0) {
    for (const names of SHARED) {
      const sum = names.reduce((total, name) => total + options[name], 0);
      if (sum > 1 + 1e-9) refuse(names[0]!, `${names.join(", ")} are ${Number(sum.toFixed(6))} together, more than 1`);
    }
    const perScenario = options.subscenarioShare > 0 ? LEAST_ITEMS * options.subscenarios : LEAST_ITEMS;
    const needed = options.scenarios * perScenario;
    if (options.items < needed)
      refuse("items", `${options.scenarios} scenarios need at least ${needed} items, got ${options.items}`);
  }
  if (issues.length > 0)
    throw new AnchorEvalError("invalid_option", `simulate: ${issues.map(({ message }) => message).join("; ")}`, {
      issues,
    });
  return options;
}
