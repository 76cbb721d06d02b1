import { type Bundle, partWarnings, refuseFullScores, yankedWarnings } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { namedAnswers, resolveAnswers, type WholeScenario } from "../../../sdk/estimate/resolve-answers.ts";
import type { Estimate, EstimateOptions, EstimateWarning } from "../../../sdk/estimate/types.ts";
import {
  checkedTrials,
  hasTrials,
  type Responses,
  type TrialResponses,
  type TrialSummary,
} from "../../../sdk/tables/item-trials.ts";
import type { ComparedModel } from "./types.ts";

/**
 * Checks several models' answers, which must be to one form of one bundle, and keeps the items that all answered.
 * @throws AnchorEvalError as `resolveModels`; `invalid_answers` without a common item
 */
export function commonAnswers(
  bundle: Bundle,
  models: readonly ComparedModel[],
  names: readonly string[],
  options: Pick<EstimateOptions, "form" | "onChangedItem">,
): ResolvedModels & { readonly answered: ReturnType<typeof keepCommon> } {
  const { whole, ...resolved } = resolveModels(bundle, models, names, options);
  const common = commonWhole(whole);
  return { ...resolved, whole: common, answered: keepCommon(resolved.scores, names, common[0]) };
}

/** Of each model, the scenarios of which all have answered every item. */
export function commonWhole(
  models: readonly ReadonlyMap<string, WholeScenario>[],
): readonly ReadonlyMap<string, WholeScenario>[] {
  return models.map((model) => new Map([...model].filter(([id]) => models.every((other) => other.has(id)))));
}

/**
 * Takes out, in place, the answers to items that not all answered.
 * @param whole - scenarios of which all have answered every item
 * @returns items that are left, by scenario, and in the form or the whole scenario
 * @throws AnchorEvalError `invalid_answers` where nothing is
 */
export function keepCommon(
  scores: readonly ReadonlyMap<string, Float64Array>[],
  names: readonly string[],
  whole: ReadonlyMap<string, WholeScenario> = new Map(),
): ReadonlyMap<string, { readonly answered: number; readonly of: number }> {
  const answered = new Map<string, { answered: number; of: number }>();
  for (const [id, { length }] of scores[0]!) {
    let count = 0;
    for (let j = 0; j < length; j++) {
      if (scores.every((model) => !Number.isNaN(model.get(id)![j]!))) count++;
      else for (const model of scores) model.get(id)![j] = NaN;
    }
    const all = whole.get(id)?.scores.length;
    answered.set(id, { answered: all ?? count, of: all ?? length });
  }
  if ([...answered.values()].every((counts) => counts.answered === 0))
    throw new AnchorEvalError("invalid_answers", `there is no item that ${names.join(" and ")} have both answered`);
  return answered;
}

/** Several models' checked answers to one form. */
interface ResolvedModels extends Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings"> {
  /** Of each model: scores per loaded scenario, aligned with the form's anchors; NaN = no answer. The caller's to change. */
  readonly scores: readonly ReadonlyMap<string, Float64Array>[];
  /** Of each model: the scenarios of which it has answered every item. */
  readonly whole: readonly ReadonlyMap<string, WholeScenario>[];
  /** Of each model: its items' trials. */
  readonly summaries: readonly ReadonlyMap<string, TrialSummary>[];
}

/**
 * Checks several models' answers, which must be to one form of one bundle.
 * @param names - what messages call them
 * @throws AnchorEvalError as `estimateFromAnchors`, the model named; `digest_mismatch` for answers to another major
 * version, `invalid_answers` for answers to different forms, `unsupported` for a bundle of full scores on other items
 */
export function resolveModels(
  bundle: Bundle,
  models: readonly ComparedModel[],
  names: readonly string[],
  options: Pick<EstimateOptions, "form" | "onChangedItem">,
): ResolvedModels {
  refuseFullScores(bundle.manifest, "differences are");
  const warnings: EstimateWarning[] = [...yankedWarnings(bundle.manifest, bundle.yanked), ...partWarnings(bundle)];
  const resolved = models.map((model, k) => {
    refuseOtherVersion(bundle, model, names[k]!);
    const answered = named(names[k]!, () => {
      const { means, summaries } = answeredTrials(bundle, model);
      return { summaries, ...resolveAnswers(bundle, means, { ...model, ...options }) };
    });
    const news = answered.warnings.filter(({ code }) => code !== "yanked_version" && code !== "unknown_part");
    warnings.push(...news.map((warning) => ({ ...warning, message: `${names[k]!}: ${warning.message}` })));
    return answered;
  });
  const { form } = resolved[0]!;
  const other = resolved.findIndex((model) => model.form !== form);
  if (other > 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${names[0]!} answered form ${form}, ${names[other]!} form ${resolved[other]!.form}: models are compared on the same anchors; name a form that all have answered`,
    );
  return {
    benchmark: bundle.manifest.benchmark,
    version: bundle.manifest.version,
    form,
    digest: bundle.digest,
    scores: resolved.map((model) => new Map([...model.scores].map(([id, values]) => [id, values.slice()]))),
    whole: resolved.map((model) => model.whole),
    summaries: resolved.map(({ summaries }) => summaries),
    warnings,
  };
}

/** Answers by their means, and the trials of items that have several: none of answers that are single scores. */
function answeredTrials(
  bundle: Bundle,
  { responses, form, formDigest }: ComparedModel,
): { readonly means: Responses; readonly summaries: ReadonlyMap<string, TrialSummary> } {
  if (!hasTrials(responses)) return { means: responses as Responses, summaries: new Map() };
  const digest = { ...(form !== undefined && { form }), ...(formDigest !== undefined && { formDigest }) };
  return checkedTrials(
    Array.isArray(responses) ? namedAnswers(bundle, responses, digest).responses : (responses as TrialResponses),
  );
}

function refuseOtherVersion({ manifest }: Bundle, { version = manifest.version }: ComparedModel, name: string): void {
  if (version.split(".")[0] !== manifest.version.split(".")[0])
    throw new AnchorEvalError(
      "digest_mismatch",
      `${name} answered version ${version}, this bundle is ${manifest.version}: scores of different major versions don't compare`,
    );
}

/** Says whose answers are refused. */
function named<T>(name: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AnchorEvalError)) throw error;
    throw new AnchorEvalError(error.code, `${name}: ${error.message}`, { cause: error, issues: error.issues });
  }
}
