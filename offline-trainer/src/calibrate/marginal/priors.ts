/** A prior that is flat about its mean and falls off beyond: its log density is −½·((|x − mean| − flat)₊/sd)². */
interface WeakPrior {
  readonly mean: number;
  /** Half-width of the flat part, ≥ 0; 0 makes a normal prior. */
  readonly flat: number;
  /** Of the fall beyond, > 0; Infinity is no prior. */
  readonly sd: number;
}

/**
 * Of a, b, log(lower/(upper − lower)) and log((1 − upper)/(upper − lower)): weak, so that what the answers leave open
 * stays finite. a's is about 0: turning over the scale, or right and wrong of an item, turns the estimates over and does
 * no more.
 *
 * a and b: none at all on an item with |a| ≤ 4 and |b| ≤ 5, and so none on the scale. An item that all of 400 models have
 * right comes to b near −7, P = .999 for a middling model. A normal prior, however wide, acts on all items together
 * instead: N of them pull at the one scale of θ, which M models hold (docs/decisions/calibration.md).
 *
 * Asymptotes: `lower` about .2 (.03 to .65 within two standard deviations), as much as 6 answers of models that can only
 * guess; `upper` about .95 (.73 to .99), as much as 22 answers of models that know. Where no model is that weak, or that
 * strong, they are what the prior says.
 */
export const PRIORS: readonly WeakPrior[] = [
  { mean: 0, flat: 4, sd: 1 },
  { mean: 0, flat: 5, sd: 2 },
  { mean: -1.4, flat: 0, sd: 1 },
  { mean: -3, flat: 0, sd: 1 },
];

export function priorValue(x: number, prior: WeakPrior): number {
  return -0.5 * (excess(x, prior) / prior.sd) ** 2;
}

/** d log density/dx. */
export function priorSlope(x: number, prior: WeakPrior): number {
  return -excess(x, prior) / prior.sd ** 2;
}

/** −d² log density/dx². */
export function priorCurvature(x: number, prior: WeakPrior): number {
  return excess(x, prior) === 0 && prior.flat > 0 ? 0 : prior.sd ** -2;
}

/** How far beyond the flat part, with its sign; 0 within. */
function excess(x: number, { mean, flat }: WeakPrior): number {
  const gap = x - mean;
  return gap > flat ? gap - flat : gap < -flat ? gap + flat : 0;
}
