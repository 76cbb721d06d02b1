import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { type ScoreOptions, scoreReader } from "anchoreval/internal/tables/score-reader";
import { checkColumn, chosenRows } from "../../../offline-trainer/src/matrix/readers/chosen-rows.ts";
import type { Responses } from "../../../offline-trainer/src/matrix/read-responses.ts";
import { type ResponseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";

/** Models with a full score and answers below which a scenario's are refused: errors on new ones couldn't be measured. */
const LEAST_MODELS = 12;

const COLUMNS = ["model", "scenario", "score"] as const;

/**
 * Reads scores on items that the responses don't have: CSV, JSON lines or Parquet, plain or gzip, with `model`, `scenario`
 * and `score`; other columns are ignored, and so are models that the responses don't have. No score (an empty cell, null)
 * is one that isn't known.
 * @param matrix - the models' answers
 * @param options - the scale of the scores, that of the answers
 * @returns the matrix with its models' full scores, NaN where unknown, and sentences on who has none
 * @throws AnchorEvalError `invalid_data` naming file, row, column and rule
 * @example const { matrix } = await readFullScores("full.csv", await readResponses("responses.csv").then((own) => own.matrix));
 */
export async function readFullScores(
  path: string,
  matrix: ResponseMatrix,
  options: ScoreOptions = {},
): Promise<Responses> {
  const { subjects, items } = matrix;
  const reader = scoreReader(options);
  const issues = new DataIssues(path);
  const rows = new Map(subjects.map((subject, m) => [subject, m]));
  const scores = new Map(items.map(({ scenario }) => [scenario, new Float64Array(subjects.length).fill(NaN)]));
  const named = new Map<string, { readonly row: number; readonly score: number }>();
  const strangers = new Set<string>();
  const choose = (names: readonly string[]): readonly string[] => {
    for (const name of COLUMNS) checkColumn(name, `of model, scenario, score`, names, issues);
    return COLUMNS;
  };
  for await (const chosen of chosenRows(path, choose, issues))
    for (const { row, values } of chosen) {
      const [model, scenario, cell] = values;
      const byModel = scores.get(scenario as string);
      const score = typeof cell === "string" ? reader.fromText(cell) : reader.fromJson(cell ?? null);
      if (typeof model !== "string")
        issues.add({ row, column: "model" }, "wrong_type", `model must be text, got ${JSON.stringify(model)}`);
      else if (byModel === undefined)
        issues.add(
          { row, column: "scenario" },
          "unknown_scenario",
          `the responses have no scenario ${quoted(String(scenario))}: there are ${firstFew([...scores.keys()])}`,
        );
      else if (typeof score === "object") issues.add({ row, column: "score" }, score.code, score.message);
      else {
        const key = JSON.stringify([model, scenario]);
        const first = named.get(key);
        if (first) {
          const same = Object.is(first.score, score);
          const message = `model ${quoted(model)} has ${same ? "its score" : "another score"} in ${quoted(String(scenario))} already, in row ${first.row}`;
          issues.add({ row, column: "score" }, same ? "duplicate" : "conflict", message);
        }
        named.set(key, { row, score });
        const m = rows.get(model);
        if (m === undefined) strangers.add(model);
        else byModel[m] = score;
      }
    }
  issues.refuse();
  const remarks = checkModels(path, matrix, scores);
  if (strangers.size > 0) remarks.push(`${path}: models without answers are not read: ${firstFew([...strangers])}`);
  return { matrix: { ...matrix, fullScores: scores }, remarks };
}

/** Refuses scenarios with too few models that have both. @returns sentences on the models without full scores */
function checkModels(path: string, matrix: ResponseMatrix, scores: ReadonlyMap<string, Float64Array>): string[] {
  const { subjects, items } = matrix;
  const answered = new Map(Array.from(scores.keys(), (id) => [id, new Set<number>()]));
  for (let m = 0; m < subjects.length; m++)
    for (const [i, { scenario }] of items.entries())
      if (!Number.isNaN(scoreAt(matrix, m, i))) answered.get(scenario)!.add(m);
  return Array.from(scores, ([id, byModel]) => {
    const models = [...answered.get(id)!];
    const without = models.filter((m) => Number.isNaN(byModel[m]!));
    const both = models.length - without.length;
    if (both < LEAST_MODELS) {
      const message = `${both} models have a full score and answers in ${id}, at least ${LEAST_MODELS} are needed`;
      const issue = { path: [path, id], code: "too_few_models", message };
      throw new AnchorEvalError("invalid_data", `${path}: ${message}`, { issues: [issue] });
    }
    return without.length === 0
      ? ""
      : `${id}: ${without.length} of ${models.length} models have no full score: they calibrate the items and teach nothing of the score (${firstFew(without.map((m) => subjects[m]!))})`;
  }).filter((remark) => remark !== "");
}
