import type { ItemBank } from "../core/irt/item-bank.ts";
import { difficulties, discriminations } from "../core/irt/item-bank.ts";

/** Difficulties that are shown: far ones, of items that hardly discriminate, at this edge. */
export const DIFFICULTY_LIMIT = 8;

/** Parameters as people are shown them, in the bank's order. */
export interface ShownParameters {
  /** ‖a‖; in one dimension a itself, below 0 where stronger models get the item less often. */
  readonly discrimination: Float64Array;
  /** b/a or b/‖a‖, within ±{@link DIFFICULTY_LIMIT}; 0 where it has no meaning. */
  readonly difficulty: Float64Array;
  /** Items whose difficulty lies beyond. */
  readonly beyond: number;
}

/** Discrimination and difficulty of every item, as people are shown them. */
export function shownParameters(bank: ItemBank): ShownParameters {
  const own = difficulties(bank);
  const difficulty = own.map((value) => Math.max(-DIFFICULTY_LIMIT, Math.min(DIFFICULTY_LIMIT, value || 0)));
  return {
    discrimination: bank.dims === 1 ? Float64Array.from(bank.a) : discriminations(bank),
    difficulty,
    beyond: own.reduce((count, value, i) => (value === difficulty[i] ? count : count + 1), 0),
  };
}
