import { AnchorEvalError, type AnchorEvalErrorCode } from "anchoreval/core";
import type { CodedResponses } from "../types.ts";
import type { MarginalPriors, WeakPrior } from "./priors.ts";
import type { Problem } from "./problem.ts";
import { MARGINAL_MODELS, type MarginalModel, type MarginalOptions } from "./types.ts";

/** Least items that identify the discriminations, or the one spread of abilities. */
const LEAST_ITEMS: Readonly<Record<MarginalModel, number>> = { "1pl": 2, "2pl": 3, "3pl": 3, "4pl": 3 };

/**
 * Whatever the passes over the responses rely on.
 * @throws AnchorEvalError `invalid_data` for responses, `invalid_option` for the rest
 */
export function checkInput(responses: CodedResponses, options: MarginalOptions): void {
  const { model, priors, maxIterations, tolerance } = options;
  if (!MARGINAL_MODELS.includes(model))
    refuse("invalid_option", `model is one of ${MARGINAL_MODELS.join(", ")}; got ${model}`);
  checkResponses(responses);
  if (priors) checkPriors(priors);
  if (maxIterations !== undefined && !isCount(maxIterations))
    refuse("invalid_option", `maxIterations is a whole number from 1 on; got ${maxIterations}`);
  if (tolerance !== undefined && !(tolerance > 0)) refuse("invalid_option", `tolerance is above 0; got ${tolerance}`);
}

/** Refuses fewer items than the model can be told from. */
export function checkProblem({ model, free }: Problem): void {
  if (free.length < LEAST_ITEMS[model])
    refuse(
      "invalid_data",
      `the ${model} needs ${LEAST_ITEMS[model]} items with answers, got ${free.length}: nothing tells its parameters apart`,
    );
}

function checkResponses({ subjects, items, signs }: CodedResponses): void {
  if (!isCount(subjects) || !isCount(items))
    refuse("invalid_data", `responses have whole numbers of models and items, from 1 on; got ${subjects} and ${items}`);
  if (signs.length !== subjects * items)
    refuse("invalid_data", `${subjects} models and ${items} items have ${subjects * items} signs; got ${signs.length}`);
  const wrong = signs.findIndex((sign) => sign < -1 || sign > 1);
  if (wrong >= 0)
    refuse(
      "invalid_data",
      `model ${Math.floor(wrong / items)}, item ${wrong % items}: a sign is 1, −1 or 0; got ${signs[wrong]!}`,
    );
}

function checkPriors(priors: Partial<MarginalPriors>): void {
  for (const [name, prior] of Object.entries(priors) as [string, Partial<WeakPrior>][]) {
    const { mean = 0, flat, sd } = prior;
    if (!Number.isFinite(mean)) refuse("invalid_option", `priors.${name}.mean is a number; got ${mean}`);
    if (!(flat! >= 0)) refuse("invalid_option", `priors.${name}.flat is a number from 0 on; got ${flat}`);
    if (!(sd! > 0)) refuse("invalid_option", `priors.${name}.sd is above 0; got ${sd}`);
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

function refuse(code: AnchorEvalErrorCode, message: string): never {
  throw new AnchorEvalError(code, message);
}
