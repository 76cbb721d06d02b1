import { AnchorEvalError, type RandomSource } from "anchoreval/core";
import { firstFew, quoted } from "anchoreval/node";
import { calibrate } from "../../calibrate/calibrate.ts";
import type { CalibrationBackend } from "../../calibrate/types.ts";
import { type ItemInfo, type ResponseMatrix, scoreAt, submatrix } from "../../matrix/response-matrix.ts";
import { binarizingThreshold } from "../../prepare/binarize.ts";
import { codeResponses } from "../../prepare/code-responses.ts";

/**
 * How a question without answers is foretold from those with answers:
 * - `knn`: item parameters are the plain average of those of the k nearest train questions (the seed's way);
 * - `weighted-knn`: their average weighted by similarity;
 * - `ridge`: item parameters by ridge regression on the features, with a predictive variance;
 * - `answer-ridge`: each model's chance of a right answer straight by ridge regression, what models share apart from what
 *   tells them apart.
 */
export const ROUTE_METHODS = ["knn", "weighted-knn", "ridge", "answer-ridge"] as const;

/** A way to foretell answers to questions that nobody has answered. */
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** How item parameters of questions without answers are foretold for a bundle. */
export const COLD_METHODS = ["ridge", "knn", "weighted-knn"] as const satisfies readonly RouteMethod[];

/** Probabilities of a right answer, question by question: `[i·M + m]` is of model m, in [0,1]. */
export interface Forecast {
  /** Of the train questions, each by the others alone. */
  readonly leftOut: Float64Array;
  readonly test: Float64Array;
  /** Predictive variance of the test questions' logits, in the same order; null where the method has none. */
  readonly logitVariance: Float64Array | null;
}

/** Train questions with the parameters that their answers say. */
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

/** Questions to learn from, and questions to route. */
export interface QuestionSplit {
  readonly train: ResponseMatrix;
  readonly test: readonly ItemInfo[];
  /** Answers to the test questions that the responses have, in their order; null where they have none of them. */
  readonly answered: ResponseMatrix | null;
}

/** A subscenario's name, or questions as an items file describes them. */
export type QuestionChoice = string | readonly ItemInfo[];

/**
 * Parts the questions of a leaderboard. Test questions that a file describes need no answers; train questions do.
 * @param choices - `scenario` narrows subscenarios to those of one scenario
 * @throws AnchorEvalError `invalid_data` for a scenario or subscenario that isn't there, and for train questions without
 * answers
 */
export function splitQuestions(
  matrix: ResponseMatrix,
  choices: { readonly train: QuestionChoice; readonly test: QuestionChoice; readonly scenario?: string },
): QuestionSplit {
  const { scenario } = choices;
  const column = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
  if (scenario !== undefined) known("scenario", scenario, new Set(matrix.items.map((item) => item.scenario)));
  const named = (name: string): ItemInfo[] => {
    const within = matrix.items.filter((item) => scenario === undefined || item.scenario === scenario);
    known("subscenario", name, new Set(within.flatMap(({ subscenario }) => subscenario ?? [])));
    return within.filter(({ subscenario }) => subscenario === name);
  };
  const itemsOf = (choice: QuestionChoice): readonly ItemInfo[] =>
    typeof choice === "string" ? named(choice) : choice;
  const [train, test] = [itemsOf(choices.train), itemsOf(choices.test)];
  const without = train.flatMap(({ item_id: id }) => (column.has(id) ? [] : [id]));
  if (without.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${without.length} train ${without.length === 1 ? "question has" : "questions have"} no answers in the responses: ${firstFew(without)}`,
    );
  const rows = Array.from(matrix.subjects.keys());
  const columns = test.flatMap(({ item_id: id }) => column.get(id) ?? []);
  return {
    train: {
      ...submatrix(
        matrix,
        rows,
        train.map(({ item_id: id }) => column.get(id)!),
      ),
      items: train,
    },
    test,
    answered: columns.length === 0 ? null : submatrix(matrix, rows, columns),
  };
}

function known(what: string, name: string, there: ReadonlySet<string>): void {
  if (!there.has(name))
    throw new AnchorEvalError(
      "invalid_data",
      `there is no ${what} ${quoted(name)}; there ${there.size === 0 ? "is none" : `are ${firstFew([...there])}`}`,
    );
}

/**
 * The texts of questions.
 * @throws AnchorEvalError `invalid_data` naming those without
 */
export function textsOf(items: readonly ItemInfo[]): string[] {
  const without = items.flatMap(({ item_id: id, text }) => (text === undefined || text.trim() === "" ? [id] : []));
  if (without.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${without.length} ${without.length === 1 ? "question has" : "questions have"} no text: ${firstFew(without)}`,
    );
  return items.map(({ text }) => text!);
}

/** Right answers to the test questions, `[i·M + m]`: 1, 0, or NaN where the responses don't say. */
export function testAnswers({ test, answered }: QuestionSplit, cut: number, models: number): Float64Array | null {
  if (answered === null) return null;
  const column = new Map(answered.items.map(({ item_id: id }, i) => [id, i]));
  const known = rightAnswers(answered, cut);
  const answers = new Float64Array(test.length * models).fill(NaN);
  test.forEach(({ item_id: id }, i) => {
    const own = column.get(id);
    if (own !== undefined) answers.set(known.subarray(own * models, (own + 1) * models), i * models);
  });
  return answers;
}

/** How a score counts as right: above the threshold that keeps models' mean scores best, or whatever isn't 0. */
export const RIGHT_RULES = ["threshold", "nonzero"] as const;
export type RightRule = (typeof RIGHT_RULES)[number];

/** The score above which an answer counts as right, learned from the train questions. */
export function rightAbove(matrix: ResponseMatrix, rule: RightRule): number {
  if (rule === "nonzero") return 0;
  return binarizingThreshold(matrix, Array.from(matrix.subjects.keys()), 0, matrix.items.length) ?? 0.5;
}

/** Answers question by question, `[i·M + m]`: 1 for a score above `cut`, 0 for another, NaN where missing. */
function rightAnswers(matrix: ResponseMatrix, cut: number): Float64Array {
  const models = matrix.subjects.length;
  return Float64Array.from({ length: models * matrix.items.length }, (_, at) => {
    const score = scoreAt(matrix, at % models, Math.floor(at / models));
    return Number.isNaN(score) ? NaN : Number(score > cut);
  });
}

/** Calibrates the train questions, logit P = a·θ − b, on all models' answers. */
export async function questionBank(
  matrix: ResponseMatrix,
  cut: number,
  {
    dims,
    backend,
    random,
  }: { readonly dims: number; readonly backend: CalibrationBackend; readonly random: RandomSource },
): Promise<QuestionBank> {
  const rows = Array.from(matrix.subjects.keys());
  const coded = codeResponses(matrix, rows, new Float64Array(matrix.items.length).fill(cut));
  const { theta, a, b } = await calibrate(coded, { dims, backend, random });
  return { models: rows.length, dims, theta, a, b, answers: rightAnswers(matrix, cut) };
}
