import type { RandomSource } from "anchoreval/core";
import type { SimulateOptions } from "./options.ts";
import type { ScenarioPlan } from "./scenarios.ts";

/** Scores of a model, as a row of the matrix. */
type Row = Uint8Array | Float32Array;

/**
 * Draws one model's scores. Right or wrong with probability p; a pass rate is the share of right ones among k answers,
 * which with probability `sampleAgreement` are all alike. Both have the mean p. Each item uses the same number of draws
 * whatever its probability, so that changing an item leaves the others' answers alone.
 */
export function drawAnswers(
  probabilities: Float64Array,
  scenarios: readonly ScenarioPlan[],
  { samples, sampleAgreement }: SimulateOptions,
  random: RandomSource,
  into: Row,
): void {
  for (const { begin, items, passRates } of scenarios)
    for (let i = begin; i < begin + items; i++) {
      const p = probabilities[i]!;
      const first = random.next() < p ? 1 : 0;
      if (!passRates) {
        into[i] = first;
        continue;
      }
      const alike = random.next() < sampleAgreement;
      let right = 0;
      for (let k = 0; k < samples; k++) right += random.next() < p ? 1 : 0;
      into[i] = alike ? first : right / samples;
    }
}

/** A rerun: the original's scores, of which a share is replaced by freshly drawn ones. */
export function redrawAnswers(original: Row, fresh: Row, share: number, random: RandomSource, into: Row): void {
  for (let i = 0; i < into.length; i++) into[i] = random.next() < share ? fresh[i]! : original[i]!;
}
