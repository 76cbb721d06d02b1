import type { Reason } from "../audit/findings.ts";
import { LEAST_MODELS_FOR_AUDIT } from "../audit/suspect-items.ts";
import type { ReportItem, ReportScenario } from "./report-data.ts";
import { fairLimit } from "./fair-limit.ts";

/** Items listed over all scenarios, a scenario at most and at least. */
const LISTED = 400;
const MOST_LISTED = 20;
const LEAST_LISTED = 3;

/**
 * The items of each scenario that are listed as worth auditing, those to look at first at the front. Every reason that
 * heads an item has its share of a list. None where models are too few to tell an item from bad luck.
 */
export function listedItems(scenarios: readonly Pick<ReportScenario, "audited" | "fitted">[]): ReportItem[][] {
  const found = scenarios.map(({ audited, fitted }) =>
    fitted.trained.rows.length < LEAST_MODELS_FOR_AUDIT ? [] : audited.filter(({ rank }) => rank !== null),
  );
  const lengths = found.map(({ length }) => Math.min(MOST_LISTED, length));
  const limit = Math.min(MOST_LISTED, fairLimit(lengths, LISTED, LEAST_LISTED));
  return found.map((items) => shared(items, limit));
}

/** The first of each reason; of few places the most urgent reasons'. */
function shared(items: readonly ReportItem[], limit: number): ReportItem[] {
  const groups = new Map<Reason, ReportItem[]>();
  for (const item of items) {
    const { reason } = item.findings[0]!;
    const own = groups.get(reason);
    if (own) own.push(item);
    else groups.set(reason, [item]);
  }
  const lists = [...groups.values()];
  const each = fairLimit(
    lists.map(({ length }) => length),
    limit,
    1,
  );
  return lists.flatMap((list) => list.slice(0, Math.min(list.length, each))).slice(0, limit);
}
