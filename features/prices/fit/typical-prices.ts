import { type Cost, COST_KINDS, type CostKind } from "anchoreval/internal/logs/cost";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import { counted } from "anchoreval/internal/words/figures";
import { numbers } from "../../../offline-trainer/src/numeric/statistics.ts";

/** Prices of items by the costs of models' answers, of one kind. */
export interface TypicalPrices {
  readonly kind: CostKind;
  /** Of every item, above 0: what it costs a typical model. */
  readonly items: ReadonlyMap<string, number>;
  /** Models that any answer's cost is known of. */
  readonly models: number;
  /** Items that no answer's cost is known of: they have the median price of their scenario. */
  readonly assumed: readonly string[];
}

interface CostSums {
  readonly sums: number[];
  readonly counts: number[];
}

interface PricedItem {
  readonly item_id: string;
  readonly scenario: string;
}

/** Below this share of items with a known price there are none: most would be assumed. */
const LEAST_KNOWN = 0.5;

/** Sweeps of a median polish after which it stands, and the change of a logarithm at which it has ended before. */
const [MOST_SWEEPS, SETTLED] = [30, 1e-6];

/** Costs of models' answers to items, as they are read. */
export class AnswerCosts {
  readonly #places = new Map<string, number>();
  /** By kind and model, then by the item's place: sum over the answers whose cost is known, and their number. */
  readonly #models = new Map<CostKind, Map<string, CostSums>>();

  /** Notes what an answer cost. @param answers - how many it is the mean of */
  add(model: string, item: string, cost: Cost, answers = 1): void {
    for (const kind of COST_KINDS) {
      const value = cost[kind];
      if (value === undefined) continue;
      const models = this.#models.get(kind) ?? new Map<string, CostSums>();
      this.#models.set(kind, models);
      const { sums, counts } = models.get(model) ?? { sums: [], counts: [] };
      models.set(model, { sums, counts });
      const place = this.#places.get(item) ?? this.#places.size;
      this.#places.set(item, place);
      sums[place] = (sums[place] ?? 0) + value * answers;
      counts[place] = (counts[place] ?? 0) + answers;
    }
  }

  /**
   * Prices of items for a typical model, of every kind of which half of the items' prices are known.
   * @param items - of the board; costs of others are left aside
   * @returns the prices, and sentences that say which are assumed, and which kinds there are too few of
   */
  prices(items: readonly PricedItem[]): {
    readonly prices: readonly TypicalPrices[];
    readonly remarks: readonly string[];
  } {
    const places = items.map(({ item_id: id }) => this.#places.get(id) ?? -1);
    const prices: TypicalPrices[] = [];
    const remarks: string[] = [];
    for (const [kind, models] of this.#models) {
      const logs = Array.from(models.values(), ({ sums, counts }) =>
        Float64Array.from(places, (place) => Math.log((sums[place] ?? NaN) / (counts[place] ?? NaN))),
      ).filter((row) => row.some((log) => !Number.isNaN(log)));
      const typical = typicalLogs(logs, items.length);
      const priced = typical.filter((log) => !Number.isNaN(log)).length;
      if (priced === 0) continue;
      if (priced < LEAST_KNOWN * items.length) {
        remarks.push(`${kind} are known of ${priced} of ${items.length} items alone, too few for prices`);
        continue;
      }
      const ofKind = { kind, models: logs.length, ...filled(typical, items) };
      prices.push(ofKind);
      if (ofKind.assumed.length > 0) remarks.push(assumedWords(ofKind, items));
    }
    return { prices, remarks };
  }
}

function assumedWords({ kind, assumed }: TypicalPrices, items: readonly PricedItem[]): string {
  const guessed = new Set(assumed);
  const pricedScenarios = new Set(items.flatMap(({ item_id: id, scenario }) => (guessed.has(id) ? [] : [scenario])));
  const blind = items.map(({ scenario }) => scenario).filter((scenario) => !pricedScenarios.has(scenario));
  const overall = blind.length === 0 ? "" : `, those of ${firstFew([...new Set(blind)])} the median of all items`;
  const [are, their] = assumed.length === 1 ? ["it is", "its"] : ["they are", "their"];
  return `${kind}: no answer to ${counted(assumed.length, "item")} of ${items.length} says what it took; ${are} taken to cost the median of ${their} scenario${overall}: ${firstFew(assumed)}`;
}

/** Prices of all items, those of which nothing is known the median of their scenario, else of all. */
function filled(logs: Float64Array, items: readonly PricedItem[]): Pick<TypicalPrices, "items" | "assumed"> {
  const priced = items.flatMap(({ scenario }, i) => (Number.isNaN(logs[i]) ? [] : [{ scenario, log: logs[i]! }]));
  const medianOf = (parts: typeof priced): number => median(parts.map(({ log }) => log));
  const byScenario = groupBy(priced, ({ scenario }) => scenario);
  const medians = new Map(Array.from(byScenario, ([scenario, parts]) => [scenario, medianOf(parts)]));
  const overall = medianOf(priced);
  const priceOf = (scenario: string, log: number): number =>
    Math.exp(Number.isNaN(log) ? (medians.get(scenario) ?? overall) : log);
  return {
    items: new Map(items.map(({ item_id: id, scenario }, i) => [id, priceOf(scenario, logs[i]!)])),
    assumed: items.flatMap(({ item_id: id }, i) => (Number.isNaN(logs[i]) ? [id] : [])),
  };
}

/**
 * Effects of items in x_ji = u_j + v_i + ε by Tukey's median polish, x the logarithm of what an answer costs and u_j how much
 * model j spends: models' medians of x_ji − v_i and items' medians of x_ji − u_j in turn. One verbose model, or one answer
 * that ran away, moves no price; an item that only verbose models answered is no dearer for it.
 *
 * Models that share no item, directly or over others, can't be compared: each such group has a typical model of its own, whose
 * u is the median of the group's, 0.
 * @param models - x_j by item, NaN where it isn't known
 * @returns v_i, NaN of items without any
 */
function typicalLogs(models: readonly Float64Array[], count: number): Float64Array {
  const typical = new Float64Array(count).fill(NaN);
  const waiting = models
    .map((row) => ({ row, count: numbers(row).length }))
    .sort((a, b) => b.count - a.count)
    .map(({ row }) => row);
  while (waiting.length > 0) {
    // A group begins with the model that answered most, and grows by those that share an item with it.
    const group: Float64Array[] = [];
    const items = new Float64Array(count).fill(NaN);
    const isLinked = (row: Float64Array): boolean => row.some((log, i) => !Number.isNaN(log - items[i]!));
    for (let at = 0; at >= 0; at = waiting.findIndex(isLinked)) {
      const row = waiting.splice(at, 1)[0]!;
      const level = group.length === 0 ? 0 : levelOf(row, items);
      row.forEach((log, i) => (items[i] = Number.isNaN(items[i]) ? log - level : items[i]!));
      group.push(row);
    }
    polish(group, items);
    items.forEach((log, i) => (typical[i] = Number.isNaN(log) ? typical[i]! : log));
  }
  return typical;
}

/** How much a model spends: the median of x − v over its items. */
function levelOf(model: Float64Array, items: Float64Array): number {
  return median(numbers(model.map((log, i) => log - items[i]!)));
}

/** @param items - v to begin with; becomes the one that stands */
function polish(models: readonly Float64Array[], items: Float64Array): void {
  for (let sweep = 0, change = Infinity; sweep < MOST_SWEEPS && change > SETTLED; sweep++) {
    const levels = models.map((row) => levelOf(row, items));
    const middle = median(levels);
    change = 0;
    for (let i = 0; i < items.length; i++) {
      const next = median(numbers(models.map((row, j) => row[i]! - levels[j]! + middle)));
      change = Math.max(change, Math.abs(next - items[i]!) || 0);
      items[i] = next;
    }
  }
}

/** NaN of none. */
function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  if (sorted.length === 0) return NaN;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
