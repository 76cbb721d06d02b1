import { studentTCdf } from "anchoreval/internal/core/numeric/distributions";
import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { groupBy } from "anchoreval/internal/logs/run-log";
import {
  eachScore,
  isBinary,
  type ItemInfo,
  LEAST_MODELS,
  type ResponseMatrix,
  scoreAt,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { pearson } from "../../../offline-trainer/src/numeric/statistics.ts";
import { scenarioParts } from "./board-summary.ts";
import type { BorderFinding } from "./findings.ts";

/** Correlation of models' scores in a scenario and in the others below which it runs against them. */
const REVERSED = -0.5;
/** The same of an item with the others of its scenario: of thirty real tables one item is below; columns of ranks and times are near −1. */
const REVERSED_ITEM = -0.8;
/** Chance of such a correlation in any of the scenarios of a board in which they have nothing to do with each other. */
const ERROR = 5e-3;

/**
 * Scenarios, subscenarios of one, and items of one, whose scores fall where those of the others rise, as error rates do. They are put on two
 * sides such that correlations are positive on one side and negative between both; the smaller side is the reversed one.
 */
export function reversedScenarios(matrix: ResponseMatrix): BorderFinding[] {
  const scenarios = [...new Set(matrix.items.map(({ scenario }) => scenario))];
  return [
    ...reversedParts(matrix, "scenario", ({ scenario }) => scenario),
    ...scenarios.flatMap((id) =>
      reversedParts(matrix, "subscenario", ({ scenario, subscenario }) => (scenario === id ? subscenario : undefined)),
    ),
    ...reversedItems(matrix),
  ];
}

/** @param partOf - the part that an item is of; undefined for none */
function reversedParts(
  matrix: ResponseMatrix,
  kind: string,
  partOf: (item: ItemInfo) => string | undefined,
): BorderFinding[] {
  const { ids, scores } = partMeans(matrix, partOf);
  if (ids.length < 2) return [];
  const others = (s: number, sides: readonly number[]): Float64Array =>
    Float64Array.from(scores[s]!, (_, m) => {
      let [sum, count] = [0, 0];
      scores.forEach((other, k) => {
        if (k === s || Number.isNaN(other[m]!)) return;
        sum += sides[k]! * other[m]!;
        count++;
      });
      return count > 0 ? sum / count : NaN;
    });
  const sides = scores.map(() => 1);
  const correlations = ids.map(() => 0);
  // Each turn puts a scenario where it agrees with more of the others: at most as many turns as there are scenarios.
  for (let turns = 0; turns <= ids.length; turns++) {
    ids.forEach((_, s) => (correlations[s] = sides[s]! * correlation(scores[s]!, others(s, sides))));
    const worst = correlations.indexOf(Math.min(...correlations));
    if (correlations[worst]! >= REVERSED) break;
    sides[worst] = -sides[worst]!;
  }
  const minority = sides.filter((side) => side < 0).length * 2 <= ids.length ? -1 : 1;
  const plain = sides.map((side) => (side === minority ? 0 : 1));
  return ids.flatMap((id, s) => {
    if (sides[s] !== minority) return [];
    const rest = others(s, plain);
    const r = correlation(scores[s]!, rest);
    const shared = scores[s]!.filter((score, m) => !Number.isNaN(score) && !Number.isNaN(rest[m]!)).length;
    if (!isReversed(r, shared, ids.length)) return [];
    const figure = correlationWords(r, shared);
    // Of two nothing tells which one is reversed.
    const both = ids.length === 2;
    const names = both ? ids : [id];
    const what = both
      ? `${kind}s ${ids.map(quoted).join(" and ")} run against each other: ${figure}; if lower is better in one of them`
      : `${kind} ${quoted(id)} runs against the others: ${figure}; if lower is better in it`;
    const message = `${what}, write 1 − score there (\`scoreRange\` 1,0 turns a whole table)`;
    return [{ code: "scenario_reversed", names, message }];
  });
}

/** Whether a correlation is against the others by more than chance, out of so many. */
function isReversed(r: number, shared: number, among: number): boolean {
  return shared >= LEAST_MODELS && r <= REVERSED && among * correlationChance(r, shared) <= ERROR;
}

/** The chance of a correlation over so many models as low as r, or lower, where nothing goes together. */
export function correlationChance(r: number, models: number): number {
  const t = r * Math.sqrt((models - 2) / Math.max(1e-12, 1 - r * r)); // of a mirror r is −1
  return studentTCdf(t, models - 2);
}

/** @example correlationWords(-0.614, 40) // "r = -.61 over 40 models" */
export function correlationWords(r: number, models: number): string {
  return `r = ${r.toFixed(2).replace("0.", ".")} over ${models} models`;
}

/**
 * Items with fractions whose scores fall where those of the others of their scenario rise, as ranks, error rates and times do. Of
 * one with 0 and 1 alone it is more likely that its key is wrong, which an audit tells.
 */
function reversedItems(matrix: ResponseMatrix): BorderFinding[] {
  if (isBinary(matrix)) return [];
  const { subjects, items } = matrix;
  const zeros = (): Float64Array => new Float64Array(subjects.length);
  const make = () => ({ sums: zeros(), counts: zeros(), items: 0, reversed: new Array<string>() });
  const { parts, partOf } = scenarioParts(items, make);
  for (const part of partOf) part.items++;
  eachScore(matrix, [...subjects.keys()], (score, m, i) => {
    partOf[i]!.sums[m]! += score;
    partOf[i]!.counts[m]!++;
  });
  const [column, rest] = [new Float64Array(subjects.length), new Float64Array(subjects.length)];
  items.forEach(({ item_id: id }, i) => {
    const { sums, counts, reversed } = partOf[i]!;
    let [shared, fractions] = [0, 0];
    for (let m = 0; m < subjects.length; m++) {
      const score = scoreAt(matrix, m, i);
      if (score > 0 && score < 1) fractions++;
      if (Number.isNaN(score) || counts[m]! < 2) continue;
      column[shared] = score;
      rest[shared++] = (sums[m]! - score) / (counts[m]! - 1);
    }
    if (fractions === 0) return;
    const r = pearson(column.subarray(0, shared), rest.subarray(0, shared)) ?? 0;
    if (r <= REVERSED_ITEM && isReversed(r, shared, items.length)) reversed.push(id);
  });
  // Where half of the items are, their mean tells nothing.
  const names = [...parts.values()].flatMap(({ items: all, reversed }) => (3 * reversed.length < all ? reversed : []));
  if (names.length === 0) return [];
  const whose = names.length === 1 ? `item ${quoted(names[0]!)} runs` : `${names.length} items run`;
  const which = names.length === 1 ? "" : ` (${firstFew(names)})`;
  const message = `${whose} against the others of the scenario${which}: if lower is better in ${names.length === 1 ? "it" : "them"}, write 1 − score there`;
  return [{ code: "item_reversed", names, message }];
}

/** Plain means of every model over the items of each part; NaN where it answered none. */
function partMeans(
  matrix: ResponseMatrix,
  partOf: (item: ItemInfo) => string | undefined,
): { ids: string[]; scores: Float64Array[] } {
  const { subjects, items } = matrix;
  const columns = groupBy(items.keys(), (i) => partOf(items[i]!));
  columns.delete(undefined);
  const ids = [...columns.keys()].filter((id) => id !== undefined);
  if (ids.length < 2) return { ids, scores: [] };
  const scores = Array.from(columns.values(), (part) => {
    const of = Int32Array.from(part);
    return Float64Array.from(subjects, (_, m) => partMean(matrix, m, of));
  });
  return { ids, scores };
}

function partMean({ stride, scores, observed }: ResponseMatrix, model: number, columns: Int32Array): number {
  const row = model * stride;
  let sum = 0;
  let count = 0;
  for (let k = 0; k < columns.length; k++) {
    const at = row + columns[k]!;
    if (observed !== null && observed[at] === 0) continue;
    sum += scores[at]!;
    count++;
  }
  return sum / count;
}

/** Pearson's correlation over the models that have both; 0 where nothing varies. */
function correlation(left: Float64Array, right: Float64Array): number {
  const both = [...left.keys()].filter((m) => !Number.isNaN(left[m]!) && !Number.isNaN(right[m]!));
  return (
    pearson(
      Float64Array.from(both, (m) => left[m]!),
      Float64Array.from(both, (m) => right[m]!),
    ) ?? 0
  );
}
