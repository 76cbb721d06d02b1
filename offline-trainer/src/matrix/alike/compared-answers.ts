import { isBinary, type ResponseMatrix, scoreAt } from "../response-matrix.ts";
import type { AnswerBits } from "./chances.ts";

/** Items compared at most, evenly spaced. */
const COMPARED_ITEMS = 4096;
/** An answer of 1 is above what was expected, whatever that was. */
const HIGHEST_CUT = 1 - 1e-6;
/**
 * Chance that a board of models that have nothing to do with each other has a pair of replicates, at most: Markov's bound is
 * wide, and on 9 000 boards there was none (docs/decisions/inputs.md).
 */
const BOARD_ERROR = 1e-2;

/** A board's answers as models are compared by them. */
export interface ComparedAnswers {
  /** Items that are compared, as columns of the matrix. */
  readonly columns: Int32Array;
  /** Scenario of every compared item, numbered from 0. */
  readonly scenarioOf: Int32Array;
  /** Graded answers are high above what is expected of them. */
  readonly expected: ExpectedScore;
  readonly bits: AnswerBits;
}

export function comparedAnswers(matrix: ResponseMatrix): ComparedAnswers {
  const columns = comparedColumns(matrix.items.length);
  const expected = isBinary(matrix) ? () => 0.5 : expectedScores(matrix, columns);
  return {
    columns,
    scenarioOf: scenarioNumbers(matrix, columns),
    expected,
    bits: answerBits(matrix, columns, expected),
  };
}

/**
 * Log-likelihood ratio of one model against two independent ones from which on two models are one: that of the number of pairs
 * over {@link BOARD_ERROR}. The ratio's mean over independent answers is at most 1: by Markov's inequality that bounds the chance
 * of an error anywhere on the board.
 */
export function neededEvidence(models: number): number {
  return Math.log((models * (models - 1)) / 2 / BOARD_ERROR);
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
