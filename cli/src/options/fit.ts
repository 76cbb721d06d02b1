import { invalidOption } from "anchoreval/internal/core/errors";
import { PROVIDERS } from "anchoreval-trainer/internal/backends/resolve-backend";
import type * as Report from "anchoreval-trainer/internal/features/fit-report";
import type { FitPart } from "anchoreval-trainer/internal/fit/options";
import { checkAnchors } from "anchoreval-trainer/internal/fit/form-plans";
import { replicateWords } from "anchoreval-trainer/internal/matrix/alike/replicates";
import type { ReadResponsesOptions, Responses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ItemInfo } from "anchoreval-trainer/internal/matrix/response-matrix";
import { ANCHOR_METHOD_NAMES, customised, loadMethod, METHOD_NAMES } from "anchoreval-trainer/internal/methods/index";
import { type Method, scoreMapKind } from "anchoreval-trainer/internal/methods/method";
import {
  type FitSettings,
  LAMBDA_RULES,
  MOST_DIMENSIONS,
  SCORE_MAPS,
} from "anchoreval-trainer/internal/methods/settings";
import type { Manifest } from "anchoreval/bundle";
import { IRT_MODELS, WEIGHTINGS } from "anchoreval/internal/core/bundle/names";
import { ALL_ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { listed } from "anchoreval/internal/words/figures";
import { option, type OptionReader, type OptionSpecs } from "../program/command.ts";
import type { Output } from "../program/output.ts";
import type { CommandPart, PartInput } from "../program/parts.ts";
import type { ImportFacts } from "./data.ts";
import { readSettings, setOption, SETTINGS } from "./settings.ts";

/** A feature's part of `fit`: what options add that the main road doesn't know by name. */
export interface FitOptionPart extends Pick<CommandPart, "options"> {
  /** Reads what the fit begins with in place of its recipe and its answers, before these are read. @returns null where no option asks */
  begin?(input: PartInput): Promise<FitBeginning | null>;
  /** Reads and checks its options, before the answers. @returns null where none is given */
  read?(input: FitInput): Promise<ReadyPart | null> | ReadyPart | null;
}

/** A fit that another bundle begins. */
export interface FitBeginning {
  /** The recipe, its sizes included, by the one that `--recipe` names. */
  recipe(named: Method): Promise<Method>;
  /** The answers, and what the fit keeps. */
  read(
    input: FitInput & { readonly name: { readonly benchmark: string; readonly version: string } },
  ): Promise<PartOfFit & { readonly board: Responses }>;
}

interface FitInput extends PartInput {
  readonly seed: number;
  /** As it was asked for. */
  readonly method: Method;
  /** How answers are read. */
  readonly reading: ReadResponsesOptions;
}

/** Makes the part of a fit on these answers. */
export type ReadyPart = (board: Responses) => Promise<PartOfFit> | PartOfFit;

export interface PartOfFit {
  /** Answers to be fitted in place of those that were read. */
  readonly board?: Responses;
  readonly part?: FitPart;
  /** Sentences for `--json`. */
  words?(manifest: Manifest): string[];
}

export const METHOD_OPTIONS = {
  recipe: option("NAME", `method: ${METHOD_NAMES.join(", ")} (default recommended)`, { choices: METHOD_NAMES }),
  ...setOption(SETTINGS),
} as const satisfies OptionSpecs;

export const WORK_OPTIONS = {
  provider: option(
    "NAME",
    `where to calibrate: ${PROVIDERS.join(", ")} (default auto: CUDA where it pays, else the CPU)`,
    {
      choices: PROVIDERS,
    },
  ),
  seed: option("N", "seed of all draws (default 1)"),
} as const satisfies OptionSpecs;

export const THREADS_OPTION = {
  threads: option("N", "threads (default: one a core)"),
} as const satisfies OptionSpecs;

export function readRecipe(options: OptionReader): Promise<Method> {
  return loadMethod(options.oneOf("recipe", METHOD_NAMES, "recommended"));
}

/**
 * The method to fit, with the settings that `--set` puts in the place of its own.
 * @param allowed - settings that the command has; all where it fits bundles
 */
export async function readMethod(
  options: OptionReader,
  facts: ImportFacts,
  recipe: Method,
  allowed?: OptionSpecs,
): Promise<Method> {
  const { settings: base } = recipe;
  const settings = readSettings(options, allowed);
  const selection = settings.oneOf("selection", ANCHOR_METHOD_NAMES, base.selection);
  // Anchors chosen another way than the recipe's are read as such anchors are.
  const estimator = selection === base.selection ? base.estimator : "auto";
  const irtModel = settings.oneOf("irt-model", IRT_MODELS, base.irtModel);
  const only = irtModel === "2pl" ? "penalised" : "marginal";
  const otherwise = irtModel === base.irtModel ? base.estimation : only;
  const estimation = settings.oneOf("estimation", ["penalised", "marginal"] as const, otherwise);
  const dims = readDimensions(settings, estimation, base);
  if (irtModel !== "2pl" && estimation === "penalised")
    throw invalidOption(`--set irt-model=${irtModel} is estimated by estimation=marginal alone`);
  const separate = settings.isGiven("separate") ? settings.oneOf("separate", ["true"], "true") : "false";
  const method = await customised(recipe, {
    selection,
    estimator: settings.oneOf("estimator", ["auto", ...ALL_ESTIMATORS] as const, estimator),
    scoreMap: settings.oneOf("score-map", ["auto", ...SCORE_MAPS] as const, base.scoreMap),
    irtModel,
    estimation,
    dims,
    shrinkage: settings.number("shrinkage", { min: 0.01, max: 10 }, base.shrinkage),
    search: readSearch(settings, selection, base.search),
    priorScale: settings.number("prior-scale", { min: 0.1, max: 100 }, base.priorScale),
    lambda: settings.oneOf("lambda", LAMBDA_RULES, base.lambda),
    weighting: settings.oneOf("weighting", WEIGHTINGS, facts.weighting ?? base.weighting),
    linked: base.linked && separate === "false",
  });
  if (method.settings.estimator === "score-map" && scoreMapKind(method) === "none")
    throw invalidOption("--set estimator=score-map needs a map: --set score-map=mean or additive");
  return method;
}

/** The search's budget: only what is chosen by its information is searched for. */
function readSearch(settings: OptionReader, selection: FitSettings["selection"], recommended: number): number {
  const informed = selection === "fisher-information";
  const budget = settings.number("search-budget", { min: 0, max: 1000, integer: true }, undefined);
  if (budget !== undefined && budget > 0 && !informed)
    throw invalidOption("--set search-budget is for selection=fisher-information alone");
  return budget ?? (informed ? recommended : 0);
}

/** Dimensions: one by marginal estimation, where more are refused. */
function readDimensions(
  settings: OptionReader,
  estimation: FitSettings["estimation"],
  base: FitSettings,
): FitSettings["dims"] {
  const marginal = estimation === "marginal";
  const auto = settings.text("dims") === "auto";
  const numbers = auto ? [] : settings.numbers("dims", { min: 1, max: MOST_DIMENSIONS, integer: true }, undefined);
  const asked = auto ? "auto" : numbers?.length === 1 ? numbers[0] : numbers;
  const dims = asked ?? (marginal ? 1 : base.dims);
  if (marginal && dims !== 1)
    throw invalidOption(`--set estimation=marginal has one dimension, got dims=${String(dims)}`);
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
  const { sizes: counts, totals: shared } = recipe;
  if (shared) return () => ({ sizes: counts ?? [], totals: shared });
  if (counts === undefined) throw invalidOption("give --anchors N[,N…] (per scenario), --total N[,N…], or both");
  return ({ scenarios, items }) => ({
    sizes: counts,
    totals: counts.filter((n) => n >= LEAST_SHARE * scenarios && n <= items),
  });
}

/** {@link checkAnchors} of --anchors. */
export function checkAskedSizes(options: OptionReader, items: readonly ItemInfo[]): void {
  checkAnchors(options.numbers("anchors", { min: 1, integer: true }, []), items);
}

/** Says which models count as one with another. @param copies - their names */
export function remarkCopies(output: Output, copies: readonly string[]): void {
  if (copies.length > 0)
    output.remark(`every answer the same as another model's, so that both count as one: ${listed(copies)}`);
}

/** Share of its authors' models below which a method is said to be short of them. */
const SHORT_OF_MODELS = 0.2;

/** Says, before minutes are spent on it, where a method has far fewer models than its authors had. */
export function remarkShortOfModels(output: Output, { name, authorsModels = 0 }: Method, models: number): void {
  if (models < SHORT_OF_MODELS * authorsModels)
    output.remark(
      `${name} was made for some ${authorsModels} models: on ${models} it takes minutes and mostly errs by more than the default recipe`,
    );
}

/** Says which models are held out together, since one of them is another's rerun by its answers. */
export function remarkReplicates(output: Output, groups: readonly (readonly string[])[]): void {
  if (groups.length > 0)
    output.remark(`answers that agree beyond chance, so that these are held out together: ${replicateWords(groups)}`);
}

/** report.html of a fit. @throws AnchorEvalError `aborted` */
export async function reportOf(...input: Parameters<typeof Report.renderReport>): Promise<Uint8Array> {
  const { renderReport } = await import("anchoreval-trainer/internal/features/fit-report"); // its libraries load for most of a second
  return renderReport(...input);
}
