import { logSumExp } from "anchoreval/internal/core/numeric/functions";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { isBinary, type ResponseMatrix, scoreAt, unvariedScenarios } from "../response-matrix.ts";
import {
  type AnswerBits,
  answerChances,
  type AnswerChances,
  type ComparedAnswers,
  comparedAnswers,
  neededEvidence,
} from "./compared-answers.ts";
import { withoutCopies } from "./copies.ts";

/** Shared answers needed to judge a pair. */
const LEAST_SHARED = 20;
/** Of the sides that differ of independent answers, as many as replicates' do at most. */
const SIDES_SHARE = 0.5;
/**
 * Shares of a replicate's sides that are turned, of which the mean likelihood counts: a copy's, a rerun's, and that of graded
 * scores, where noise turns those beside the cut.
 */
const TURNED = [0.005, 0.02, 0.1];

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

/**
 * Groups models that are replicates: a model and its rerun, or its copy under another name. Two are where their answers agree
 * beyond chance, more than models' scores and items' difficulty make models agree that have nothing to do with each other
 * (`answerChances`):
 *
 * - the likelihood of one model answered twice, over that of two independent ones, is above {@link neededEvidence};
 * - they differ in at most half of the answers that independent ones would, and in 3 % of all (of few, in what chance makes of
 *   1 %). Graded scores are compared as numbers: their squared differences are a fifth of what is expected.
 *
 * Copies are ({@link withoutCopies}), and so are all models of a board on which no score differs from another: nothing tells
 * them apart. A group is made of the first of its models and all that replicate that one: models alike through a third
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

/** Names of the models of every group that has several. */
export function replicateNames(models: readonly string[], groups: ArrayLike<number>): string[][] {
  const alike = [...groupBy(models.keys(), (m) => groups[m]!).values()].filter((group) => group.length > 1);
  return alike.map((group) => group.map((m) => models[m]!));
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
  const graded = !isBinary(matrix);
  const compared = comparedAnswers(matrix);
  const most = (shared: number): number =>
    graded
      ? MOST_SIDES * shared
      : Math.max(RERUN_SHARE * shared, TURNED_SHARE * shared + TURNED_REACH * Math.sqrt(TURNED_SHARE * shared));
  const sides = comparedSides(compared.bits, compared.scenarioOf, most);
  const needed = neededEvidence(matrix.subjects.length);
  return (left, right) =>
    sides.maybeAlike(left, right) &&
    (!graded || differenceShare(matrix, compared, [left, right]) <= SCORES_SHARE) &&
    sides.evidence(left, right) >= needed;
}

/**
 * Squared differences of two models' scores, as a share of what is expected of independent ones: Σ (x−x̂)² + (y−ŷ)² + (x̂−ŷ)².
 * @returns NaN where nothing is expected
 */
function differenceShare(
  matrix: ResponseMatrix,
  { columns, expected }: ComparedAnswers,
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

/** Evidence on pairs of models by the sides of their answers, above or below the items' cuts. */
interface ComparedSides {
  /** Whether enough answers are shared, and so few of them differ that the evidence is worth its while. */
  maybeAlike(left: number, right: number): boolean;
  /**
   * Log of the likelihood of one model answered twice over that of two independent ones; −∞ where the sides differ in more
   * than half of what independent ones would.
   */
  evidence(left: number, right: number): number;
}

/** @param most - sides that differ at most, of so many shared answers */
function comparedSides(bits: AnswerBits, scenarioOf: Int32Array, most: (shared: number) => number): ComparedSides {
  const { items, words, high, seen } = bits;
  const least = most(items);
  let chances: AnswerChances | undefined;
  const chancesOf = (model: number): Float64Array => (chances ??= answerChances(bits, scenarioOf))(model);
  const means: (Float32Array | undefined)[] = [];
  const meansOf = (model: number): Float32Array => (means[model] ??= wordMeans(chancesOf(model), words));
  return {
    maybeAlike: (left, right) => {
      let [shared, differing] = [0, 0];
      for (let w = 0; w < words && differing <= least; w++) {
        const both = seen[left * words + w]! & seen[right * words + w]!;
        shared += countBits(both);
        differing += countBits(both & (high[left * words + w]! ^ high[right * words + w]!));
      }
      if (shared < LEAST_SHARED || differing > most(shared)) return false;
      // As if a word's items were equally hard: where they aren't, fewer sides differ.
      const [ps, qs] = [meansOf(left), meansOf(right)];
      let expected = 0;
      for (let w = 0; w < words; w++) {
        const both = seen[left * words + w]! & seen[right * words + w]!;
        expected += countBits(both) * (ps[w]! + qs[w]! - 2 * ps[w]! * qs[w]!);
      }
      return differing <= SIDES_SHARE * expected;
    },
    evidence: (left, right) => pairEvidence(bits, [left, right], [chancesOf(left), chancesOf(right)]),
  };
}

/** Mean chances over the items of each word. */
function wordMeans(chances: Float64Array, words: number): Float32Array {
  return Float32Array.from({ length: words }, (_, w) => {
    const word = chances.subarray(32 * w, 32 * (w + 1));
    return word.reduce((sum, chance) => sum + chance, 0) / word.length;
  });
}

/**
 * The likelihood of one model with a share ε of its sides turned is (1−ε)·√(pq) for both above, (1−ε)·√((1−p)(1−q)) for both
 * below and ε/2 for either other, in all at most 1; of independent ones pq, (1−p)(1−q), p(1−q) and q(1−p).
 */
function pairEvidence(
  { items, words, high, seen }: AnswerBits,
  [left, right]: readonly [number, number],
  [ps, qs]: readonly [Float64Array, Float64Array],
): number {
  let [shared, differing, expected, surprise] = [0, 0, 0, 0];
  for (let j = 0; j < items; j++) {
    const [a, b] = [left * words + (j >> 5), right * words + (j >> 5)];
    const bit = j & 31;
    if ((((seen[a]! & seen[b]!) >>> bit) & 1) === 0) continue;
    const [p, q] = [ps[j]!, qs[j]!];
    const [one, two] = [(high[a]! >>> bit) & 1, (high[b]! >>> bit) & 1];
    const independent = Math.log((one ? p : 1 - p) * (two ? q : 1 - q));
    expected += p * (1 - q) + q * (1 - p);
    shared++;
    if (one !== two) differing++;
    surprise -= one === two ? independent / 2 : independent;
  }
  if (differing > SIDES_SHARE * expected) return -Infinity;
  const ratios = TURNED.map(
    (turned) => (shared - differing) * Math.log(1 - turned) + differing * Math.log(turned / 2) + surprise,
  );
  return logSumExp(ratios) - Math.log(TURNED.length);
}

function countBits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
