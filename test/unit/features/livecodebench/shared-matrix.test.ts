import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const DATA = fileURLToPath(new URL("../../../../../shared/data/livecodebench-v6", import.meta.url));
const ABSENT = existsSync(DATA) ? "" : " (skipped: the shared data are not beside this checkout)";

/** Runs of these many samples are tried until all of a model's rates are shares of them. */
const SAMPLES = [1, 4, 10, 20];

describe.skipIf(ABSENT !== "")(`pass rates of 33 models on release v6${ABSENT}`, () => {
  const folder = tempFolder();
  const table = ABSENT === "" ? gunzipSync(readFileSync(join(DATA, "responses.csv.gz"))).toString() : "";
  const [header = "", ...lines] = table.trim().split("\n");
  /** `lcb_codegen_v6/PLATFORM.QUESTION` */
  const questions = header.split(",").slice(1).map((id) => id.slice(id.indexOf(".") + 1)); // prettier-ignore
  const rates = new Map(
    lines.map((line) => {
      const [model = "", ...cells] = line.split(",");
      return [model, cells.map(Number)] as const;
    }),
  );
  const samplesOf = (all: readonly number[]): number =>
    SAMPLES.find((count) => all.every((rate) => Math.abs(rate * count - Math.round(rate * count)) < 1e-9))!;

  function imported(path: string): Promise<LogImport> {
    return importLogs(harnessNamed("livecodebench"), [path], {
      ...{ metric: parseChoices("metric", []), filter: parseChoices("filter", []) },
      ...{ onDuplicate: "newest", errors: "harness", allowMixed: true },
    });
  }

  function expectSame({ matrix, report }: LogImport): void {
    expect([...matrix.subjects].sort()).toEqual([...rates.keys()].sort());
    expect(matrix.items.map(({ doc_id }) => doc_id).sort()).toEqual([...questions].sort());
    expect(matrix.observed).toBeNull();
    const columns = new Map(questions.map((id, column) => [id, column]));
    let furthest = 0;
    for (const [m, model] of matrix.subjects.entries())
      for (const [i, { doc_id: id }] of matrix.items.entries())
        furthest = Math.max(furthest, Math.abs(matrix.scores[m * matrix.stride + i]! - rates.get(model)![columns.get(String(id))!]!)); // prettier-ignore
    expect(furthest).toBeLessThan(1e-7); // of numbers of 32 bits
    expect(report.attempts).toMatchObject({ failed: 0, missing: 0 });
  }

  test("as …_eval_all.json of each: models, items, scores, trials, and the runs' own scores", async () => {
    let answers = 0;
    for (const [model, all] of rates) {
      const count = samplesOf(all);
      answers += count * all.length;
      const graded = all.map((rate, k) => {
        const grades = Array.from({ length: count }, (_, answer) => answer < Math.round(rate * count));
        return { question_id: questions[k], code_list: grades.map(() => "pass"), graded_list: grades, "pass@1": rate };
      });
      // A run that was continued isn't sorted.
      const entries = [...graded.slice(500), ...graded.slice(0, 500)];
      const mean = all.reduce((sum, rate) => sum + rate, 0) / all.length;
      const name = `${model}/Scenario.codegeneration_${count}_0.2`;
      folder.write(`output/${name}_eval_all.json`, JSON.stringify(entries));
      folder.write(`output/${name}_eval.json`, JSON.stringify([{ "pass@1": mean }, {}, []]));
    }
    const read = await imported(folder.path("output"));
    expectSame(read);
    expect(read.report.attempts.scored).toBe(answers);
    expect(read.report.scores).toMatchObject({ compared: 33, equal: 33 });
    expect(read.report.trials).toMatchObject({ fewest: expect.any(Number) as number, most: 10 });
  });

  test("as the site's percent", async () => {
    const performances = [...rates].flatMap(([model, all]) =>
      all.map((rate, k) => ({ question_id: questions[k], model, "pass@1": Math.round(rate * 1000) / 10 })),
    );
    const path = folder.write(
      "performances_generation.json",
      JSON.stringify({ performances, models: [], date_marks: [] }),
    );
    expectSame(await imported(path));
  });
});
