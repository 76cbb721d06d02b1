import { stackedPopulation, type ItemPool } from "anchoreval";
import type { BankPriors } from "../calibrate/linking.ts";
import type { Bank } from "../calibrate/bank.ts";
import type { ScenarioGroup } from "../matrix/benchmark.ts";

/** The items of banks that were fitted on a split's sources, as an adaptive evaluation draws from them. */
export function foldPool(tasks: readonly ScenarioGroup[], banks: readonly Bank[], priors: BankPriors): ItemPool {
  let line = 0;
  const all = banks.flatMap((bank, b) =>
    bank.scenarios.map(({ slice, ...scenario }) => {
      const first = line;
      line += slice.count;
      return { ...scenario, id: slice.id, weights: slice.weights, exposure: null, first, b };
    }),
  );
  const items = tasks.flatMap(({ matrix, scenarios }) =>
    scenarios.flatMap(({ begin, count }) => matrix.items.slice(begin, begin + count)),
  );
  return {
    benchmark: "replay",
    version: "0.0.0",
    digest: "replay",
    scenarios: all.map(({ id, bank }) => ({ id, items: bank.count })),
    population: (wanted) => {
      const chosen = all.filter(({ id }) => wanted.includes(id));
      const used = [...new Set(chosen.map(({ b }) => b))];
      const linked = used.length > 1 ? priors.together : null;
      return stackedPopulation(
        chosen.map((scenario) => ({ ...scenario, share: 1 / chosen.length })),
        used.map((b) => ({
          id: tasks[b]!.id,
          scenarios: tasks[b]!.scenarios.map(({ id }) => id),
          prior: linked?.[b] ?? priors.alone[b]!,
        })),
      );
    },
    item: (at) => ({ item_id: items[at]!.item_id, scenario: items[at]!.scenario }),
  };
}
