import type { ItemInfo } from "../matrix/response-matrix.ts";
import type { Audit } from "./audit.ts";
import { findingsOf, REASONS, type Finding, type JudgedItem, type Reason } from "./findings.ts";
import type { ItemCopy } from "./item-copies.ts";
import { suspectItems } from "./suspect-items.ts";

/** An item with everything that speaks against it. */
export interface AuditedItem extends JudgedItem {
  readonly info: ItemInfo;
  /** The most urgent first; empty where nothing is against it. */
  readonly findings: readonly Finding[];
  /** 1 for the item to look at first; null without findings. */
  readonly rank: number | null;
}

/** All items of an audit, by rank, those without findings last in the matrix's order. */
export function auditedItems({ matrix, banks, q, copies }: Audit): AuditedItem[] {
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
