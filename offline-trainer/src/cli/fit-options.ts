import { IRT_MODELS, WEIGHTINGS } from "anchoreval/bundle";
import type { OptionReader, OptionSpec } from "anchoreval/cli";
import { ALL_ESTIMATORS, AnchorEvalError } from "anchoreval/core";
import { PROVIDERS } from "../backends/resolve-backend.ts";
import { checkAnchors } from "../fit/form-plans.ts";
import { DIMENSION_CANDIDATES } from "../calibrate/choose-model.ts";
import { SCORE_LINKS } from "../calibrate/bank.ts";
import { ANCHOR_METHOD_NAMES, customised, loadMethod, METHOD_NAMES } from "../methods/index.ts";
import { scoreMapKind, type Method } from "../methods/method.ts";
import { DEFAULT_SETTINGS, LAMBDA_RULES, SCORE_MAPS, type FitSettings } from "../methods/settings.ts";
import type { ItemInfo } from "../matrix/response-matrix.ts";
import type { ImportFacts } from "./import-facts.ts";

/** Options of every command that fits. */
export const FIT_OPTIONS = {
  recipe: {
    type: "string",
    value: METHOD_NAMES.join("|"),
    description: "a way to fit by its name; other options override what it sets (default recommended)",
  },
  selection: {
    type: "string",
    value: ANCHOR_METHOD_NAMES.join("|"),
    description: `how anchors are chosen (default ${DEFAULT_SETTINGS.selection})`,
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
    description: `latent dimensions at most; auto tries ${DIMENSION_CANDIDATES.join(", ")} on held-out models (default ${DEFAULT_SETTINGS.dims})`,
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
    description: `how scores between 0 and 1 are calibrated; auto goes by held-out cells (default ${DEFAULT_SETTINGS.link})`,
  },
  shrinkage: {
    type: "string",
    value: "auto|S",
    description: `share of the discriminations' learned variance that is kept; auto goes by held-out models (default ${DEFAULT_SETTINGS.shrinkage})`,
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
    description: `width of the ability prior N(μ, K²Σ) (default ${DEFAULT_SETTINGS.priorScale})`,
  },
  lambda: {
    type: "string",
    value: LAMBDA_RULES.join("|"),
    description: `how λ of gp-irt is chosen (default ${DEFAULT_SETTINGS.lambda})`,
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

/** The method that --recipe names. */
export function readRecipe(options: OptionReader): Promise<Method> {
  return loadMethod(options.oneOf("recipe", METHOD_NAMES, "recommended"));
}

/**
 * What is fitted: a method, with what other options say in its place.
 * @param recipe - of --recipe
 */
export async function readMethod(options: OptionReader, facts: ImportFacts, recipe: Method): Promise<Method> {
  const { settings: base } = recipe;
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
  const method = await customised(recipe, {
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
  });
  if (method.settings.estimator === "score-map" && scoreMapKind(method) === "none")
    throw new AnchorEvalError("invalid_option", "--estimator score-map needs a map: --score-map mean or additive");
  return method;
}

/** Anchors and the estimate that reads them: anchors chosen another way than the recipe's are read as such anchors are. */
function readScoreChoice(
  options: OptionReader,
  base: FitSettings,
): Pick<FitSettings, "selection" | "estimator" | "scoreMap"> {
  const selection = options.oneOf("selection", ANCHOR_METHOD_NAMES, base.selection);
  const otherwise = selection === base.selection ? base.estimator : "auto";
  return {
    selection,
    estimator: options.oneOf("estimator", ["auto", ...ALL_ESTIMATORS] as const, otherwise),
    scoreMap: options.oneOf("score-map", ["auto", ...SCORE_MAPS] as const, base.scoreMap),
  };
}

/** The search's budget: only what is chosen by its information is searched for. */
function readSearch(options: OptionReader, base: FitSettings): number {
  const informed = options.oneOf("selection", ANCHOR_METHOD_NAMES, base.selection) === "fisher-information";
  const budget = options.number("search-budget", { min: 0, max: 1000, integer: true }, undefined);
  if (budget !== undefined && budget > 0 && !informed)
    throw new AnchorEvalError("invalid_option", "--search-budget is for --selection fisher-information alone");
  return budget ?? (informed ? base.search : 0);
}

/** Dimensions: one by marginal estimation, where more are refused. */
function readDimensions(
  options: OptionReader,
  estimation: FitSettings["estimation"],
  base: FitSettings,
): number | "auto" {
  const marginal = estimation === "marginal";
  const auto = options.text("dims") === "auto";
  const given = auto ? "auto" : options.number("dims", { min: 1, max: 32, integer: true }, undefined);
  const dims = given ?? (marginal ? 1 : base.dims);
  if (marginal && dims !== 1)
    throw new AnchorEvalError("invalid_option", `--estimation marginal has one dimension, got --dims ${dims}`);
  return dims;
}

/** Anchors a scenario, at least, in the totals that a recipe brings along. */
const LEAST_SHARE = 2;

/**
 * Anchors per scenario from --anchors, of all scenarios together from --total; without either as the recipe has them, once
 * it is known how many scenarios and items there are.
 * @throws AnchorEvalError `invalid_option`, before anything is read
 */
export function readSizes(
  options: OptionReader,
  recipe: Pick<Method, "sizes" | "totals">,
): (shape: { readonly scenarios: number; readonly items: number }) => {
  readonly sizes: readonly number[];
  readonly totals: readonly number[];
} {
  const sizes = options.numbers("anchors", { min: 1, integer: true }, undefined);
  const totals = options.numbers("total", { min: 1, integer: true }, undefined);
  if (sizes || totals) return () => ({ sizes: sizes ?? [], totals: totals ?? [] });
  const { sizes: own, totals: shared } = recipe;
  if (shared) return () => ({ sizes: own ?? [], totals: shared });
  if (own === undefined)
    throw new AnchorEvalError("invalid_option", "give --anchors N[,N…] (per scenario), --total N[,N…], or both");
  return ({ scenarios, items }) => ({
    sizes: own,
    totals: own.filter((n) => n >= LEAST_SHARE * scenarios && n <= items),
  });
}

/** {@link checkAnchors} of --anchors. */
export function checkAskedSizes(options: OptionReader, items: readonly ItemInfo[]): void {
  checkAnchors(options.numbers("anchors", { min: 1, integer: true }, []), items);
}
