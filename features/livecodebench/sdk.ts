import { AnchorEvalError } from "../../sdk/core/errors.ts";
import { attemptFailure } from "../../sdk/logs/attempts.ts";
import { chooseMetric, type MetricValue } from "../../sdk/logs/choices.ts";
import { type Fields, filledText, list, nameText, numberOf, record, sortableDate } from "../../sdk/logs/json.ts";
import type { RunSamples } from "../../sdk/logs/run-log.ts";
import {
  contentFields,
  emptyRun,
  invalidLog,
  type LoggedRow,
  metricValue,
  type SampleOptions,
  scoreRows,
} from "../../sdk/logs/score-rows.ts";
import { DataIssues, jsonKind } from "../../sdk/tables/data-issues.ts";
import { isObject } from "../../sdk/tables/json-records.ts";
import { isUnitScale } from "../../sdk/tables/score-reader.ts";

/** The one metric that is a mean over questions: the share of a question's answers that pass all its tests. */
export const PASS = "pass@1";

/** A question of LiveCodeBench as a run has it. */
export interface Question extends Pick<LoggedRow, "row" | "hash" | "text"> {
  readonly id: string;
  /** Of each answer, whether it passes, or how much of them do; null where nothing says. */
  readonly grades: readonly MetricValue[];
  /** Of each answer, why there is none; null where there is one. */
  readonly failures: readonly (string | null)[];
}

/** Of each scenario the field of its answers, and those that name an item. */
const SCENARIOS = {
  codegeneration: { answers: "code_list", parts: ["question_id"] },
  selfrepair: { answers: "code_list", parts: ["question_id"] },
  testoutputprediction: { answers: "pred_list", parts: ["question_id", "test_id"] },
  codeexecution: { answers: "pred_list", parts: ["id"] },
} as const satisfies Record<string, { readonly answers: string; readonly parts: readonly string[] }>;

export type Scenario = keyof typeof SCENARIOS;

/** Whether JSON is a list of questions with what became of each answer, `…_eval_all.json`. */
export function isGraded(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((question) => Array.isArray(record(question).graded_list));
}

/** Whether JSON is answers that weren't graded, `….json`, or only a run's scores, `…_eval.json`. */
export function isUngraded(value: unknown): boolean {
  const first = record(list(value)[0]);
  return PASS in first || [first.output_list, first.code_list, first.pred_list].some(Array.isArray);
}

/** Whether JSON is a run's score without its questions, as some submissions have it. */
export function isSummary(value: unknown): boolean {
  return isObject(value) && "pass_at_1" in value;
}

/**
 * The scenario of a list of graded questions, by the file's name and by what the questions have.
 * @throws AnchorEvalError `invalid_data` where they contradict, or neither says it
 */
export function scenarioOf(questions: readonly unknown[], name: string, file: string): Scenario {
  const scenarios = Object.keys(SCENARIOS) as Scenario[];
  const named = scenarios.find((scenario) => name.includes(scenario)) ?? null;
  const seen = scenarioByFields(record(questions[0]));
  const isRepair = named === "selfrepair" && seen === "codegeneration";
  if (named !== null && seen !== null && named !== seen && !isRepair)
    throw invalidLog(file, `it is called ${named}, and its questions are of ${seen}: rename the file`);
  const scenario = named ?? seen;
  if (scenario !== null) return scenario;
  throw invalidLog(
    file,
    `nothing says of which scenario these questions are: name the file as LiveCodeBench does, with one of ${scenarios.join(", ")}`,
  );
}

function scenarioByFields(question: Fields): Scenario | null {
  if ("original_code_list" in question) return "selfrepair";
  if ("code_list" in question) return "codegeneration";
  if ("test_id" in question) return "testoutputprediction";
  return "pred_list" in question ? "codeexecution" : null;
}

/** How far a question's `pass@1` may be from the share of its answers that pass: submissions may round. Chosen, not measured. */
const ROUNDING = 0.01;

/**
 * The questions of `…_eval_all.json`, in the order of the file.
 * @throws AnchorEvalError `invalid_data` naming file, entry and rule: a question without a name or grades or twice, grades
 * that are no truths, or not as many as answers, or whose share isn't the question's `pass@1`
 */
export function readGraded(entries: readonly unknown[], scenario: Scenario, file: string): Question[] {
  const issues = new DataIssues(file, "entries");
  const { answers, parts } = SCENARIOS[scenario];
  const rows = new Map<string, number>();
  const questions = entries.map((entry, k): Question => {
    const question = record(entry);
    const row = k + 1;
    const names = parts.map((part) => nameText(question[part]));
    const lacking = parts[names.indexOf(null)];
    if (lacking !== undefined) issues.add({ row, column: lacking }, "missing", "a question has a name");
    const id = names.join("/");
    const first = rows.get(id);
    if (first !== undefined && lacking === undefined) issues.addTwice({ row }, `question ${id}`, issues.rowName(first));
    rows.set(id, row);
    const grades = list(question.graded_list).map(metricValue);
    refuseGrades(question, { grades, answers: question[answers], row }, issues);
    const failures = grades.map((_, answer) =>
      attemptFailure([list(question[answers])[answer], list(question.output_list)[answer]]),
    );
    return { row, id, grades, failures, ...questionContent(question, scenario) };
  });
  issues.refuse();
  return questions;
}

/** Notes grades that can't be of the question's answers. */
function refuseGrades(
  question: Fields,
  { grades, answers, row }: Pick<Question, "row" | "grades"> & { readonly answers: unknown },
  issues: DataIssues,
): void {
  const place = { row, column: "graded_list" };
  if (grades.length === 0) issues.add(place, "missing", "there is no grade: the question wasn't graded");
  const odd = grades.find((grade) => grade !== null && typeof grade !== "boolean");
  if (odd !== undefined || grades.includes(undefined))
    issues.add(
      place,
      "wrong_type",
      `a grade is true or false, got ${odd === undefined ? "a list or an object" : jsonKind(odd)}`,
    );
  else if (Array.isArray(answers) && answers.length !== grades.length)
    issues.add(place, "contradiction", `there are ${grades.length} grades of ${answers.length} answers`);
  const share = grades.filter((grade) => grade === true).length / grades.length;
  const logged = numberOf(question[PASS]);
  if (logged !== null && !grades.includes(null) && Math.abs(share - logged) > ROUNDING)
    issues.add(
      { row, column: PASS },
      "contradiction",
      `it is ${logged}, and the share of answers that pass is ${share}`,
    );
}

/** The question as it was asked, and the code that it begins with; of code generation alone. */
function questionContent(question: Fields, scenario: Scenario): Pick<Question, "hash" | "text"> {
  const text = filledText(question.question_content);
  const code = filledText(question.starter_code);
  if (scenario !== "codegeneration" || text === null) return contentFields(null);
  return contentFields({ input: code === null ? text : `${text}\n${code}`, target: [] });
}

/** A model of the site. */
interface SiteModel {
  readonly model: string;
  /** Its release as the site has it, as YYYY-MM-DD; null where it has none. */
  readonly date: string | null;
  readonly questions: readonly Question[];
}

/** Whether JSON is the site's, `performances_….json`. */
export function isSite(value: unknown): value is Fields {
  return isObject(value) && Array.isArray(value.performances) && Array.isArray(value.models);
}

/**
 * The models of the site's `performances_….json`, each with its questions; the site has percent of the answers that pass, and
 * not how many there were.
 * @throws AnchorEvalError `invalid_data` for what isn't percent, and for a performance without a question or a model
 */
export function readSite(site: Fields, file: string): SiteModel[] {
  const issues = new DataIssues(file, "entries");
  const models = new Map<string, Question[]>();
  let highest = 0;
  for (const [k, entry] of list(site.performances).entries()) {
    const row = k + 1;
    const performance = record(entry);
    const [id, model] = [nameText(performance.question_id), filledText(performance.model)];
    const percent = metricValue(performance[PASS]);
    const isPercent = typeof percent === "number" && percent >= 0 && percent <= 100;
    if (percent !== null && !isPercent)
      issues.add({ row, column: PASS }, "out_of_range", `the site has percent, from 0 to 100, got ${JSON.stringify(performance[PASS])}`); // prettier-ignore
    if (id === null || model === null) {
      issues.add({ row }, "missing", "a performance has a question_id and a model");
      continue;
    }
    if (isPercent) highest = Math.max(highest, percent);
    const questions = models.get(model) ?? [];
    models.set(model, questions);
    questions.push({ row, id, grades: [isPercent ? percent / 100 : null], failures: [null], hash: null, text: null });
  }
  issues.refuse();
  if (highest > 0 && highest <= 1)
    throw invalidLog(
      file,
      `the highest ${PASS} is ${highest}: the site has percent, and these look like shares of answers`,
    );
  const dates = releaseDates(site);
  return Array.from(models, ([model, questions]) => ({ model, date: dates.get(model) ?? null, questions }));
}

/** By model; the site leaves dates out, or has null, where it knows none. */
function releaseDates(site: Fields): Map<string, string> {
  const dates = new Map<string, string>();
  for (const { model_repr: name, release_date: milliseconds } of list(site.models).map(record)) {
    const [model, date] = [filledText(name), sortableDate(numberOf(milliseconds) || null).slice(0, 10)];
    if (model !== null && date !== "") dates.set(model, date);
  }
  return dates;
}

/**
 * The samples of a run.
 * @param isShare - the grades are shares of answers, which have no other scale
 * @throws AnchorEvalError `invalid_option` for another metric than `pass@1`, and for a scale of shares; `invalid_data` for a
 * question that is there twice
 */
export function gradedSamples(questions: readonly Question[], options: SampleOptions): RunSamples {
  const { file, task } = options;
  if (questions.length === 0) return emptyRun(task);
  const metric = chooseMetric(new Map([[PASS, null]]), options);
  if (!isUnitScale(options))
    throw new AnchorEvalError(
      "invalid_option",
      `${file}: LiveCodeBench's ${PASS} is read as a share of answers, from 0 to 1, the site's percent too: leave out \`scoreRange\``,
    );
  const rows = questions.flatMap(({ grades, failures, ...question }) =>
    grades.map((grade, answer): LoggedRow => ({
      ...question,
      ...(grades.length > 1 && { attempt: answer + 1 }),
      values: new Map([[PASS, grade]]),
      failure: failures[answer]!,
    })),
  );
  const issues = new DataIssues(file, "entries");
  return scoreRows(rows, { metric, filter: "none", issues, item: "question" }, options);
}
