import { renameSync } from "node:fs";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import type { RunLog } from "anchoreval/internal/logs/run-log";
import { expect, test } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { type BfclEntry, writeBfcl } from "../../../support/bfcl-logs.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const bfcl = harnessNamed("bfcl");
const ENTRIES: readonly BfclEntry[] = [0, 1, 2].map((k) => ({ id: `simple_python_${k}`, valid: k > 0 }));
const files = { model: "m", category: "simple_python", entries: ENTRIES };

async function found(...paths: string[]): Promise<{ logs: RunLog[]; remarks: string[] }> {
  const remarks: string[] = [];
  const logs = await bfcl.find(paths, { onRemark: (words) => remarks.push(words) });
  return { logs, remarks };
}

/** The result file that goes with a run. */
const resultOf = ({ content }: RunLog): unknown => (content as { readonly result: unknown }).result;

test("a run is a model's category, of a snapshot by its day; the overall score isn't formed, and that is said", async () => {
  const root = "2025-12-16";
  const [python, live] = [
    writeBfcl(folder, root, files),
    writeBfcl(folder, root, { ...files, model: "org_b-FC", category: "live_simple", group: "live" }),
  ];
  folder.write(`${root}/score/data_overall.csv`, "Rank,Overall Acc\n1,74.50%");
  folder.write(`${root}/test_case_ids_to_generate.json`, "{}");
  folder.write(`${root}/result/m/agentic/memory/kv/BFCL_v4_memory_kv_prereq_result.json`, '{"id":"x"}');
  folder.write(`${root}/result/m/agentic/memory/kv/memory_snapshot/customer_final.json`, "{}");
  const { logs, remarks } = await found(folder.path(root));
  expect(logs.map(({ model, task, file, date }) => [model, task, file, date])).toEqual([
    ["m", "simple_python", python.score, "2025-12-16T00:00:00"],
    ["org_b-FC", "live_simple", live.score, "2025-12-16T00:00:00"],
  ]);
  expect(remarks).toEqual([expect.stringContaining("isn't formed here: each category is a scenario")]);
  const { score } = writeBfcl(folder, "2025-12-17-main", files);
  expect((await found(score)).logs[0]!.date).toBe("2025-12-17T00:00:00");
});

test("the result file is found beside a score file that is named alone", async () => {
  const { score, result } = writeBfcl(folder, "alone", { ...files, group: "agentic/memory/kv" });
  const { logs, remarks } = await found(score);
  expect([logs.map(({ model }) => model), resultOf(logs[0]!), remarks]).toEqual([["m"], result, []]);
});

test("of other folders it is the one of the model and the category; of several none is guessed", async () => {
  const { score, result } = writeBfcl(folder, "elsewhere", files);
  renameSync(folder.path("elsewhere/score"), folder.path("elsewhere/judged"));
  const judged = score.replace("/score/", "/judged/");
  writeBfcl(folder, "others", { ...files, model: "other", without: "score" });
  const { logs, remarks } = await found(judged, result, folder.path("others"));
  expect([logs[0]!.model, resultOf(logs[0]!)]).toEqual(["m", result]);
  expect(remarks).toEqual([expect.stringContaining("1 file of results that bfcl evaluate didn't judge, left out: ")]);
  const { result: second } = writeBfcl(folder, "again", { ...files, without: "score" });
  expectRefusal(
    await rejection(found(judged, result, second)),
    "invalid_data",
    "its result file may be one of several",
  );
  const missing = await rejection(found(judged).then(({ logs: [log] }) => bfcl.read(log!, { metric: () => undefined, filter: () => undefined }))); // prettier-ignore
  expectRefusal(missing, "invalid_data", "BFCL_v4_simple_python_result.json is missing");
});

test("version 3 lies in the model's folder, and isn't mixed with version 4", async () => {
  const third = writeBfcl(folder, "v3", { ...files, model: "c", version: "v3", group: "" });
  const { logs } = await found(third.score);
  expect([logs[0]!.model, resultOf(logs[0]!)]).toEqual(["c", third.result]);
  expect(logs[0]!.results!.tasks.get("simple_python")).toMatchObject({ version: "v3", documents: null });
  const fourth = writeBfcl(folder, "v4", files);
  const mixed = await runCommand("import", "--from", "bfcl", third.score, fourth.score, "--out", folder.path("out"));
  expect(mixed).toMatchObject({ code: 2, err: expect.stringContaining("simple_python: task version") as string });
});

test("what isn't scored or is older is left out with a remark, and refused where it is all there is", async () => {
  const { score: sensitivity } = writeBfcl(folder, "rest", { ...files, category: "format_sensitivity", group: "format_sensitivity" }); // prettier-ignore
  const old = folder.write("rest/score/m/gorilla_openfunctions_v1_test_simple_score.json", "{}");
  expectRefusal(await rejection(found(sensitivity)), "invalid_data", "format_sensitivity is no part of BFCL's scores");
  expectRefusal(await rejection(found(old)), "invalid_data", "files of BFCL before version 3 aren't read");
  writeBfcl(folder, "rest", files);
  expect((await found(folder.path("rest"))).remarks).toEqual([
    expect.stringContaining("1 file of format_sensitivity, which is no part of BFCL's scores, left out"),
    expect.stringContaining("1 file of BFCL before version 3, left out"),
  ]);
});

test.each([
  ["data_overall.csv", "BFCL's files are BFCL_v4_CATEGORY_score.json and"],
  ["BFCL_v4_simple_python.json", "BFCL's files are BFCL_v4_CATEGORY_score.json and"],
])("%s that is named is refused, and passed over in a folder", async (name, words) => {
  const { score } = writeBfcl(folder, `named-${name}`, files);
  const file = folder.write(`named-${name}/score/${name}`, "{}");
  expectRefusal(await rejection(found(score, file)), "invalid_data", words);
  expect(await found(folder.path(`named-${name}`))).toMatchObject({ logs: [{ file: score }], remarks: [] });
});

test("results that nobody judged, and a folder without anything, are refused", async () => {
  const { result } = writeBfcl(folder, "unjudged", { ...files, without: "score" });
  expectRefusal(
    await rejection(found(result)),
    "invalid_data",
    "results of BFCL say nothing of which answers are right",
  );
  folder.write("nothing/notes.json", "{}");
  expectRefusal(await rejection(found(folder.path("nothing"))), "invalid_data", "there is no run of BFCL");
});

test("entries that name another model than their folder are told of", async () => {
  const { score } = writeBfcl(folder, "renamed", files);
  renameSync(folder.path("renamed/score/m"), folder.path("renamed/score/n"));
  renameSync(folder.path("renamed/result/m"), folder.path("renamed/result/n"));
  const out = await runCommand("import", "--from", "bfcl", score.replace("/m/", "/n/"), "--out", folder.path("n"));
  expect(out.err).toContain("its entries are of m, and count as those of n");
});
