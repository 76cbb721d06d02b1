import { logit, sigmoid } from "../numeric/sigmoid.ts";

/** Probabilities are taken this far from 0 and 1. */
const MARGIN = 1e-6;

/**
 * The mean of σ over a normal logit, near σ(z/√(1 + πv/8)).
 * @param z - mean of the logit @param variance - v ≥ 0; 0 gives σ(z)
 * @see MacKay (1992), Neural Computation 4, 720–736
 */
export function meanChance(z: number, variance: number): number {
  return sigmoid(z / Math.sqrt(1 + (Math.PI * variance) / 8));
}

/** logit of a probability that is kept 1e-6 away from 0 and 1. */
export function safeLogit(p: number): number {
  return logit(Math.min(1 - MARGIN, Math.max(MARGIN, p)));
}

/** logit p′ = shift + slope·logit p. @returns p′ in (0,1) */
export function scaledChance(p: number, shift: number, slope: number): number {
  return sigmoid(shift + slope * safeLogit(p));
}

/** Linear predictions of chances are kept this far from 0 and 1. */
const LINEAR_MARGIN = 0.01;

/** A linear prediction of a chance, kept in [.01, .99]. */
export function possibleChance(value: number): number {
  return Math.min(1 - LINEAR_MARGIN, Math.max(LINEAR_MARGIN, value));
}
