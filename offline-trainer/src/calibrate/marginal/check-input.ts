import { AnchorEvalError, type AnchorEvalErrorCode } from "anchoreval/core";
import type { CodedResponses } from "../types.ts";
import type { MarginalPriors, WeakPrior } from "./priors.ts";
import type { Problem } from "./problem.ts";
import { MARGINAL_MODELS, type FixedItems, type MarginalModel, type MarginalOptions } from "./types.ts";

/** Items from which on discriminations, or one spread of abilities, can be told. */
const LEAST_ITEMS: Readonly<Record<MarginalModel, number>> = { "1pl": 2, "2pl": 3, "3pl": 3, "4pl": 3 };

/**
 * Whatever the passes over the responses rely on.
 * @throws AnchorEvalError `invalid_data` for responses and fixed items, `invalid_option` for the rest
 */
export function checkInput(responses: CodedResponses, options: MarginalOptions): void {
  const { model, modelWeights, itemWeights, fixed, priors, starts, maxIterations, tolerance } = options;
  const { subjects, items } = responses;
  if (!MARGINAL_MODELS.includes(model))
    refuse("invalid_option", `model is one of ${MARGINAL_MODELS.join(", ")}; got ${model}`);
  checkResponses(responses);
  if (modelWeights) checkWeights(modelWeights, subjects, "modelWeights");
  if (itemWeights) checkWeights(itemWeights, items, "itemWeights");
  if (fixed) checkFixed(fixed, items, model);
  if (priors) checkPriors(priors);
  checkCount("starts.count", starts?.count);
  checkCount("maxIterations", maxIterations);
  if (tolerance !== undefined && !(tolerance > 0)) refuse("invalid_option", `tolerance is above 0; got ${tolerance}`);
}

/** What can be seen only where it is known which items are present. */
export function checkProblem({ model, free, known }: Problem, fixed: FixedItems | undefined): void {
  if (!fixed && free.length < LEAST_ITEMS[model])
    refuse(
      "invalid_data",
      `the ${model} needs ${LEAST_ITEMS[model]} items with answers, got ${free.length}: nothing tells its parameters apart`,
    );
  if (!fixed) return;
  const slopes = new Map(Array.from(fixed.items, (i, k) => [i, fixed.bank.a[k]!]));
  if (!known.some((i) => slopes.get(i) !== 0))
    refuse("invalid_data", "no fixed item has answers and a discrimination other than 0: nothing holds the scale");
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

function checkWeights(weights: ArrayLike<number>, length: number, name: string): void {
  if (weights.length !== length) refuse("invalid_option", `${name} has ${length} entries; got ${weights.length}`);
  let sum = 0;
  for (let k = 0; k < length; k++) {
    const weight = weights[k]!;
    if (!(weight >= 0 && weight < Infinity))
      refuse("invalid_option", `${name}[${k}] is a number from 0 on; got ${weight}`);
    sum += weight;
  }
  if (sum === 0) refuse("invalid_option", `${name} are all 0`);
}

function checkFixed({ items: columns, bank }: FixedItems, items: number, model: MarginalModel): void {
  if (bank.dims !== 1) refuse("invalid_data", `fixed items have one dimension; the bank has ${bank.dims}`);
  if (columns.length !== bank.count)
    refuse("invalid_data", `the bank has parameters of ${bank.count} fixed items; fixed.items has ${columns.length}`);
  if (columns.length === 0) refuse("invalid_data", "there are no fixed items: leave `fixed` out");
  const seen = new Set<number>();
  for (let k = 0; k < columns.length; k++) {
    const i = columns[k]!;
    if (!Number.isInteger(i) || i < 0 || i >= items)
      refuse("invalid_data", `fixed.items[${k}] is a column from 0 to ${items - 1}; got ${i}`);
    if (seen.has(i)) refuse("invalid_data", `fixed.items names column ${i} twice`);
    seen.add(i);
    const [a, b, lower, upper] = [bank.a[k]!, bank.b[k]!, bank.lower?.[k] ?? 0, bank.upper?.[k] ?? 1];
    if (!Number.isFinite(a) || !Number.isFinite(b))
      refuse("invalid_data", `fixed item ${i}: a and b are numbers; got ${a} and ${b}`);
    if (!(0 <= lower && lower < upper && upper <= 1))
      refuse("invalid_data", `fixed item ${i}: 0 ≤ lower < upper ≤ 1; got ${lower} and ${upper}`);
    if (model === "1pl" && a !== bank.a[0])
      refuse("invalid_data", `fixed item ${i}: the 1pl has one discrimination, ${bank.a[0]!} before; got ${a}`);
  }
}

function checkPriors(priors: Partial<MarginalPriors>): void {
  for (const [name, prior] of Object.entries(priors) as [string, Partial<WeakPrior>][]) {
    const { mean = 0, flat, sd } = prior;
    if (!Number.isFinite(mean)) refuse("invalid_option", `priors.${name}.mean is a number; got ${mean}`);
    if (!(flat! >= 0)) refuse("invalid_option", `priors.${name}.flat is a number from 0 on; got ${flat}`);
    if (!(sd! > 0)) refuse("invalid_option", `priors.${name}.sd is above 0; got ${sd}`);
  }
}

function checkCount(name: string, value: number | undefined): void {
  if (value !== undefined && !isCount(value))
    refuse("invalid_option", `${name} is a whole number from 1 on; got ${value}`);
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

function refuse(code: AnchorEvalErrorCode, message: string): never {
  throw new AnchorEvalError(code, message);
}
