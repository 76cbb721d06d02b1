import type { RandomSource } from "anchoreval/core";
import type { SimulateOptions } from "./options.ts";
import type { ScenarioPlan } from "./scenarios.ts";

/** Bounds of the part of a scenario that a prefix-only run covers. */
const SHORTEST_PREFIX = 0.05;
const LONGEST_PREFIX = 0.7;

/**
 * Deletes one model's answers: whole scenarios that weren't run (never all of them), scenarios of which only the first
 * items were run, and single answers at random.
 * @param observed - N, all 1; set to 0 where an answer is missing
 */
export function deleteAnswers(
  scenarios: readonly ScenarioPlan[],
  { missingBlocks, prefixRuns, missingCells }: SimulateOptions,
  random: RandomSource,
  observed: Uint8Array,
): void {
  const blocks = random.fork("blocks");
  const kept = Math.floor(random.fork("kept").next() * scenarios.length);
  const prefixes = random.fork("prefixes");
  scenarios.forEach(({ begin, items }, s) => {
    const lost = blocks.next() < missingBlocks && s !== kept;
    const partial = prefixes.next() < prefixRuns;
    const share = SHORTEST_PREFIX + (LONGEST_PREFIX - SHORTEST_PREFIX) * prefixes.next();
    if (lost) observed.fill(0, begin, begin + items);
    else if (partial) observed.fill(0, begin + Math.ceil(share * items), begin + items);
  });
  if (missingCells > 0) deleteAtRandom(missingCells, random.fork("cells"), observed);
  // No model without any answer.
  if (!observed.includes(1)) observed[scenarios[kept]!.begin] = 1;
}

/** Deletes each answer with the same probability: gaps between the deleted are geometric. */
function deleteAtRandom(share: number, random: RandomSource, observed: Uint8Array): void {
  const scale = Math.log1p(-share);
  const gap = (): number => Math.floor(Math.log1p(-random.next()) / scale);
  for (let i = gap(); i < observed.length; i += 1 + gap()) observed[i] = 0;
}
