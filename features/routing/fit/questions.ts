import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { calibrate } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import {
  scoreAt,
  submatrix,
  type ItemInfo,
  type ResponseMatrix,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { binarizingThreshold, codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";

/** A subscenario's name, or questions as an items file describes them. */
export type QuestionChoice = string | readonly ItemInfo[];

/**
 * Splits the questions of a leaderboard into those to learn from and those to route. Test questions that a file describes
 * need no answers; train questions do.
 * @param choices - `scenario` narrows subscenarios to those of one scenario
 * @throws AnchorEvalError `invalid_data` for an unknown scenario or subscenario, and for train questions without answers
 */
export function splitQuestions(
  matrix: ResponseMatrix,
  choices: { readonly train: QuestionChoice; readonly test: QuestionChoice; readonly scenario?: string },
) {
  const { scenario } = choices;
  const column = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
  if (scenario !== undefined) checkName("scenario", scenario, new Set(matrix.items.map((item) => item.scenario)));
  const questionsOf = (choice: QuestionChoice): readonly ItemInfo[] => {
    if (typeof choice !== "string") return choice;
    const within = matrix.items.filter((item) => scenario === undefined || item.scenario === scenario);
    checkName("subscenario", choice, new Set(within.flatMap(({ subscenario }) => subscenario ?? [])));
    return within.filter(({ subscenario }) => subscenario === choice);
  };
  const [train, test] = [questionsOf(choices.train), questionsOf(choices.test)];
  const unanswered = train.flatMap(({ item_id: id }) => (column.has(id) ? [] : [id]));
  if (unanswered.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${unanswered.length} train ${unanswered.length === 1 ? "question has" : "questions have"} no answers in the responses: ${firstFew(unanswered)}`,
    );
  const rows = Array.from(matrix.subjects.keys());
  const columnsOf = (items: readonly ItemInfo[]): number[] => items.flatMap(({ item_id: id }) => column.get(id) ?? []);
  const answered = columnsOf(test);
  return {
    train: { ...submatrix(matrix, rows, columnsOf(train)), items: train },
    test,
    /** The responses' answers to test questions, in the test questions' order; null where there are none. */
    answered: answered.length === 0 ? null : submatrix(matrix, rows, answered),
  };
}

function checkName(kind: string, name: string, names: ReadonlySet<string>): void {
  if (!names.has(name))
    throw new AnchorEvalError(
      "invalid_data",
      `there is no ${kind} ${quoted(name)}; there ${names.size === 0 ? "is none" : `are ${firstFew([...names])}`}`,
    );
}

/** When a score counts as right: above the threshold that preserves models' mean scores best, or whenever it isn't 0. */
export const RIGHT_RULES = ["threshold", "nonzero"] as const;
export type RightRule = (typeof RIGHT_RULES)[number];

/** The score above which an answer counts as right, learned from the train questions. */
export function rightThreshold(matrix: ResponseMatrix, rule: RightRule): number {
  if (rule === "nonzero") return 0;
  return binarizingThreshold(matrix, Array.from(matrix.subjects.keys())) ?? 0.5;
}

/** Answers question by question, `[i·M + m]`: 1 for a score above `cut`, 0 for another, NaN where missing. */
export function rightAnswers(matrix: ResponseMatrix, cut: number): Float64Array {
  const models = matrix.subjects.length;
  return Float64Array.from({ length: models * matrix.items.length }, (_, at) => {
    const score = scoreAt(matrix, at % models, Math.floor(at / models));
    return Number.isNaN(score) ? NaN : Number(score > cut);
  });
}

/** Right answers to the test questions, `[i·M + m]`: 1, 0, or NaN where the responses have none. */
export function testAnswers(
  { test, answered }: Pick<ReturnType<typeof splitQuestions>, "test" | "answered">,
  cut: number,
  models: number,
): Float64Array | null {
  if (answered === null) return null;
  const column = new Map(answered.items.map(({ item_id: id }, i) => [id, i]));
  const right = rightAnswers(answered, cut);
  const answers = new Float64Array(test.length * models).fill(NaN);
  test.forEach(({ item_id: id }, i) => {
    const from = column.get(id);
    if (from !== undefined) answers.set(right.subarray(from * models, (from + 1) * models), i * models);
  });
  return answers;
}

/** Answered questions with their calibrated parameters, and the models' abilities. */
export interface QuestionBank {
  readonly models: number;
  readonly dims: number;
  /** Abilities, M×D row-major. */
  readonly theta: Float64Array;
  /** Discriminations, N×D row-major. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
  /** Answers question by question: `[i·M + m]` is 1 for right, 0 for wrong, NaN for missing. */
  readonly answers: Float64Array;
}

/** Calibrates the train questions, logit P = a·θ − b, on all models' answers. */
export async function questionBank(
  matrix: ResponseMatrix,
  cut: number,
  options: { readonly dims: number; readonly backend: CalibrationBackend; readonly random: RandomSource },
): Promise<QuestionBank> {
  const rows = Array.from(matrix.subjects.keys());
  const coded = codeResponses(matrix, rows, cut);
  const { theta, a, b } = await calibrate(coded, options);
  return { models: rows.length, dims: options.dims, theta, a, b, answers: rightAnswers(matrix, cut) };
}

/** Item parameters one by one: the D discriminations, then the intercept, each of N questions. */
export function parameterColumns({ dims, a, b }: Pick<QuestionBank, "dims" | "a" | "b">): Float64Array[] {
  return [...Array.from({ length: dims }, (_, d) => b.map((_b, i) => a[i * dims + d]!)), b];
}

/** Predicted probabilities of a right answer, question by question: `[i·M + m]` is of model m, in [0,1]. */
export interface Forecast {
  /** Of the train questions, each predicted by the others alone. */
  readonly leftOut: Float64Array;
  readonly test: Float64Array;
  /** Predictive variance of the test questions' logits, in the same order; null where the method has none. */
  readonly logitVariance: Float64Array | null;
}
