import { sigmoid, softplus } from "../numeric/sigmoid.ts";
import type { ItemBank } from "./types.ts";

/** What one answer says about the logit z of its item. */
export interface ResponseDerivatives {
  /** log P(y | z) = y·log P + (1−y)·log(1−P); for 0 < y < 1 the soft-label likelihood. */
  logLikelihood: number;
  /** d logLikelihood / dz. */
  slope: number;
  /** Expected information on z, P′(z)²/(P·Q). */
  information: number;
}

/**
 * Log-likelihood of an answer and its derivatives in the logit, in log space, for up to four parameters.
 *
 * With s = σ(z), P = l + (u−l)s, P′ = (u−l)s(1−s): slope = (y−P)·P′/(PQ), information = P′²/(PQ).
 * Exact in the tails: neither P nor Q is formed as 1 minus the other.
 * @param z - logit
 * @param y - score in [0,1]
 * @param bank - supplies the asymptotes
 * @param item - index of the item
 * @param out - filled and returned, so that hot loops allocate nothing
 * @see Magis (2013), Applied Psychological Measurement 37, 304–315
 */
export function responseDerivatives(
  z: number,
  y: number,
  bank: ItemBank,
  item: number,
  out: ResponseDerivatives,
): ResponseDerivatives {
  const lower = bank.lower?.[item] ?? 0;
  const upper = bank.upper?.[item] ?? 1;
  const e = Math.exp(-Math.abs(z));
  const near = 1 / (1 + e);
  const far = e / (1 + e);
  const s = z < 0 ? far : near;
  const t = z < 0 ? near : far;
  if (lower === 0 && upper === 1) {
    out.logLikelihood = z < 0 ? y * z - Math.log1p(e) : (y - 1) * z - Math.log1p(e);
    out.slope = y - s;
    out.information = s * t;
    return out;
  }
  const range = upper - lower;
  const p = lower + range * s;
  const q = 1 - upper + range * t;
  const logP = lower === 0 ? Math.log(upper) - softplus(-z) : Math.log(p);
  const logQ = upper === 1 ? Math.log1p(-lower) - softplus(z) : Math.log(q);
  // P′/(PQ), with the vanishing factor cancelled where an asymptote is trivial.
  const ratio = upper === 1 ? s / p : lower === 0 ? t / q : (range * s * t) / (p * q);
  out.logLikelihood = (y === 0 ? 0 : y * logP) + (y === 1 ? 0 : (1 - y) * logQ);
  out.slope = (y * q - (1 - y) * p) * ratio;
  out.information = range * s * t * ratio;
  return out;
}

/**
 * Observed curvature −d² log P(y | z) / dz² of an answer. For the 2PL it is the information; with asymptotes it depends
 * on the answer and may be negative (a right answer far below the item is a guess).
 */
export function observedCurvature(z: number, y: number, bank: ItemBank, item: number): number {
  const s = sigmoid(z);
  const t = sigmoid(-z);
  const lower = bank.lower?.[item] ?? 0;
  const upper = bank.upper?.[item] ?? 1;
  const range = upper - lower;
  const p = lower + range * s;
  const q = 1 - upper + range * t;
  const first = range * s * t;
  const second = first * (t - s);
  // With a trivial asymptote the terms cancel to s·t, whatever the other asymptote is.
  const right = y === 0 ? 0 : lower === 0 ? s * t : (first / p) ** 2 - second / p;
  const wrong = y === 1 ? 0 : upper === 1 ? s * t : (first / q) ** 2 + second / q;
  return y * right + (1 - y) * wrong;
}
