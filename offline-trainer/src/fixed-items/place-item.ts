import { itemBank, mapAbility, type AbilityPrior } from "anchoreval/core";

/** Parameters of an item on a standing scale. */
export interface PlacedItem {
  /** Discriminations, D. */
  readonly a: Float64Array;
  readonly b: number;
  /** Of (a, b), (D+1)² row-major. */
  readonly covariance: Float64Array;
}

/**
 * Places an item by the answers of models whose abilities are known: the mode of (a, b) in logit P = a·θ − b. An item is
 * to models what an ability is to items, so it is {@link mapAbility} with their roles exchanged: discriminations (θ, −1),
 * intercepts 0. Without answers the item is what its prior says.
 * @param theta - abilities, M×D row-major @param answers - of the M models, in [0,1]; NaN where missing
 * @param prior - of (a, b)
 * @see Stocking (1988), ETS RR-88-28, method A: online calibration with known abilities
 */
export function placeItem(theta: Float64Array, answers: Float64Array, prior: AbilityPrior): PlacedItem {
  const models = answers.length;
  const dims = theta.length / models;
  const abilities = Float64Array.from({ length: models * (dims + 1) }, (_, at) => {
    const [m, d] = [Math.floor(at / (dims + 1)), at % (dims + 1)];
    return d < dims ? theta[m * dims + d]! : -1;
  });
  const answered = Array.from(answers.keys()).filter((m) => !Number.isNaN(answers[m]!));
  const scored = { items: answered, scores: answered.map((m) => answers[m]!) };
  const { theta: found, covariance } = mapAbility(itemBank(abilities, new Float64Array(models)), scored, prior);
  return { a: found.slice(0, dims), b: found[dims]!, covariance };
}
