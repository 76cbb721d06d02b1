import { isBinary, type ResponseMatrix, scoreAt } from "../response-matrix.ts";
import { logit, sigmoids } from "anchoreval/internal/core/numeric/functions";

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
  { subjects, stride, scores, observed }: ResponseMatrix,
  columns: Int32Array,
  expected: ExpectedScore,
): AnswerBits {
  const words = Math.ceil(columns.length / 32);
  const high = new Uint32Array(subjects.length * words);
  const seen = new Uint32Array(subjects.length * words);
  for (let m = 0; m < subjects.length; m++)
    for (let k = 0; k < columns.length; k++) {
      const at = m * stride + columns[k]!;
      if (observed !== null && observed[at] === 0) continue;
      const word = m * words + (k >> 5);
      seen[word]! |= 1 << (k & 31);
      if (scores[at]! > expected(m, k)) high[word]! |= 1 << (k & 31);
    }
  return { models: subjects.length, items: columns.length, words, high, seen };
}

/** Answers of models as bits, model by model in rows of 32-bit words; items in the same order in all of them. */
export interface AnswerBits {
  readonly models: number;
  readonly items: number;
  /** Words a model. */
  readonly words: number;
  /** Whether the answer lies above the item's cut. */
  readonly high: Uint32Array;
  /** Whether there is one. */
  readonly seen: Uint32Array;
}

/** The chance of every item that a model's answer lies above the item's cut. */
export type AnswerChances = (model: number) => Float64Array;

/** Rounds in which models' levels and items' difficulties are fitted in turn. */
const ROUNDS = 6;
/** Newton's steps to a model's level: from 0, at most 2 logits a step, they reach .01 of any that a board has. */
const LEVEL_STEPS = 5;
/** Models at most that difficulties are fitted to, evenly spaced: of 500 each is known to .1 to .2 logits. */
const FITTED_MODELS = 500;
/** Spread of models' levels, and of items' difficulties, in logits; those of leaderboards are 1 to 2.5. */
const SPREAD = 3;
/** Spread of a model's level in one scenario about its level in all. */
const SCENARIO_SPREAD = 1;

/**
 * The chances of answers that models' scores and items' difficulty alone make: P = σ(level − difficulty), a Rasch model of the
 * sides that answers lie on, at its posterior mode, with a level of the model in each scenario. Answers of models that have
 * nothing to do with each other are independent given these.
 */
export function answerChances(bits: AnswerBits, scenarioOf: Int32Array): AnswerChances {
  const difficulties = fitDifficulties(bits);
  const scenarios = scenarioOf.reduce((most, s) => Math.max(most, s + 1), 1);
  const fitted: (Float64Array | undefined)[] = [];
  const fit = (model: number): Float64Array => {
    const answers = answersOf(bits, model);
    const level = fitLevels(answers, difficulties, { levels: Float64Array.of(0), spread: SPREAD });
    if (scenarios === 1) return level;
    const levels = new Float64Array(scenarios).fill(level[0]!);
    return fitLevels(answers, difficulties, { levels, spread: SCENARIO_SPREAD, scenarioOf });
  };
  return (model) => chancesAt((fitted[model] ??= fit(model)), difficulties, scenarios === 1 ? undefined : scenarioOf);
}

/** A model's answers: 1 above the cut, 0 below, −1 for none. */
function answersOf({ items, words, high, seen }: AnswerBits, model: number): Int8Array {
  return Int8Array.from({ length: items }, (_, j) => {
    const word = model * words + (j >> 5);
    return ((seen[word]! >>> (j & 31)) & 1) === 0 ? -1 : (high[word]! >>> (j & 31)) & 1;
  });
}

function fitDifficulties(bits: AnswerBits): Float64Array {
  const { models, items } = bits;
  const count = Math.min(models, FITTED_MODELS);
  const answers = Array.from({ length: count }, (_, k) => answersOf(bits, Math.floor((k * models) / count)));
  const difficulties = Float64Array.from({ length: items }, (_, j) => {
    const seen = answers.filter((row) => row[j]! >= 0);
    return -logit((seen.filter((row) => row[j] === 1).length + 0.5) / (seen.length + 1));
  });
  const levels = new Float64Array(count);
  for (let round = 0; round < ROUNDS; round++) {
    const slopes = new Float64Array(items);
    const curves = new Float64Array(items);
    answers.forEach((row, k) => {
      const start = { levels: levels.subarray(k, k + 1), spread: SPREAD, around: 0, steps: 1 };
      levels[k] = fitLevels(row, difficulties, start)[0]!;
      const chances = chancesAt(levels.subarray(k, k + 1), difficulties);
      for (let j = 0; j < items; j++) {
        if (row[j]! < 0) continue;
        slopes[j]! += chances[j]! - row[j]!;
        curves[j]! += chances[j]! * (1 - chances[j]!);
      }
    });
    const centre = difficulties.reduce((sum, difficulty) => sum + difficulty, 0) / items;
    for (let j = 0; j < items; j++) {
      const pull = (difficulties[j]! - centre) / SPREAD ** 2;
      difficulties[j]! += newtonStep(slopes[j]! - pull, curves[j]! + 1 / SPREAD ** 2);
    }
  }
  return difficulties;
}

/** Where a model's levels begin, and how they are bound. */
interface LevelStart {
  /** One, or one a scenario. */
  readonly levels: Float64Array;
  /** About `around`, else about where they begin. */
  readonly spread: number;
  readonly around?: number;
  readonly scenarioOf?: Int32Array;
  /** @default 5 */
  readonly steps?: number;
}

/** Levels of one model given the difficulties, at their posterior mode. */
function fitLevels(
  answers: Int8Array,
  difficulties: Float64Array,
  { levels: start, spread, around, scenarioOf, steps = LEVEL_STEPS }: LevelStart,
): Float64Array {
  const levels = start.slice();
  for (let step = 0; step < steps; step++) {
    const slopes = new Float64Array(levels.length);
    const curves = new Float64Array(levels.length);
    const chances = chancesAt(levels, difficulties, scenarioOf);
    for (let j = 0; j < answers.length; j++) {
      if (answers[j]! < 0) continue;
      const at = scenarioOf ? scenarioOf[j]! : 0;
      slopes[at]! += answers[j]! - chances[j]!;
      curves[at]! += chances[j]! * (1 - chances[j]!);
    }
    for (let s = 0; s < levels.length; s++) {
      const pull = (levels[s]! - (around ?? start[s]!)) / spread ** 2;
      levels[s]! += newtonStep(slopes[s]! - pull, curves[s]! + 1 / spread ** 2);
    }
  }
  return levels;
}

function chancesAt(levels: Float64Array, difficulties: Float64Array, scenarioOf?: Int32Array): Float64Array {
  const chances = new Float64Array(difficulties.length);
  for (let j = 0; j < chances.length; j++) chances[j] = levels[scenarioOf ? scenarioOf[j]! : 0]! - difficulties[j]!;
  return sigmoids(chances);
}

/** One of Newton's steps, at most 2 logits long: far from the mode the curve says little. */
function newtonStep(slope: number, curve: number): number {
  return Math.max(-2, Math.min(2, slope / curve));
}
