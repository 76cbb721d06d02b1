import type { Bundle, BundleScenario } from "anchoreval";
import { expectedScore, itemResponse, testInformation } from "anchoreval/core";

/** Places on the path, and how far it goes to both sides of the source models' mean. @unit standard deviations */
const PLACES = 81;
const REACH = 4;

/** Models from weak to strong, as a bank sees them. */
export interface AbilityPath {
  /** Abilities, D numbers each. */
  readonly thetas: readonly Float64Array[];
  /** The full score that each lets expect, in [0,1], ascending. */
  readonly scores: readonly number[];
  /** Direction of the path, of length 1. */
  readonly direction: Float64Array;
}

/**
 * Abilities on a line through the source models' mean, in the direction in which the scenario's items discriminate
 * together (their mean a): what a plot of one axis shows of a bank, in one dimension all there is.
 */
export function abilityPath(bundle: Bundle, scenario: BundleScenario): AbilityPath {
  const { bank, weights, scoreMap } = scenario;
  const { prior } = bundle.manifest.banks.find(({ scenarios }) => scenarios.includes(scenario.id))!;
  const direction = new Float64Array(bank.dims);
  for (let i = 0; i < bank.count; i++)
    for (let d = 0; d < bank.dims; d++) direction[d] = direction[d]! + weights[i]! * bank.a[i * bank.dims + d]!;
  const norm = Math.hypot(...direction) || 1;
  for (let d = 0; d < bank.dims; d++) direction[d] = direction[d]! / norm;
  let variance = 0;
  for (let r = 0; r < bank.dims; r++)
    for (let c = 0; c < bank.dims; c++)
      variance += direction[r]! * direction[c]! * prior.covariance[r * bank.dims + c]!;
  const deviation = Math.sqrt(variance);
  const thetas = Array.from({ length: PLACES }, (_, k) => {
    const along = ((2 * k) / (PLACES - 1) - 1) * REACH * deviation;
    return Float64Array.from(prior.mean, (mean, d) => mean + along * direction[d]!);
  });
  return { thetas, direction, scores: thetas.map((theta) => expectedScore(theta, bank, weights, scoreMap)) };
}

/** Chance of a right answer to one item along the path. */
export function itemCurve({ bank }: BundleScenario, item: number, { thetas }: AbilityPath): number[] {
  return thetas.map((theta) => itemResponse(theta, bank, item));
}

/** Information of a form's anchors along the path, in its direction. @unit logit⁻² */
export function formInformation(scenario: BundleScenario, form: string, { thetas, direction }: AbilityPath): number[] {
  const { items } = scenario.forms.get(form)!.anchors;
  return thetas.map((theta) => {
    const information = testInformation(theta, scenario.bank, items);
    let along = 0;
    for (let r = 0; r < direction.length; r++)
      for (let c = 0; c < direction.length; c++)
        along += direction[r]! * direction[c]! * information[r * direction.length + c]!;
    return along;
  });
}

/** Chance of a right answer of the source models' mean ability, by item. */
export function typicalChances(bundle: Bundle, scenario: BundleScenario): (item: number) => number {
  const { prior } = bundle.manifest.banks.find(({ scenarios }) => scenarios.includes(scenario.id))!;
  const mean = Float64Array.from(prior.mean);
  return (item) => itemResponse(mean, scenario.bank, item);
}
