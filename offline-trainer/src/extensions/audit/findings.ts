import type { ItemCopy } from "./near-copies.ts";
import type { ItemStatistics } from "./item-statistics.ts";
import type { KeyPosterior } from "./key-posterior.ts";
import type { ItemInfo } from "../../matrix/response-matrix.ts";
import type { Audit, ItemAudit } from "./audit-leaderboard.ts";

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
interface JudgedItem<Evidence extends ItemEvidence = ItemEvidence> {
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
function* findingsOf(
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

/** An item with everything that speaks against it. */
export interface AuditedItem<Evidence extends ItemEvidence = ItemAudit> extends JudgedItem<Evidence> {
  readonly info: ItemInfo;
  /** The most urgent first; empty where nothing is against it. */
  readonly findings: readonly Finding[];
  /** 1 for the item to look at first; null without findings. */
  readonly rank: number | null;
}

/** An audit as far as its items are judged by it. */
interface ItemDiagnosis<Evidence extends ItemEvidence> extends Pick<Audit, "q" | "copies"> {
  readonly matrix: { readonly items: readonly ItemInfo[] };
  readonly banks: readonly { readonly begin: number; readonly audit: { readonly items: readonly Evidence[] } }[];
}

/** All items of an audit, by rank, those without findings last in the matrix's order. */
export function auditedItems<Evidence extends ItemEvidence = ItemAudit>({
  matrix,
  banks,
  q,
  copies,
}: ItemDiagnosis<Evidence>): AuditedItem<Evidence>[] {
  const pairs = new Map<number, ItemCopy[]>();
  for (const copy of copies)
    for (const column of copy.items) {
      const own = pairs.get(column);
      if (own) own.push(copy);
      else pairs.set(column, [copy]);
    }
  const urgency = Object.keys(REASONS) as Reason[];
  const items = banks.flatMap(({ begin, audit }) => {
    const suspects = new Map(
      suspectItems(audit.items.map(({ statistics }) => statistics)).map((suspect) => [suspect.item, suspect]),
    );
    return audit.items.map((own, place) => {
      const column = begin + place;
      const about = {
        column,
        info: matrix.items[column]!,
        audit: own,
        q: { residualGroups: q.residualGroups[column]!, sX2: q.sX2[column]! },
        copies: pairs.get(column) ?? [],
      };
      const findings = [...findingsOf(about, suspects.get(place), matrix.items)];
      findings.sort((x, y) => urgency.indexOf(x.reason) - urgency.indexOf(y.reason));
      return { ...about, findings };
    });
  });
  const order = (item: (typeof items)[number]): number =>
    item.findings.length === 0 ? urgency.length : urgency.indexOf(item.findings[0]!.reason);
  items.sort(
    (x, y) => order(x) - order(y) || (y.findings[0]?.weight ?? 0) - (x.findings[0]?.weight ?? 0) || x.column - y.column,
  );
  return items.map((item, place) => ({ ...item, rank: item.findings.length === 0 ? null : place + 1 }));
}

/** Models below which an item says nothing about itself. */
export const LEAST_MODELS_FOR_AUDIT = 20;

/** Answers of the rarer kind that an item needs: of fewer, each counts for too much. */
export const LEAST_RARE = 3;

interface Suspect {
  /** Position in the scenario. */
  readonly item: number;
  readonly statistics: ItemStatistics;
  /** Strong models miss it and weak ones get it, beyond what chance does; else it tells strong from weak hardly at all. */
  readonly reversed: boolean;
}

/**
 * Items whose correlation with the rest isn't clearly above zero: r < 2/√M, twice the spread of r without any relation.
 * Items that nearly every model gets or misses are left out, the worst stands first.
 */
export function suspectItems(statistics: readonly ItemStatistics[]): Suspect[] {
  return statistics
    .map((own, item): Suspect => ({ item, statistics: own, reversed: own.correlation <= -margin(own) }))
    .filter(({ statistics: own }) => {
      const rare = Math.min(own.mean, 1 - own.mean) * own.models;
      return own.models >= LEAST_MODELS_FOR_AUDIT && rare >= LEAST_RARE && own.correlation < margin(own);
    })
    .sort((one, other) => one.statistics.correlation - other.statistics.correlation || one.item - other.item);
}

function margin({ models }: ItemStatistics): number {
  return 2 / Math.sqrt(models);
}
