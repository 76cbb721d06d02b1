import { AnchorEvalError } from "anchoreval/core";
import { firstFew, quoted } from "anchoreval/node";
import { submatrix, type ItemInfo, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { rightAnswers } from "./question-bank.ts";

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
