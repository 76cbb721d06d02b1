import {
  higherOrderPrior,
  scaledPrior,
  type AbilityPrior,
  type AnchorFactors,
  type HigherOrderPrior,
  type RandomSource,
} from "anchoreval/core";
import { generalAbilities, type GeneralAbilities } from "./general-abilities.ts";
import { scoreFactors } from "./score-factors.ts";
import type { TrainedBank } from "./train-bank.ts";

/** Banks of a benchmark with what one tells of another. */
export interface LinkedBanks {
  readonly banks: readonly TrainedBank[];
  /** What their abilities have in common; null for one bank, or where too few models are in all. */
  readonly common: GeneralAbilities | null;
  /** Factors of every bank's scenarios; the same for all banks where they are linked. */
  readonly factors: readonly (readonly AnchorFactors[])[];
}

/** Learns from the sources that answered in all banks how abilities and scores go together across them. */
export function linkBanks(banks: readonly TrainedBank[], random: RandomSource): LinkedBanks {
  const shared = inAll(banks);
  const abilities = banks.map(({ dims, calibration: { theta }, rows, abilities: { covariance } }) => {
    const place = new Map(Array.from(rows, (row, k) => [row, k]));
    const own = new Float64Array(shared.length * dims);
    shared.forEach((row, m) => {
      const k = place.get(row)!;
      own.set(theta.subarray(k * dims, (k + 1) * dims), m * dims);
    });
    return { dims, theta: own, covariance };
  });
  const common = generalAbilities(abilities, random);
  const described = (bank: TrainedBank, theta: Float64Array) =>
    bank.scenarios.map(({ bank: items, scoreMap, slice, accuracy, dispersion }) => ({
      bank: items,
      scoreMap,
      weights: slice.weights,
      accuracy,
      dispersion,
      theta,
    }));
  if (common === null) {
    const factors = banks.map((bank) =>
      described(bank, bank.calibration.theta).map((scenario) => scoreFactors([scenario])[0]!),
    );
    return { banks, common, factors };
  }
  const all = scoreFactors(banks.flatMap((bank, b) => described(bank, abilities[b]!.theta)));
  let at = 0;
  return { banks, common, factors: banks.map(({ scenarios }) => scenarios.map(() => all[at++]!)) };
}

/** The ability priors that estimates use. */
export interface BankPriors {
  readonly alone: readonly AbilityPrior[];
  /** Null where banks aren't linked. */
  readonly together: readonly HigherOrderPrior[] | null;
}

/** @param scale - k of N(μ, k²Σ) */
export function bankPriors({ banks, common }: LinkedBanks, scale: number): BankPriors {
  return {
    alone: banks.map(({ abilities: { mean, covariance } }) => scaledPrior(mean, covariance, scale)),
    together:
      common &&
      banks.map(({ abilities: { mean, covariance } }, b) =>
        higherOrderPrior(mean, covariance, scale, common.loadings[b]!, common.general),
      ),
  };
}

/** Rows of the sources of all banks. */
function inAll(banks: readonly TrainedBank[]): number[] {
  const others = banks.slice(1).map(({ rows }) => new Set(Array.from(rows)));
  return Array.from(banks[0]!.rows).filter((row) => others.every((own) => own.has(row)));
}
