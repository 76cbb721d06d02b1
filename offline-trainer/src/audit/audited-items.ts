import type { ItemInfo } from "../matrix/response-matrix.ts";
import type { Audit } from "./audit.ts";
import type { ItemAudit } from "./audit-bank.ts";
import { findingsOf, REASONS, type Finding, type ItemEvidence, type JudgedItem, type Reason } from "./findings.ts";
import type { ItemCopy } from "./item-copies.ts";
import { suspectItems } from "./suspect-items.ts";

/** An item with everything that speaks against it. */
export interface AuditedItem<Evidence extends ItemEvidence = ItemAudit> extends JudgedItem<Evidence> {
  readonly info: ItemInfo;
  /** The most urgent first; empty where nothing is against it. */
  readonly findings: readonly Finding[];
  /** 1 for the item to look at first; null without findings. */
  readonly rank: number | null;
}

/** An audit as far as its items are judged by it. */
export interface ItemDiagnosis<Evidence extends ItemEvidence> extends Pick<Audit, "q" | "copies"> {
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
