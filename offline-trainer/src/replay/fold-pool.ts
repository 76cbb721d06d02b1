import type { ItemPool, PoolPopulation } from "anchoreval";
import type { BankPriors } from "../fit/link-banks.ts";
import type { BankTask, TrainedBank } from "../fit/train-bank.ts";

/** The items of banks that were fitted on a split's sources, as an adaptive evaluation draws from them. */
export function foldPool(tasks: readonly BankTask[], banks: readonly TrainedBank[], priors: BankPriors): ItemPool {
  const all = banks.flatMap((bank, b) => bank.scenarios.map((scenario) => ({ ...scenario, b })));
  const items = tasks.flatMap(({ matrix, scenarios }) =>
    scenarios.flatMap(({ begin, count }) => matrix.items.slice(begin, begin + count)),
  );
  const population = (wanted: readonly string[]): PoolPopulation => {
    const chosen = all.filter(({ slice }) => wanted.includes(slice.id));
    const used = [...new Set(chosen.map(({ b }) => b))];
    const count = chosen.reduce((sum, { slice }) => sum + slice.count, 0);
    const weights = new Float64Array(count);
    const lines = new Uint32Array(count);
    let begin = 0;
    const scenarios = chosen.map(({ slice, bank, scoreMap }) => {
      const from = begin;
      const first = lineOf(all, slice.id);
      for (let i = 0; i < slice.count; i++) {
        weights[from + i] = slice.weights[i]! / chosen.length;
        lines[from + i] = first + i;
      }
      begin += slice.count;
      return { id: slice.id, begin: from, bank, scoreMap };
    });
    const linked = used.length > 1 ? priors.together : null;
    return {
      scenarios,
      banks: used.map((b) => ({
        scenarios: chosen.flatMap((scenario, s) => (scenario.b === b ? [s] : [])),
        prior: linked?.[b] ?? priors.alone[b]!,
      })),
      count,
      weights,
      exposure: null,
      lines,
      bankIds: used.map((b) => tasks[b]!.id),
    };
  };
  return {
    benchmark: "replay",
    version: "0.0.0",
    digest: "replay",
    scenarios: all.map(({ slice }) => ({ id: slice.id, items: slice.count })),
    population,
    item: (line) => ({ item_id: items[line]!.item_id, scenario: items[line]!.scenario }),
  };
}

/** Items of the scenarios before one. */
function lineOf(
  all: readonly { readonly slice: { readonly id: string; readonly count: number } }[],
  id: string,
): number {
  let line = 0;
  for (const { slice } of all) {
    if (slice.id === id) break;
    line += slice.count;
  }
  return line;
}
