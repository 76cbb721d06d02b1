import { firstFew } from "anchoreval/internal/tables/data-issues";
import type { ResponseMatrix } from "../response-matrix.ts";

/** Scenarios in which all models that answered an item have the same score on it, whichever item that is: nothing varies. */
export function unvariedScenarios({ subjects, items, scores, observed }: ResponseMatrix): string[] {
  const varied = new Set<string>();
  const columns = items.length;
  items.forEach(({ scenario }, i) => {
    if (varied.has(scenario)) return;
    let first: number | undefined;
    for (let m = 0; m < subjects.length; m++) {
      const at = m * columns + i;
      if (observed?.[at] === 0) continue;
      first ??= scores[at]!;
      if (scores[at] !== first) varied.add(scenario);
    }
  });
  return [...new Set(items.map(({ scenario }) => scenario))].filter((scenario) => !varied.has(scenario));
}

/** What it means that nothing varies in some scenarios. */
export function unvariedWords(scenarios: readonly string[], models: number): string {
  return `no variance in ${firstFew(scenarios)}: the ${models} models have the same score on every item, so that items can't be told apart and errors can't be measured; other models are needed, weaker or stronger`;
}
