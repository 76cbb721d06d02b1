import { existsSync } from "node:fs";
import { adaptiveEvaluation, type AdaptiveTurn, loadAdaptive, localAdaptive } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, test } from "vitest";
import { writeWideCsv } from "../../../../offline-trainer/src/matrix/write-tables.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { type CommandResult, runCommand, runProgram } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { smallLeaderboard, withScores } from "../../fit/small-leaderboard.ts";

const folder = tempFolder();
const LIMIT = 0.36;
const BUDGET = 42; // of 140 items: .3 on average
// One model lacks an answer, and one answers half of the items of the second scenario.
const matrix = withScores(smallLeaderboard({ models: 24, items: [80, 60] }), (model, item, score) =>
  (model === 3 && item === 5) || (model === 9 && item > 110) ? NaN : score,
);
const items = folder.write("items.jsonl", matrix.items.map((item) => `${JSON.stringify(item)}\n`).join(""));

function fit(name: string, ...more: string[]): Promise<CommandResult> {
  const data = ["--responses", folder.path("responses.csv"), "--items", items, "--created", "2026-01-01"];
  const how = ["--name", "quiz@1.0.0", "--anchors", "10", "--dims", "1", "--provider", "typescript"];
  return runProgram(["fit", ...data, ...how, "--out", folder.path(name), ...more]);
}

/** The limits as `fit` and `show` print them. */
const SHOWN =
  /\nexposure +3\d\.\d % at most \(limit 36\.0 %, without limits 6\d\.\d %\)\nadaptive evaluations +of 42 items, 10 at once, simulated with 24 models\n/;

beforeAll(async () => {
  await writeWideCsv(folder.path("responses.csv"), matrix);
  const { code, out } = await fit("limited", "--max-exposure", String(LIMIT), "--exposure-budget", String(BUDGET));
  expect(code).toBe(0);
  expect(out).toMatch(SHOWN);
});

describe("fit --max-exposure", () => {
  test("keeps limits in the bundle that evaluations from it keep to, scores in place", async () => {
    const pool = await loadAdaptive(folderSource(folder.path("limited")));
    const { limit, reached, unlimited } = pool.exposure!;
    expect(limit).toBe(LIMIT);
    expect(reached).toBeLessThan(1.01 * LIMIT);
    expect(unlimited).toBeGreaterThan(1.5 * LIMIT);
    const complete = matrix.subjects.map((_, m) => m).filter((m) => m !== 3 && m !== 9);
    const columns = new Map(matrix.items.map(({ item_id: id }, column) => [id, column]));
    const counts = new Map<string, number>();
    const evaluations = 10 * complete.length;
    let errors = 0;
    for (let k = 0; k < evaluations; k++) {
      const m = complete[k % complete.length]!;
      const evaluation = adaptiveEvaluation(localAdaptive(pool, k), { budget: BUDGET });
      for await (const asked of evaluation) {
        for (const { item_id: id } of asked) counts.set(id, (counts.get(id) ?? 0) + 1);
        const scores = asked.map(({ item_id: id }) => [id, scoreAt(matrix, m, columns.get(id)!)] as const);
        evaluation.answer(Object.fromEntries(scores));
      }
      const { model, warnings }: AdaptiveTurn = evaluation.step!;
      expect(warnings).toEqual([]);
      errors += model!.score! - fullScore(m);
    }
    const chance = Math.sqrt((LIMIT * (1 - LIMIT)) / evaluations);
    expect(Math.max(...counts.values()) / evaluations).toBeLessThan(LIMIT + 3.5 * chance);
    expect(Math.abs(errors / evaluations)).toBeLessThan(0.02);
  });

  test("is shown", async () => {
    const { out } = await runCommand("show", folder.path("limited"));
    expect(out).toMatch(SHOWN);
  });

  test.each<[string[], string]>([
    [["--max-exposure", "0"], "--max-exposure is a share of the evaluations above 0"],
    [["--max-exposure", "1.5"], "--max-exposure"],
    [["--max-exposure", "0.25", "--exposure-budget", "42"], "asks 42 of 140 items"],
    [["--max-exposure", "0.9"], "Use at least 1"],
    [["--max-exposure", "0.5", "--exposure-budget", "141"], "budget must be a whole number of items from 2 to 140"],
    [["--exposure-budget", "42"], "--exposure-budget needs --max-exposure"],
  ])("%j is refused before the fit, and nothing is written", async (options, message) => {
    const { code, out, err } = await fit("refused", ...options);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(existsSync(folder.path("refused"))).toBe(false);
  });
});

/** Mean of the scenarios' scores, each subscenario counting the same. */
function fullScore(model: number): number {
  const groups = new Map<string, Map<string, number[]>>();
  matrix.items.forEach(({ scenario, subscenario = "" }, column) => {
    const own = groups.get(scenario) ?? new Map<string, number[]>();
    groups.set(scenario, own);
    own.set(subscenario, [...(own.get(subscenario) ?? []), scoreAt(matrix, model, column)]);
  });
  const mean = (values: readonly number[]): number => values.reduce((sum, y) => sum + y, 0) / values.length;
  return mean([...groups.values()].map((own) => mean([...own.values()].map(mean))));
}
