import { AnchorEvalError } from "anchoreval";
import { describe, expect, test } from "vitest";
import { readFullScores } from "../../../../../features/full-scores/fit/read-full-scores.ts";
import { sharedMatrix, submatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, scenarioSlices } from "../../../../../offline-trainer/src/matrix/scenarios.ts";
import { answeringModels, matrixScenarios } from "../../../../../offline-trainer/src/matrix/benchmark.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { smallLeaderboard, withScores } from "../../../fit/small-leaderboard.ts";

const folder = tempFolder();
const matrix = smallLeaderboard({ models: 14, items: [6, 8] });
const names = matrix.subjects;
const scoreOf = (m: number, scenario: string): number => (m + (scenario === "a" ? 1 : 2)) / 20;

/** Rows of all models and scenarios, some replaced by the number of their line. */
function csv(changed: Record<number, string> = {}): string {
  const rows = names.flatMap((model, m) => ["a", "b"].map((id) => `${model},${id},${scoreOf(m, id)}`));
  return ["model,scenario,score", ...rows].map((row, index) => `${changed[index + 1] ?? row}\n`).join("");
}

let files = 0;
const read = (content: string, ending = "csv", own = matrix) =>
  readFullScores(folder.write(`${++files}.${ending}`, content), own);

describe("full scores", () => {
  test("as CSV, columns in any order, and as JSON lines", async () => {
    const { matrix: found, remarks } = await read(csv());
    expect(remarks).toEqual([]);
    for (const id of ["a", "b"])
      expect(Array.from(found.fullScores!.get(id)!)).toEqual(names.map((_, m) => scoreOf(m, id)));
    const lines = names.flatMap((model, m) =>
      ["a", "b"].map((scenario) => `${JSON.stringify({ score: scoreOf(m, scenario), note: 1, scenario, model })}\n`),
    );
    expect((await read(lines.join(""), "jsonl")).matrix.fullScores).toEqual(found.fullScores);
    expect(await read("score,note,model,scenario\n" + csv().split("\n").slice(1, -1).map((row) => {
      const [model, scenario, score] = row.split(",");
      return `${score},,${model},${scenario}\n`;
    }).join(""))).toMatchObject({ matrix: { fullScores: found.fullScores } }); // prettier-ignore
  });

  test("on the scale of the answers", async () => {
    const path = folder.write("percent.csv", csv().replace(/0\.(\d+)$/gm, (_, digits: string) => String(Number(digits.padEnd(2, "0"))))); // prettier-ignore
    const { matrix: found } = await readFullScores(path, matrix, { scoreRange: [0, 100] });
    expect(found.fullScores!.get("a")![3]).toBeCloseTo(scoreOf(3, "a"), 12);
  });

  test("that aren't known are missing, never 0, and it is said of how many models", async () => {
    const { matrix: found, remarks } = await read(
      csv({ 2: `${names[0]!},a,`, 5: `${names[1]!},b,`, 4: "stranger,a,0.5" }),
    );
    const [a, b] = scenarioSlices(found.items, "items").map((slice) => fullScores(found, slice));
    expect([a!.score[0], a!.score[1], b!.score[1]]).toEqual([NaN, NaN, NaN]);
    expect(remarks).toEqual([
      expect.stringMatching(/^a: 2 of 14 models have no full score: .*"org\/model-0", "org\/model-1"/),
      expect.stringMatching(/^b: 1 of 14 models have no full score: .*"org\/model-1"/),
      expect.stringMatching(/models without answers are not read: "stranger"/),
    ]);
    // They still calibrate.
    const [scenario] = matrixScenarios(found, { weighting: "items" });
    expect(answeringModels(scenario!)).toHaveLength(14);
  });

  test("replace the mean, stay with their models, and are none without answers", async () => {
    const holed = withScores(matrix, (m, i, score) => (m === 2 && i < 6 ? NaN : score));
    const { matrix: found } = await read(csv(), "csv", holed);
    const [slice] = scenarioSlices(found.items, "items");
    const whole = fullScores(found, slice!);
    expect([whole.score[2], whole.items[2], whole.score[3]]).toEqual([NaN, NaN, scoreOf(3, "a")]);
    expect(whole.items).toEqual(fullScores(holed, slice!).score);
    const part = submatrix(found, [5, 3], [...found.items.keys()]);
    expect(Array.from(fullScores(part, slice!).score)).toEqual([scoreOf(5, "a"), scoreOf(3, "a")]);
    expect(sharedMatrix(found).fullScores).toBe(found.fullScores);
  });
});

test.each([
  [
    "a score above 1",
    { 3: `${names[0]!},b,1.5` },
    "out_of_range",
    /row 3, column "score": a score must be in \[0,1\], got 1.5/,
  ],
  [
    "a score that is no number",
    { 3: `${names[0]!},b,x` },
    "not_a_number",
    /row 3, column "score": a score must be a number/,
  ],
  [
    "an unknown scenario",
    { 3: `${names[0]!},c,.5` },
    "unknown_scenario",
    /row 3, column "scenario": the responses have no scenario "c": there are "a", "b"/,
  ],
  [
    "a row twice",
    { 3: `${names[0]!},a,${scoreOf(0, "a")}` },
    "duplicate",
    /row 3, column "score": model "org\/model-0" has its score in "a" already, in row 2/,
  ],
  [
    "two rows that disagree",
    { 3: `${names[0]!},a,0.9` },
    "conflict",
    /row 3, column "score": model "org\/model-0" has another score in "a" already, in row 2/,
  ],
  ["a ragged row", { 3: `${names[0]!},a` }, "ragged", /row 3/],
  ["no column of scores", { 1: "model,scenario,points" }, "missing_column", /there is no column "score"/],
  [
    "too few models",
    Object.fromEntries([2, 4, 6].map((row, m) => [row, `${names[m]!},a,`])),
    "too_few_models",
    /11 models have a full score and answers in a, at least 12 are needed/,
  ],
] as const)("%s is refused", async (_, changed, rule, message) => {
  // prettier-ignore
  const refused = await read(csv(changed)).then(() => null, (error: unknown) => error); // prettier-ignore
  expect(refused).toBeInstanceOf(AnchorEvalError);
  const { code, message: words, issues } = refused as AnchorEvalError;
  expect({ code, rule: issues[0]!.code }).toEqual({ code: "invalid_data", rule });
  expect(words).toMatch(message);
});
