import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { expect, test } from "vitest";
import { importLogs } from "../../../../features/import/fit/import-logs.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const DATA = fileURLToPath(new URL("../../../../../shared/data/evalplus-code", import.meta.url));
const ABSENT = existsSync(DATA) ? "" : " (skipped: the shared data are not beside this checkout)";
const folder = tempFolder();

test.skipIf(ABSENT !== "")(
  `71 models on HumanEval+ and MBPP+, some on one alone, are read as they are${ABSENT}`,
  async () => {
    const lines = gunzipSync(readFileSync(join(DATA, "responses.csv.gz"))).toString().trim().split("\n"); // prettier-ignore
    const [[, ...columns], ...rows] = lines.map((line) => line.split(",")) as [string[], ...string[][]];
    /** `humaneval+/0` and `mbpp+/Mbpp/2` as evalplus calls them. */
    const ids = columns.map((id) => id.replace("humaneval+/", "HumanEval/").replace("mbpp+/", ""));
    const scores = new Map<string, number>();
    let empty = 0;
    for (const [model = "", ...cells] of rows)
      for (const prefix of ["HumanEval", "Mbpp"]) {
        const tasks = ids.flatMap((id, k) => (id.startsWith(`${prefix}/`) && cells[k] !== "" ? [[id, cells[k]!] as const] : [])); // prettier-ignore
        empty += ids.filter((id) => id.startsWith(`${prefix}/`)).length - tasks.length;
        if (tasks.length === 0) continue;
        const judged = tasks.map(([task_id, cell]) => {
          scores.set(`${model.replaceAll("--", "/")} ${task_id.toLowerCase()}`, Number(cell));
          const status = cell === "1" ? "pass" : "fail";
          return [task_id, [{ task_id, solution: "pass", base_status: "pass", plus_status: status }]] as const;
        });
        const share = tasks.filter(([, cell]) => cell === "1").length / tasks.length;
        const text = JSON.stringify({
          ...{ date: "2026-11-29 14:46", hash: prefix, eval: Object.fromEntries(judged) },
          pass_at_k: { base: { "pass@1": 1 }, plus: { "pass@1": share } },
        });
        folder.write(`${prefix.toLowerCase()}/${model}_vllm_temp_0.0.eval_results.json`, text);
      }

    const { matrix, report } = await importLogs(harnessNamed("evalplus"), [folder.path("")], {
      ...{ metric: parseChoices("metric", []), filter: parseChoices("filter", []) },
      ...{ onDuplicate: "newest", errors: "harness", allowMixed: false },
    });
    expect([...matrix.subjects].sort()).toEqual(rows.map(([model = ""]) => model.replaceAll("--", "/")).sort());
    expect(matrix.items.map(({ item_id: id }) => id).sort()).toEqual(ids.map((id) => id.toLowerCase()).sort());
    expect(matrix.items.every(({ doc_id: id }) => typeof id === "number")).toBe(true);
    const read = new Map<string, number>();
    for (const [m, model] of matrix.subjects.entries())
      for (const [i, { item_id: id }] of matrix.items.entries()) {
        const cell = m * matrix.stride + i;
        if (matrix.observed![cell] === 1) read.set(`${model} ${id}`, matrix.scores[cell]!);
      }
    expect(read).toEqual(scores);
    expect(read.size).toBe(71 * 542 - empty);
    const { compared, equal, different } = report.scores;
    expect([equal, different]).toEqual([compared, []]);
  },
);
