import { unvariedScenarios } from "../border/board-summary.ts";
import { isBinary, type ResponseMatrix, scoreAt } from "../response-matrix.ts";
import type { AnswerBits } from "./chances.ts";
import { withoutCopies } from "./copies.ts";
import { comparedSides } from "./sides.ts";

/** Items compared at most, evenly spaced. */
const COMPARED_ITEMS = 4096;
/** Answers in which reruns of one model differ at most, as a share. */
const RERUN_SHARE = 0.03;
/** Share of answers that a copy has turned for certain to be found; of few answers chance makes it more, … */
const TURNED_SHARE = 0.01;
/** … by at most so many standard deviations. */
const TURNED_REACH = 4;
/**
 * Squared differences of replicates' graded scores, of what is expected of independent ones, at most: a correlation of .8 beyond
 * level and difficulty. On seven graded leaderboards siblings have .3 and more, and models by the median 1.05.
 */
const SCORES_SHARE = 0.2;
/** Sides that differ at most of graded scores: one and a half times the arccos(.8)/π of normal ones that correlate so. */
const MOST_SIDES = 0.3;
/** An answer of 1 is above what was expected, whatever that was. */
const HIGHEST_CUT = 1 - 1e-6;
/**
 * Chance that a board of models that have nothing to do with each other has a pair of replicates, at most: Markov's bound is
 * wide, and on 9 000 boards of bench/replicates.js there was none.
 */
const BOARD_ERROR = 1e-2;

/**
 * Groups models that are replicates: a model and its rerun, or its copy under another name. Two are where their answers agree
 * beyond chance, more than models' scores and items' difficulty make models agree that have nothing to do with each other
 * (`answerChances`):
 *
 * - the likelihood of one model answered twice, over that of two independent ones, is above the number of pairs over
 *   {@link BOARD_ERROR}. Its mean over independent answers is at most 1: by Markov's inequality that bounds the chance of an
 *   error anywhere on the board;
 * - they differ in at most half of the answers that independent ones would, and in 3 % of all (of few, in what chance makes of
 *   1 %). Graded scores are compared as numbers: their squared differences are a fifth of what is expected.
 *
 * Copies, all answers alike, always are, and so are all models of a board on which no score differs from another: nothing
 * tells them apart. A group is made of the first of its models and all that replicate that one: models alike through a third
 * alone aren't.
 * @returns group of every model, numbered from 0 by first appearance
 */
export function replicateGroups(matrix: ResponseMatrix): Int32Array {
  const models = matrix.subjects.length;
  const varied = new Set(matrix.items.map(({ scenario }) => scenario)).size > unvariedScenarios(matrix).length;
  if (!varied) return new Int32Array(models);
  const replicate = pairTest(matrix);
  const groups = new Int32Array(models);
  const { copies } = withoutCopies(matrix);
  const rows = new Map(matrix.subjects.map((name, m) => [name, m]));
  const firsts: number[] = [];
  for (let m = 0; m < models; m++) {
    const original = copies.get(matrix.subjects[m]!);
    const group =
      original === undefined ? firsts.findIndex((first) => replicate(first, m)) : groups[rows.get(original)!]!;
    groups[m] = group >= 0 ? group : firsts.push(m) - 1;
  }
  return groups;
}

/**
 * Names of the models of every group that has several.
 * @param groups - of every model
 */
export function replicateNames(models: readonly string[], groups: ArrayLike<number>): string[][] {
  const names = new Map<number, string[]>();
  models.forEach((name, m) => names.set(groups[m]!, [...(names.get(groups[m]!) ?? []), name]));
  return [...names.values()].filter((alike) => alike.length > 1);
}

/** In words who replicates whom, a few of many; "" where nobody does. @example "a with b, c; d with e" */
export function replicateWords(groups: readonly (readonly string[])[]): string {
  const shown = groups.slice(0, SHOWN).map(([first, ...others]) => {
    const more = others.length > SHOWN ? ` and ${others.length - SHOWN} more` : "";
    return `${first!} with ${others.slice(0, SHOWN).join(", ")}${more}`;
  });
  return shown.join("; ") + (groups.length > SHOWN ? `; and ${groups.length - SHOWN} more` : "");
}

/** Groups, and models of each, that words name. */
const SHOWN = 5;

function pairTest(matrix: ResponseMatrix): (left: number, right: number) => boolean {
  const models = matrix.subjects.length;
  const columns = comparedColumns(matrix.items.length);
  const graded = !isBinary(matrix);
  const most = (shared: number): number =>
    graded
      ? MOST_SIDES * shared
      : Math.max(RERUN_SHARE * shared, TURNED_SHARE * shared + TURNED_REACH * Math.sqrt(TURNED_SHARE * shared));
  const expected = graded ? expectedScores(matrix, columns) : () => 0.5;
  const sides = comparedSides(answerBits(matrix, columns, expected), scenarioNumbers(matrix, columns), most);
  const needed = Math.log((models * (models - 1)) / 2 / BOARD_ERROR);
  return (left, right) =>
    sides.maybeAlike(left, right) &&
    (!graded || differenceShare(matrix, columns, expected, [left, right]) <= SCORES_SHARE) &&
    sides.evidence(left, right) >= needed;
}

function comparedColumns(items: number): Int32Array {
  const step = Math.max(1, items / COMPARED_ITEMS);
  return Int32Array.from({ length: Math.floor(items / step) }, (_, k) => Math.floor(k * step));
}

function scenarioNumbers({ items }: ResponseMatrix, columns: Int32Array): Int32Array {
  const numbers = new Map<string, number>();
  return columns.map((column) => {
    const { scenario } = items[column]!;
    if (!numbers.has(scenario)) numbers.set(scenario, numbers.size);
    return numbers.get(scenario)!;
  });
}

/** The score that a model's level and an item's difficulty let expect: the model's regression on the items' means, in [0,1). */
type ExpectedScore = (model: number, k: number) => number;

function expectedScores(matrix: ResponseMatrix, columns: Int32Array): ExpectedScore {
  const models = matrix.subjects.length;
  const [sums, counts] = [new Float64Array(columns.length), new Float64Array(columns.length)];
  for (let m = 0; m < models; m++)
    for (let k = 0; k < columns.length; k++) {
      const score = scoreAt(matrix, m, columns[k]!);
      if (Number.isNaN(score)) continue;
      sums[k]! += score;
      counts[k]!++;
    }
  const means = sums.map((sum, k) => sum / Math.max(1, counts[k]!));
  const lines = Array.from({ length: models }, (_, m) => {
    let [count, x, y, xx, xy] = [0, 0, 0, 0, 0];
    for (let k = 0; k < columns.length; k++) {
      const score = scoreAt(matrix, m, columns[k]!);
      if (Number.isNaN(score)) continue;
      count++;
      x += means[k]!;
      y += score;
      xx += means[k]! ** 2;
      xy += means[k]! * score;
    }
    const spread = xx - (x * x) / count;
    const slope = spread > 0 ? (xy - (x * y) / count) / spread : 0;
    return { slope, start: (y - slope * x) / count };
  });
  return (model, k) => {
    const { slope, start } = lines[model]!;
    return Math.min(HIGHEST_CUT, Math.max(0, start + slope * means[k]!));
  };
}

function answerBits(
  { subjects, items, scores, observed }: ResponseMatrix,
  columns: Int32Array,
  expected: ExpectedScore,
): AnswerBits {
  const words = Math.ceil(columns.length / 32);
  const high = new Uint32Array(subjects.length * words);
  const seen = new Uint32Array(subjects.length * words);
  for (let m = 0; m < subjects.length; m++)
    for (let k = 0; k < columns.length; k++) {
      const at = m * items.length + columns[k]!;
      if (observed !== null && observed[at] === 0) continue;
      const word = m * words + (k >> 5);
      seen[word]! |= 1 << (k & 31);
      if (scores[at]! > expected(m, k)) high[word]! |= 1 << (k & 31);
    }
  return { models: subjects.length, items: columns.length, words, high, seen };
}

/**
 * Squared differences of two models' scores, as a share of what is expected of independent ones: Σ (x−x̂)² + (y−ŷ)² + (x̂−ŷ)².
 * @returns NaN where nothing is expected
 */
function differenceShare(
  matrix: ResponseMatrix,
  columns: Int32Array,
  expected: ExpectedScore,
  [left, right]: readonly [number, number],
): number {
  let [differences, squares] = [0, 0];
  for (let k = 0; k < columns.length; k++) {
    const [x, y] = [scoreAt(matrix, left, columns[k]!), scoreAt(matrix, right, columns[k]!)];
    if (Number.isNaN(x) || Number.isNaN(y)) continue;
    const [one, two] = [expected(left, k), expected(right, k)];
    squares += (x - one) ** 2 + (y - two) ** 2 + (one - two) ** 2;
    differences += (x - y) ** 2;
  }
  return differences / squares;
}
