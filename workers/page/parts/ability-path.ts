import type { Bundle, BundleScenario } from "anchoreval";
import { bankOf } from "anchoreval/internal/core/bundle/bundle";
import { itemResponse, testInformation } from "anchoreval/internal/core/irt/response";
import { expectedScore } from "anchoreval/internal/core/scoring/predicted-scores";

/** Number of points on the path, and its length on either side of the source models' mean. @unit standard deviations */
const POINTS = 81;
const REACH = 4;

/** Abilities from weak models to strong ones, on the scale of a bank. */
export interface AbilityPath {
  /** Abilities, D numbers each. */
  readonly thetas: readonly Float64Array[];
  /** Expected full score at each ability, in [0,1], ascending. */
  readonly scores: readonly number[];
  /** Direction of the path, of length 1. */
  readonly direction: Float64Array;
}

/**
 * Abilities on a line through the source models' mean, in the direction of the scenario's weighted mean discrimination. A
 * plot with one axis shows a bank of several dimensions along it; with one dimension it is the ability scale.
 */
export function abilityPath(bundle: Bundle, scenario: BundleScenario): AbilityPath {
  const { bank, weights, scoreMap } = scenario;
  const prior = priorOf(bundle, scenario);
  const direction = new Float64Array(bank.dims);
  for (let i = 0; i < bank.count; i++)
    for (let d = 0; d < bank.dims; d++) direction[d] = direction[d]! + weights[i]! * bank.a[i * bank.dims + d]!;
  const norm = Math.hypot(...direction) || 1;
  for (let d = 0; d < bank.dims; d++) direction[d] = direction[d]! / norm;
  const deviation = Math.sqrt(quadraticForm(direction, prior.covariance));
  const thetas = Array.from({ length: POINTS }, (_, k) => {
    const along = ((2 * k) / (POINTS - 1) - 1) * REACH * deviation;
    return Float64Array.from(prior.mean, (mean, d) => mean + along * direction[d]!);
  });
  return { thetas, direction, scores: thetas.map((theta) => expectedScore(theta, bank, weights, scoreMap).score) };
}

/** The ability on a path nearest to one given in standard deviations from the source models' mean. */
export function abilityAt({ thetas }: AbilityPath, deviations: number): Float64Array {
  return thetas[Math.round(((deviations + REACH) / (2 * REACH)) * (POINTS - 1))]!;
}

/** Probability of a right answer to one item along the path. */
export function itemCurve({ bank }: BundleScenario, item: number, { thetas }: AbilityPath): number[] {
  return thetas.map((theta) => itemResponse(theta, bank, item));
}

/** Information of a form's anchors along the path, in its direction. @unit logit⁻² */
export function formInformation(scenario: BundleScenario, form: string, { thetas, direction }: AbilityPath): number[] {
  const { items } = scenario.forms.get(form)!.anchors;
  return thetas.map((theta) => quadraticForm(direction, testInformation(theta, scenario.bank, items)));
}

/** Probability of a right answer by item, at the source models' mean ability. */
export function typicalChances(bundle: Bundle, scenario: BundleScenario): (item: number) => number {
  const mean = Float64Array.from(priorOf(bundle, scenario).mean);
  return (item) => itemResponse(mean, scenario.bank, item);
}

function priorOf({ manifest }: Bundle, { id }: BundleScenario) {
  return bankOf(manifest, id).prior;
}

/** vᵀ·M·v of a square matrix M, by rows. */
function quadraticForm(v: Float64Array, matrix: ArrayLike<number>): number {
  let sum = 0;
  for (let r = 0; r < v.length; r++)
    for (let c = 0; c < v.length; c++) sum += v[r]! * v[c]! * matrix[r * v.length + c]!;
  return sum;
}
