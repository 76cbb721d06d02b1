import type { ItemInfo } from "../matrix/response-matrix.ts";
import type { ItemCopy } from "./item-copies.ts";
import type { ItemStatistics } from "./item-statistics.ts";
import type { KeyPosterior } from "./key-posterior.ts";
import { LEAST_MODELS_FOR_AUDIT, LEAST_RARE, type Suspect } from "./suspect-items.ts";

/** Reasons to look at an item by hand, the most urgent first, in plain words. */
export const REASONS = {
  "wrong-key": "likely a wrong key: strong models miss it, weak ones get it",
  reversed: "strong models miss it more than weak ones",
  turning: "models in the middle do best, or worst",
  "same-text": "the same text as another",
  "answered-alike": "answered like another, beyond what ability explains",
  unrelated: "hardly tells strong models from weak ones",
  misfit: "answers don't follow the fitted curve",
  floor: "no model gets it, or hardly one",
  "few-answers": "too few answers to judge",
  ceiling: "every model gets it, or nearly every one",
} as const;

/** A reason to look at an item by hand. */
export type Reason = keyof typeof REASONS;

/** What speaks against an item. */
export interface Finding {
  readonly reason: Reason;
  /** In plain words, with the number that it rests on. */
  readonly words: string;
  /** Among findings of this reason: the higher, the worse. */
  readonly weight: number;
}

/** Posterior probability from which an item is listed. */
const LIKELY = 0.5;
/** False discovery rate at which an item counts as misfitting. */
const MISFIT_RATE = 0.05;

/** Puts the same text before one that differs in numbers, whatever the answers are. */
const EXACT = 1e6;

/** What the answers to an item say of it. */
export interface ItemEvidence {
  readonly statistics: ItemStatistics;
  /** Null where its key was not looked at. */
  readonly key: KeyPosterior | null;
}

/** What is known of an item when it is judged. */
export interface JudgedItem<Evidence extends ItemEvidence = ItemEvidence> {
  /** Column of the matrix. */
  readonly column: number;
  readonly audit: Evidence;
  /** q-values of its tests; NaN where there was none. */
  readonly q: { readonly residualGroups: number; readonly sX2: number };
  /** Pairs that it is in, the surest first. */
  readonly copies: readonly ItemCopy[];
}

/**
 * What speaks against an item.
 * @param suspect - what its correlation with the others says, if anything
 * @param items - all items, for their ids
 * @returns in no order
 */
export function* findingsOf(
  { column, audit, q, copies }: JudgedItem,
  suspect: Suspect | undefined,
  items: readonly ItemInfo[],
): Generator<Finding, void, undefined> {
  const { models, mean, correlation } = audit.statistics;
  const { key } = audit;
  const same = copies.find(({ sameness }) => sameness !== null);
  const alike = copies.find(({ chance }) => chance !== null);
  const other = (copy: ItemCopy): string => items[copy.items[0] === column ? copy.items[1] : copy.items[0]]!.item_id;
  if (same) {
    const what = {
      content: "the same content as",
      text: "the same text as",
      numbers: "but for numbers the same text as",
    };
    const { sameness, likeness } = same;
    yield {
      reason: "same-text",
      words: `${what[sameness!]} ${other(same)}`,
      weight: (sameness === "numbers" ? 0 : EXACT) + (likeness?.z ?? 0),
    };
  }
  if (models < LEAST_MODELS_FOR_AUDIT) {
    yield { reason: "few-answers", words: `only ${models} models answered it`, weight: -models };
    return;
  }
  if (alike)
    yield {
      reason: "answered-alike",
      words: `answered like ${other(alike)}, beyond what ability explains (Q3 ${alike.likeness!.q3.toFixed(2)})`,
      weight: alike.likeness!.z,
    };
  const right = mean * models;
  if (right < LEAST_RARE)
    yield {
      reason: "floor",
      words: right === 0 ? "no model gets it" : `only ${count(right)} of ${models} models get it`,
      weight: -right,
    };
  if (models - right < LEAST_RARE)
    yield {
      reason: "ceiling",
      words: right === models ? "every model gets it" : `only ${count(models - right)} of ${models} models miss it`,
      weight: right,
    };
  if (key !== null && key.falling >= LIKELY)
    yield {
      reason: "wrong-key",
      words: `likely a wrong key: strong models miss it, weak ones get it (probability ${probability(key.falling)})`,
      weight: Math.log(key.falling) - Math.log(key.rising + key.flat + key.peaked + key.dipped),
    };
  if (key !== null && key.peaked + key.dipped >= LIKELY)
    yield {
      reason: "turning",
      words: `models in the middle do ${key.peaked > key.dipped ? "best" : "worst"} (probability ${probability(key.peaked + key.dipped)})`,
      weight: key.peaked + key.dipped,
    };
  if (suspect?.reversed === true)
    yield {
      reason: "reversed",
      words: `strong models miss it more than weak ones (r ${correlation.toFixed(2)})`,
      weight: -correlation,
    };
  if (suspect?.reversed === false)
    yield {
      reason: "unrelated",
      words: `hardly tells strong models from weak ones (r ${correlation.toFixed(2)})`,
      weight: -correlation,
    };
  if (q.residualGroups < MISFIT_RATE)
    yield {
      reason: "misfit",
      words: `answers don't follow the fitted curve (q ${q.residualGroups.toPrecision(1)})`,
      weight: -q.residualGroups,
    };
}

function count(models: number): string {
  return String(Math.round(models * 100) / 100);
}

/** Two digits, never rounded up to certainty. */
export function probability(value: number): string {
  return value > 0.99 ? "> .99" : value.toFixed(2);
}
