import type { ItemInfo, ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { LEAST_MODELS_FOR_AUDIT, LEAST_RARE, suspicion, type ItemStatistics } from "./item-statistics.ts";
import type { KeyPosterior } from "./key-audit.ts";
import type { ItemCopy } from "./near-copies.ts";

/** Reasons to inspect an item by hand, the most urgent first, in plain words. */
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

export type Reason = keyof typeof REASONS;

/** Evidence against an item. */
interface Finding {
  readonly reason: Reason;
  /** In plain words, with the supporting number. */
  readonly words: string;
  /** Among findings of this reason: the higher, the worse. */
  readonly weight: number;
}

/** Posterior probability from which an item is listed. */
const LIKELY = 0.5;
/** False discovery rate at which an item counts as misfitting. */
const MISFIT_RATE = 0.05;
/** Ranks an identical text before one that differs in numbers, whatever the answers are. */
const EXACT = 1e6;

/** The evidence in the answers to an item. */
export interface ItemEvidence {
  readonly statistics: ItemStatistics;
  /** Null where its key was not examined. */
  readonly key: KeyPosterior | null;
}

/** An item with all evidence against it. */
export interface AuditedItem<Evidence extends ItemEvidence = ItemEvidence> {
  /** Column of the matrix. */
  readonly column: number;
  readonly info: ItemInfo;
  readonly audit: Evidence;
  /** q-values of its tests; NaN where there was none. */
  readonly q: { readonly residualGroups: number; readonly sX2: number };
  /** Pairs that include it, the most certain first. */
  readonly copies: readonly ItemCopy[];
  /** The most urgent first; empty if there are none. */
  readonly findings: readonly Finding[];
  /** 1 for the item to inspect first; null without findings. */
  readonly rank: number | null;
}

/** The ids of the items that an item is paired with. */
export function othersOf(column: number, copies: readonly ItemCopy[], items: readonly ItemInfo[]): string[] {
  return copies.map(({ items: [one, other] }) => items[one === column ? other : one]!.item_id);
}

const SAME_AS = {
  content: "the same content as",
  text: "the same text as",
  numbers: "but for numbers the same text as",
};

/** All evidence against an item, in no order. @param items - all items, for their ids */
function* findingsOf(
  { column, audit, q, copies }: Pick<AuditedItem, "column" | "audit" | "q" | "copies">,
  items: readonly ItemInfo[],
): Generator<Finding> {
  const { models, mean, correlation } = audit.statistics;
  const { key } = audit;
  const same = copies.find(({ sameness }) => sameness !== null);
  const alike = copies.find(({ chance }) => chance !== null);
  if (same) {
    const { sameness, likeness } = same;
    yield {
      reason: "same-text",
      words: `${SAME_AS[sameness!]} ${othersOf(column, [same], items)[0]!}`,
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
      words: `answered like ${othersOf(column, [alike], items)[0]!}, beyond what ability explains (Q3 ${alike.likeness!.q3.toFixed(2)})`,
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
      words: `${REASONS["wrong-key"]} (probability ${probability(key.falling)})`,
      weight: Math.log(key.falling) - Math.log(key.rising + key.flat + key.peaked + key.dipped),
    };
  if (key !== null && key.peaked + key.dipped >= LIKELY)
    yield {
      reason: "turning",
      words: `models in the middle do ${key.peaked > key.dipped ? "best" : "worst"} (probability ${probability(key.peaked + key.dipped)})`,
      weight: key.peaked + key.dipped,
    };
  const suspect = suspicion(audit.statistics);
  if (suspect)
    yield { reason: suspect, words: `${REASONS[suspect]} (r ${correlation.toFixed(2)})`, weight: -correlation };
  if (q.residualGroups < MISFIT_RATE)
    yield {
      reason: "misfit",
      words: `${REASONS.misfit} (q ${q.residualGroups.toPrecision(1)})`,
      weight: -q.residualGroups,
    };
}

/** Fractions of models come of graded scores. */
function count(models: number): string {
  return String(Math.round(models * 100) / 100);
}

/** Two digits, never rounded up to certainty. */
export function probability(value: number): string {
  return value > 0.99 ? "> .99" : value.toFixed(2);
}

/** The part of an audit that items are judged by. */
interface ItemDiagnosis<Evidence extends ItemEvidence> {
  readonly matrix: Pick<ResponseMatrix, "items">;
  readonly scenarios: readonly { readonly begin: number; readonly audit: { readonly items: readonly Evidence[] } }[];
  readonly q: { readonly residualGroups: Float64Array; readonly sX2: Float64Array };
  readonly copies: readonly ItemCopy[];
}

/** All items of an audit, by rank, those without findings last in the matrix's order. */
export function auditedItems<Evidence extends ItemEvidence>({
  matrix,
  scenarios,
  q,
  copies,
}: ItemDiagnosis<Evidence>): AuditedItem<Evidence>[] {
  const pairs = matrix.items.map((): ItemCopy[] => []);
  for (const copy of copies) for (const column of copy.items) pairs[column]!.push(copy);
  const urgency = Object.keys(REASONS) as Reason[];
  const place = ({ reason }: Finding): number => urgency.indexOf(reason);
  const items = scenarios.flatMap(({ begin, audit }) =>
    audit.items.map((evidence, k) => {
      const column = begin + k;
      const about = {
        column,
        info: matrix.items[column]!,
        audit: evidence,
        q: { residualGroups: q.residualGroups[column]!, sX2: q.sX2[column]! },
        copies: pairs[column]!,
      };
      const findings = [...findingsOf(about, matrix.items)].sort((x, y) => place(x) - place(y));
      return { ...about, findings };
    }),
  );
  const order = ({ findings: [first] }: (typeof items)[number]): number => (first ? place(first) : urgency.length);
  items.sort(
    (x, y) => order(x) - order(y) || (y.findings[0]?.weight ?? 0) - (x.findings[0]?.weight ?? 0) || x.column - y.column,
  );
  return items.map((item, k) => ({ ...item, rank: item.findings.length === 0 ? null : k + 1 }));
}
