import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { benchResults, benchTrial } from "../../../support/terminal-bench-logs.ts";

const folder = tempFolder();

const harness = harnessNamed("terminal-bench");
const CHOICES = { metric: parseChoices("metric", []), filter: parseChoices("filter", []) };

function importFolder(path: string): Promise<LogImport> {
  return importLogs(harness, [path], { onDuplicate: "newest", errors: "harness", allowMixed: false, ...CHOICES });
}

const SHARED = fileURLToPath(new URL("../../../../../shared/data/", import.meta.url));
const ABSENT = existsSync(join(SHARED, "terminal-bench-core")) ? "" : " (skipped: the shared data are not beside this checkout)"; // prettier-ignore

/** Rows of a packed CSV without quotes, by column. */
function rowsOf(name: string): Record<string, string>[] {
  const [head, ...lines] = gunzipSync(readFileSync(join(SHARED, name))).toString().trim().split("\n").map((line) => line.trim().split(",")); // prettier-ignore
  return lines.map((line) => Object.fromEntries(head!.map((column, k) => [column, line[k]!])));
}

/** A run of a submission, its results alone: thousands of trials' own would take minutes to write. */
function writeRun(place: string, trials: readonly Readonly<Record<string, unknown>>[]): void {
  folder.write(`${place}/results.json`, JSON.stringify(benchResults(trials)));
}

/** A task's id without its scenario. */
function taskId(item: string): string {
  return item.slice(item.indexOf("/") + 1);
}

/** Models and scores as a board has them, to six digits. */
function expectBoard({ matrix }: LogImport, board: readonly Record<string, string>[]): void {
  expect(matrix.subjects.toSorted()).toEqual(board.map((row) => row["model"]!).sort());
  for (const { model, ...cells } of board) {
    const m = matrix.subjects.indexOf(model!);
    const scores = new Map(matrix.items.map(({ doc_id: id }, i) => [id, scoreAt(matrix, m, i)]));
    expect(scores.size).toBe(Object.keys(cells).length);
    for (const [item, cell] of Object.entries(cells)) expect(scores.get(taskId(item))).toBeCloseTo(Number(cell), 6);
  }
}

describe.skipIf(ABSENT !== "")(`boards of Terminal-Bench 1 in its layout${ABSENT}`, () => {
  test("terminal-bench-core: eleven submissions, their trials, tokens and seconds", async () => {
    const trials = rowsOf("terminal-bench-core/trials.csv.gz").map((row) => ({
      ...{ model: row["model"]!, id: taskId(row["item_id"]!), run: `run${row["trial"]!}`, score: Number(row["score"]) },
      ...{ mode: row["failure_mode"]!, tokens: [row["input_tokens"]!, row["output_tokens"]!].map(amount) },
      times: [row["started"]!, row["ended"]!].map((time) => (time === "" ? null : time)),
    }));
    for (const [key, rows] of groupBy(trials, ({ model, run }) => `${model}/${run}`))
      writeRun(
        `core/results/terminal-bench-core@0.1.1/${key}`,
        rows.map(({ id, run, score, mode, tokens, times }) =>
          benchTrial(id, {
            ...{ trial_name: `${id}.1-of-1.${run}`, is_resolved: score === 1, failure_mode: mode },
            ...{ total_input_tokens: tokens[0], total_output_tokens: tokens[1] },
            ...{ trial_started_at: times[0], trial_ended_at: times[1] },
          }),
        ),
      );
    const imported = await importFolder(folder.path("core"));
    expectBoard(imported, rowsOf("terminal-bench-core/responses.csv.gz"));
    const { report } = imported;
    expect(report.trials).toMatchObject({ scores: 4480, cells: 880, fewest: 5, most: 6 });
    const cells = new Map(imported.trials!.map((cell) => [`${cell.model} ${cell.item}`, cell.scores.toSorted()]));
    for (const [key, rows] of groupBy(trials, ({ model, id }) => `${model} terminal-bench/${id}`))
      expect(cells.get(key)).toEqual(rows.map(({ score }) => score).sort());
    const modelsOf = (rows: typeof trials): number => new Set(rows.map(({ model }) => model)).size;
    expect(Object.fromEntries(report.prices!.map(({ column, models }) => [column, models]))).toEqual({
      tokens: modelsOf(trials.filter(({ tokens }) => tokens.every((count) => count))),
      seconds: modelsOf(trials.filter(({ times }) => !times.includes(null))),
    });
    const logs = await harness.find([folder.path("core")]);
    for (const log of logs) {
      const { samples } = await harness.read(log, CHOICES);
      const costs = samples.flatMap(({ doc_id: id, attempts }) => attempts.map(({ cost = {} }) => [id, cost.tokens ?? 0, cost.seconds ?? 0])); // prettier-ignore
      const expected = trials.filter(({ model }) => model === log.model).map(({ id, tokens, times }) => [id, ...costOf(tokens, times)]); // prettier-ignore
      expect(costs.map(String).sort()).toEqual(expected.map(String).sort());
    }
    // Accuracies of the eleven, each the mean of its runs'.
    expect(report.scores).toEqual({ compared: 11, equal: 11, different: [] });
  });

  test("terminal-bench-1: 25 submissions of five trials", async () => {
    const board = rowsOf("terminal-bench-1/responses.csv.gz");
    const runs = 5;
    for (const { model, ...cells } of board)
      for (let run = 0; run < runs; run++)
        writeRun(
          `one/results/terminal-bench-core:0.1.1/${model!}/run${run}`,
          Object.entries(cells).map(([item, cell]) =>
            benchTrial(taskId(item), { is_resolved: run < Math.round(Number(cell) * runs) }),
          ),
        );
    const imported = await importFolder(folder.path("one"));
    expectBoard(imported, board);
    expect(imported.report.scores).toEqual({ compared: 25, equal: 25, different: [] });
    expect(imported.report.dropped).toEqual([]);
  });
});

function amount(text: string): number | null {
  return text === "" ? null : Number(text);
}

/** Tokens and seconds, to the millisecond; 0 where they aren't known. */
function costOf(tokens: readonly (number | null)[], [begin, end]: readonly (string | null)[]): [number, number] {
  const counts = tokens.map((count) => count ?? 0);
  const seconds = begin == null || end == null ? 0 : (Date.parse(end) - Date.parse(begin)) / 1000;
  return [counts.includes(0) ? 0 : counts.reduce((sum, count) => sum + count, 0), seconds];
}
