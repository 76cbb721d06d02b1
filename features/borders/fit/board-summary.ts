import { firstFew } from "anchoreval/internal/tables/data-issues";
import { counted, wholePercent } from "anchoreval/internal/words/figures";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { eachScore, type ItemInfo, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { total } from "../../../offline-trainer/src/numeric/statistics.ts";

/** Distinct values up to which they are counted. */
const MOST_VALUES = 1000;
/** Scenarios of which words tell each. */
const MOST_SCENARIOS = 6;

/** A board in figures, as it came in: a fault of a file mostly shows here. */
export interface BoardSummary {
  readonly models: number;
  readonly items: number;
  /** The lowest and the highest score, after the scale. */
  readonly range: readonly [low: number, high: number];
  /** Distinct scores; 1000 where there are as many or more. */
  readonly distinct: number;
  /** Share of cells without a score. */
  readonly missing: number;
  readonly scenarios: readonly {
    readonly id: string;
    readonly items: number;
    /** Mean of its scores. */
    readonly mean: number;
    readonly highest: number;
    readonly missing: number;
  }[];
}

/**
 * Parts of a board by scenario, each for what is gathered of it.
 * @returns by scenario, and for each item that of its scenario
 */
export function scenarioParts<T>(items: readonly ItemInfo[], make: () => T): { parts: Map<string, T>; partOf: T[] } {
  const parts = new Map([...new Set(items.map(({ scenario }) => scenario))].map((id) => [id, make()]));
  return { parts, partOf: items.map(({ scenario }) => parts.get(scenario)!) };
}

export function boardSummary(matrix: ResponseMatrix): BoardSummary {
  const { subjects, items } = matrix;
  const values = new Set<number>();
  const parts = groupBy(items.keys(), (i) => items[i]!.scenario);
  const places = new Int32Array(items.length);
  [...parts.values()].forEach((part, place) => part.forEach((i) => (places[i] = place)));
  const [sums, seenIn, highest] = Array.from({ length: 3 }, () => new Float64Array(parts.size)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  let low = Infinity;
  let high = -Infinity;
  let last = NaN;
  eachScore(matrix, [...subjects.keys()], (score, _, i) => {
    const part = places[i]!;
    sums[part] = sums[part]! + score;
    seenIn[part] = seenIn[part]! + 1;
    if (score > highest[part]!) highest[part] = score;
    if (score === last) return;
    last = score;
    if (score < low) low = score;
    if (score > high) high = score;
    if (values.size < MOST_VALUES) values.add(score);
  });
  const lacking = (all: number, count: number): number => 1 - count / (all * subjects.length);
  return {
    models: subjects.length,
    items: items.length,
    range: [low, high],
    distinct: values.size,
    missing: lacking(items.length, total(seenIn)),
    scenarios: Array.from(parts, ([id, { length }], place) => ({
      ...{ id, items: length, mean: sums[place]! / seenIn[place]!, highest: highest[place]! },
      missing: lacking(length, seenIn[place]!),
    })),
  };
}

/**
 * Two lines on a board.
 * @example ["14 models, 24 items; scores 0 to 1, 2 distinct; none missing", "math: 12 items, mean 41 %; code: 12 items, mean 38 %"]
 */
export function boardWords({ models, items, range, distinct, missing, scenarios }: BoardSummary): string[] {
  const lacking = (share: number): string => `${share === 0 ? "none" : wholePercent(share)} missing`;
  const values = distinct >= MOST_VALUES ? `${MOST_VALUES} or more distinct` : `${distinct} distinct`;
  const [low, high] = range.map((score) => Number(score.toPrecision(4)));
  const parts = scenarios.slice(0, MOST_SCENARIOS).map((part) => {
    const gaps = part.missing > 0 && scenarios.length > 1 ? `, ${lacking(part.missing)}` : "";
    return `${part.id}: ${counted(part.items, "item")}, mean ${wholePercent(part.mean)}${gaps}`;
  });
  const more = scenarios.length > parts.length ? [`and ${scenarios.length - parts.length} more scenarios`] : [];
  return [
    `${counted(models, "model")}, ${counted(items, "item")}; scores ${low} to ${high}, ${values}; ${lacking(missing)}`,
    [...parts, ...more].join("; "),
  ];
}

/** Says what follows where nothing varies in some scenarios. */
export function unvariedWords(scenarios: readonly string[], models: number): string {
  return `no variance in ${firstFew(scenarios)}: the ${models} models have the same score on every item, so that items can't be told apart and errors can't be measured; other models are needed, weaker or stronger`;
}
