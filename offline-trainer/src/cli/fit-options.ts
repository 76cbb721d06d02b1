import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  BENCHMARK_NAME,
  idProblem,
  IRT_MODELS,
  VERSION,
  WEIGHTINGS,
  type Manifest,
  type Weighting,
} from "anchoreval/bundle";
import { ALL_ESTIMATORS, AnchorEvalError } from "anchoreval/core";
import type { OptionReader, OptionSpec } from "anchoreval/cli";
import { quoted } from "anchoreval/node";
import { SELECTIONS } from "../anchors/types.ts";
import { PROVIDERS } from "../backends/resolve-backend.ts";
import {
  DEFAULT_CONFIGURATION,
  LAMBDA_RULES,
  SCORE_LINKS,
  SCORE_MAPS,
  scoreMapKind,
  type FitConfiguration,
  type ScoreChoice,
} from "../fit/configuration.ts";
import { DIMENSION_CANDIDATES } from "../fit/choose-dimension.ts";
import { RECIPE_NAMES, RECIPES, type Recipe } from "../fit/recipes.ts";
import type { ReadResponsesOptions } from "../ingest/read-responses.ts";

/** Options of every command that reads responses. */
export const RESPONSE_OPTIONS = {
  responses: { type: "string", value: "FILE", description: "wide CSV(.gz), long CSV or JSONL, or py-irt JSON lines" },
  items: { type: "string", value: "FILE", description: "items JSONL(.gz): item_id, scenario, subscenario?, hash?, …" },
  "score-range": { type: "string", value: "LO,HI", description: "range of bounded scores, brought to [0,1]" },
  flip: { type: "boolean", description: "lower scores are better" },
  pool: {
    type: "string",
    value: "ID",
    description: "all scenarios as the subscenarios of one: anchors are chosen among all items",
  },
} as const satisfies Record<string, OptionSpec>;

/** Options of every command that fits. */
export const FIT_OPTIONS = {
  recipe: {
    type: "string",
    value: RECIPE_NAMES.join("|"),
    description: "a way to fit by its name; other options override what it sets (default recommended)",
  },
  selection: {
    type: "string",
    value: SELECTIONS.join("|"),
    description: `how anchors are chosen (default ${DEFAULT_CONFIGURATION.selection})`,
  },
  estimator: {
    type: "string",
    value: ["auto", ...ALL_ESTIMATORS].join("|"),
    description: "which estimate is the score; auto goes by the kind of anchors (default auto)",
  },
  "score-map": {
    type: "string",
    value: ["auto", ...SCORE_MAPS].join("|"),
    description:
      "what score-map reads: the anchors' mean, or that, the ability and the other scenarios; auto goes by the score and the anchors (default auto)",
  },
  dims: {
    type: "string",
    value: "auto|N",
    description: `latent dimensions at most; auto tries ${DIMENSION_CANDIDATES.join(", ")} on held-out models (default ${DEFAULT_CONFIGURATION.dims})`,
  },
  "irt-model": {
    type: "string",
    value: IRT_MODELS.join("|"),
    description: "response model; all but 2pl have one dimension (default 2pl)",
  },
  estimation: {
    type: "string",
    value: "penalised|marginal",
    description:
      "abilities and items together, or abilities integrated out, in one dimension (default: penalised for 2pl)",
  },
  link: {
    type: "string",
    value: [...SCORE_LINKS, "auto"].join("|"),
    description: `how scores between 0 and 1 are calibrated; auto goes by held-out cells (default ${DEFAULT_CONFIGURATION.link})`,
  },
  shrinkage: {
    type: "string",
    value: "auto|S",
    description: `share of the discriminations' learned variance that is kept; auto goes by held-out models (default ${DEFAULT_CONFIGURATION.shrinkage})`,
  },
  "search-budget": {
    type: "string",
    value: "N",
    description:
      "candidates of response model and design that are judged on held-out models for anchors chosen by fisher-information (default 0: none)",
  },
  "prior-scale": {
    type: "string",
    value: "K",
    description: `width of the ability prior N(μ, K²Σ) (default ${DEFAULT_CONFIGURATION.priorScale})`,
  },
  lambda: {
    type: "string",
    value: LAMBDA_RULES.join("|"),
    description: `how λ of gp-irt is chosen (default ${DEFAULT_CONFIGURATION.lambda})`,
  },
  weighting: {
    type: "string",
    value: WEIGHTINGS.join("|"),
    description: "what counts the same in a scenario's score (default: import.json's, else subscenarios)",
  },
  joint: { type: "boolean", description: "one ability over all scenarios" },
  separate: { type: "boolean", description: "every scenario from its own answers alone" },
  provider: {
    type: "string",
    value: PROVIDERS.join("|"),
    description: "what calibrates (default auto: CUDA, else the CPU)",
  },
} as const satisfies Record<string, OptionSpec>;

/** What `anchoreval import` left beside the responses. */
export interface ImportFacts {
  readonly protocol?: Manifest["protocol"];
  readonly weighting?: Weighting;
}

/** Reads import.json beside the responses, where there is one. */
export async function readImportFacts(responses: string): Promise<ImportFacts> {
  const path = join(dirname(responses), "import.json");
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code!)) return {};
    throw new AnchorEvalError("invalid_data", `${path}: it could not be read`, { cause });
  }
  const refuse = (message: string, field: string[] = [], cause?: unknown): never => {
    const issues = [{ path: [path, ...field], code: "invalid_value", message }];
    const where = field.length > 0 ? `field "${field.join(".")}": ` : "";
    throw new AnchorEvalError("invalid_data", `${path}: ${where}${message}`, { issues, cause });
  };
  const facts = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      return refuse("it is not JSON", [], cause);
    }
  })();
  if (!isRecord(facts)) return refuse("it is not a JSON object");
  const { protocol, weighting } = facts;
  if (weighting !== undefined && !WEIGHTINGS.some((known) => known === weighting))
    refuse(`it is ${WEIGHTINGS.join(" or ")}, got ${JSON.stringify(weighting)}`, ["weighting"]);
  if (protocol !== undefined && !isRecord(protocol)) refuse("it is not a JSON object", ["protocol"]);
  for (const [name, value] of Object.entries(protocol ?? {}))
    if (!["string", "number", "boolean"].includes(typeof value))
      refuse(`it is text, a number, true or false, got ${JSON.stringify(value)}`, ["protocol", name]);
  return {
    ...(protocol !== undefined && { protocol: protocol as Manifest["protocol"] }),
    ...(weighting !== undefined && { weighting: weighting as Weighting }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readResponseOptions(options: OptionReader): { responses: string } & ReadResponsesOptions {
  const items = options.text("items");
  const range = options.numbers("score-range", {}, undefined);
  const pool = options.text("pool");
  if (range && range.length !== 2)
    throw new AnchorEvalError(
      "invalid_option",
      `--score-range is two numbers, LO,HI; got ${options.text("score-range")!}`,
    );
  const problem = pool === undefined ? null : idProblem(pool);
  if (problem !== null) throw new AnchorEvalError("invalid_option", `--pool: ${problem}, got ${quoted(pool!)}`);
  return {
    responses: options.required("responses"),
    ...(items !== undefined && { items }),
    ...(range && { scoreRange: [range[0]!, range[1]!] as const }),
    flip: options.flag("flip"),
    ...(pool !== undefined && { pool }),
  };
}

/** The recipe asked for. */
export function readRecipe(options: OptionReader): Recipe {
  return RECIPES[options.oneOf("recipe", RECIPE_NAMES, "recommended")];
}

/**
 * What is fitted: a recipe, with what other options say in its place.
 * @param recipe - of --recipe
 */
export function readConfiguration(
  options: OptionReader,
  facts: ImportFacts,
  { configuration: base }: Recipe = readRecipe(options),
): FitConfiguration {
  const irtModel = options.oneOf("irt-model", IRT_MODELS, base.irtModel);
  const only = irtModel === "2pl" ? "penalised" : "marginal";
  const otherwise = irtModel === base.irtModel ? base.estimation : only;
  const estimation = options.oneOf("estimation", ["penalised", "marginal"] as const, otherwise);
  const dims = readDimensions(options, estimation, base);
  const link = options.oneOf("link", [...SCORE_LINKS, "auto"] as const, base.link);
  if (irtModel !== "2pl" && estimation === "penalised")
    throw new AnchorEvalError("invalid_option", `--irt-model ${irtModel} is estimated by --estimation marginal alone`);
  if (estimation === "marginal" && link !== "binarize")
    throw new AnchorEvalError("invalid_option", `--estimation marginal takes --link binarize alone, got ${link}`);
  return {
    ...base,
    ...readScoreChoice(options, base),
    irtModel,
    estimation,
    link,
    dims,
    shrinkage:
      options.text("shrinkage") === "auto"
        ? "auto"
        : (options.number("shrinkage", { min: 0.01, max: 10 }, undefined) ?? base.shrinkage),
    search: readSearch(options, base),
    priorScale: options.number("prior-scale", { min: 0.1, max: 100 }, base.priorScale),
    lambda: options.oneOf("lambda", LAMBDA_RULES, base.lambda),
    weighting: options.oneOf("weighting", WEIGHTINGS, facts.weighting ?? base.weighting),
    joint: base.joint || options.flag("joint"),
    linked: base.linked && !options.flag("separate"),
  };
}

/** Anchors and the estimate that reads them: anchors chosen another way than the recipe's are read as such anchors are. */
function readScoreChoice(
  options: OptionReader,
  base: FitConfiguration,
): ScoreChoice & Pick<FitConfiguration, "scoreMap"> {
  const selection = options.oneOf("selection", SELECTIONS, base.selection);
  const otherwise = selection === base.selection ? base.estimator : "auto";
  const choice = {
    selection,
    estimator: options.oneOf("estimator", ["auto", ...ALL_ESTIMATORS] as const, otherwise),
    scoreMap: options.oneOf("score-map", ["auto", ...SCORE_MAPS] as const, base.scoreMap),
  };
  if (choice.estimator === "score-map" && scoreMapKind(choice) === "none")
    throw new AnchorEvalError("invalid_option", "--estimator score-map needs a map: --score-map mean or additive");
  return choice;
}

/** The search's budget: only what is chosen by its information is searched for. */
function readSearch(options: OptionReader, base: FitConfiguration): number {
  const informed = options.oneOf("selection", SELECTIONS, base.selection) === "fisher-information";
  const budget = options.number("search-budget", { min: 0, max: 1000, integer: true }, undefined);
  if (budget !== undefined && budget > 0 && !informed)
    throw new AnchorEvalError("invalid_option", "--search-budget is for --selection fisher-information alone");
  return budget ?? (informed ? base.search : 0);
}

/** Dimensions: one by marginal estimation, where more are refused. */
function readDimensions(
  options: OptionReader,
  estimation: FitConfiguration["estimation"],
  base: FitConfiguration,
): number | "auto" {
  const marginal = estimation === "marginal";
  const auto = options.text("dims") === "auto";
  const given = auto ? "auto" : options.number("dims", { min: 1, max: 32, integer: true }, undefined);
  const dims = given ?? (marginal ? 1 : base.dims);
  if (marginal && dims !== 1)
    throw new AnchorEvalError("invalid_option", `--estimation marginal has one dimension, got --dims ${dims}`);
  return dims;
}

/** Anchors per scenario from --anchors, from --total shared evenly, or as the recipe has them. */
export function readSizes(options: OptionReader, scenarios: number, recipe: Recipe): number[] {
  const total = options.numbers("total", { min: 1, integer: true }, undefined);
  const given = options.numbers("anchors", { min: 1, integer: true }, undefined);
  const anchors = given ?? (total === undefined ? recipe.sizes : undefined);
  if ((anchors === undefined) === (total === undefined))
    throw new AnchorEvalError("invalid_option", "give --anchors N[,N…] (per scenario) or --total N");
  const few = total?.find((count) => count < scenarios);
  if (few !== undefined)
    throw new AnchorEvalError(
      "invalid_option",
      `--total is at least one anchor for each of the ${scenarios} scenarios; got ${few}`,
    );
  return anchors ? [...anchors] : total!.map((count) => Math.round(count / scenarios));
}

/** BENCHMARK@X.Y.Z */
export function readName(name: string): { benchmark: string; version: string } {
  const [benchmark = "", version = "", ...rest] = name.split("@");
  if (rest.length > 0 || !BENCHMARK_NAME.test(benchmark) || !VERSION.test(version))
    throw new AnchorEvalError(
      "invalid_option",
      `--name is BENCHMARK@X.Y.Z, the benchmark of a-z, 0-9, ".", "_", "-" (at most 64), the version semver; got ${name}`,
    );
  return { benchmark, version };
}

/** When the data were made: --created, SOURCE_DATE_EPOCH, or the responses file's time. Never the clock's. */
export async function readCreated(options: OptionReader, responses: string): Promise<string> {
  return givenDate(options) ?? (await fileDate(responses));
}

/** ISO 8601: a day, or a time with its zone; without one the date would depend on the machine. */
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** The date of --created, else of SOURCE_DATE_EPOCH; null where neither is given. */
export function givenDate(options: OptionReader): string | null {
  const given = options.text("created");
  if (given !== undefined) {
    const date = iso(new Date(given));
    const day = given.slice(0, 10);
    if (!DATE.test(given) || date === null || iso(new Date(day))?.slice(0, 10) !== day)
      throw new AnchorEvalError(
        "invalid_option",
        `--created is a date such as 2026-01-31 or 2026-01-31T12:00:00Z, got ${given}`,
      );
    return date;
  }
  const epoch = process.env["SOURCE_DATE_EPOCH"];
  if (epoch === undefined || epoch === "") return null;
  const date = /^\d+$/.test(epoch) ? iso(new Date(Number(epoch) * 1000)) : null;
  if (date === null)
    throw new AnchorEvalError("invalid_option", `SOURCE_DATE_EPOCH is whole seconds since 1970, got ${epoch}`);
  return date;
}

/** When a file was last written. */
export async function fileDate(path: string): Promise<string> {
  const date = iso((await stat(path)).mtime);
  if (date === null)
    throw new AnchorEvalError("invalid_data", `${path}: the time of its last change is no date: give --created`);
  return date;
}

/** Whole seconds; null for what is no date, or lies outside the years 0 to 9999. */
function iso(date: Date): string | null {
  if (Number.isNaN(date.getTime())) return null;
  const text = date.toISOString();
  return text.length === 24 ? `${text.slice(0, 19)}Z` : null;
}
