import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { exportForm, expectSameEstimate, fitLogs, solvingModels } from "../../../support/form-round-trip.ts";
import { loggedContent, writeBundle } from "../../../support/logged-bundle.ts";
import { PYTHON3, runPython } from "../../../support/python3.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const IDS = Array.from({ length: 60 }, (_, k) => `HumanEval/${k}`);
/** The package's dataset: a task a line, whose text isn't as Python would write it again. */
const DATASET = IDS.map((id) => `{"task_id":"${id}",  "prompt": "caf\u00e9", "plus_input": [1e3]}\n`).join("");
const digest = (text: string): string => createHash("md5").update(text).digest("hex");
const RELEASE = digest(DATASET);

const results = (ids: readonly string[], hash: string, solved: ReadonlySet<string>): string =>
  JSON.stringify({
    ...{ date: "2026-11-29 14:46", hash },
    eval: Object.fromEntries(
      ids.map((id) => {
        const status = solved.has(id) ? "pass" : "fail";
        const judged = { task_id: id, solution: "pass", base_status: "pass", plus_status: status };
        return [id, [{ ...judged, base_fail_tests: [], plus_fail_tests: [] }]];
      }),
    ),
  });

/** The names of evalplus 0.3.1 that the file uses, with a dataset on the disk. */
function writePackage(name: string, dataset: string): string {
  folder.write(`${name}/dataset.jsonl`, dataset);
  for (const place of ["", "data/"]) folder.write(`${name}/evalplus/${place}__init__.py`, "");
  for (const [module, path] of [
    ["humaneval", "_ready_human_eval_plus_path"],
    ["mbpp", "_ready_mbpp_plus_path"],
  ])
    // prettier-ignore
    folder.write(
      `${name}/evalplus/data/${module}.py`,
      `import os\n${module!.toUpperCase()}_PLUS_VERSION = "v0.1.10"\nOVERRIDE = os.environ.get("${module!.toUpperCase()}_OVERRIDE_PATH")\ndef ${path}(mini=False, noextreme=False, version="default"):\n    return OVERRIDE or ${JSON.stringify(folder.path(`${name}/dataset.jsonl`))}\n`,
    );
  return folder.path(name);
}

let [bundle, out] = ["", ""];
let ids: string[] = [];

beforeAll(async () => {
  for (const [model, solved] of solvingModels(IDS))
    folder.write(`board/humaneval/lab--${model}_vllm_temp_0.0_eval_results.json`, results(IDS, RELEASE, solved));
  bundle = await fitLogs(folder, "evalplus", folder.path("board"));
  out = folder.path("out");
});

test("a form is a Python file, and commands that name what it makes", async () => {
  const said = await exportForm(bundle, "evalplus", out);
  const base = `${out}/quiz-1.0.0-20.evalplus`;
  expect(said.split("\n").filter((line) => line.startsWith("  "))).toEqual([
    `  python ${base}.py`,
    `  HUMANEVAL_OVERRIDE_PATH=${base}.humaneval.jsonl evalplus.evaluate --model MODEL --dataset humaneval --backend vllm --greedy --root ${base}`,
    `  anchoreval estimate --bundle ${bundle} --form 20 --from evalplus ${base}`,
  ]);
  const text = readFileSync(`${base}.py`, "utf8");
  expect(text).toContain(`RELEASES = {"humaneval":"${RELEASE}"}`);
  ids = (JSON.parse(/^TASKS = (\{.*?^\})$/ms.exec(text)![1]!) as { humaneval: string[] }).humaneval;
  expect(ids).toHaveLength(20);
  expect(IDS).toEqual(expect.arrayContaining(ids));
});

test.skipIf(PYTHON3 === null)(
  "the file makes the dataset line by line, and its results are of the release (skipped without python3)",
  async () => {
    const base = `${out}/quiz-1.0.0-20.evalplus`;
    const packages = writePackage("package", DATASET);
    const env = { HUMANEVAL_OVERRIDE_PATH: "elsewhere.jsonl" };
    const made = runPython([`${base}.py`], { cwd: folder.path("."), packages, env });
    expect(made).toMatchObject({ code: 0, err: "" });
    expect(made.out).toBe(`${base}.humaneval.jsonl: 20 tasks of humaneval v0.1.10\n`);
    const part = readFileSync(`${base}.humaneval.jsonl`, "utf8");
    expect(part).toBe(DATASET.split(/(?<=\n)/).filter((line) => ids.includes((JSON.parse(line) as { task_id: string }).task_id)).join("")); // prettier-ignore

    const solved = new Set(ids.filter((_, k) => k % 3 > 0));
    const answers = folder.write(
      "answers.json",
      JSON.stringify(
        Object.fromEntries(ids.map((id) => [id.replace("HumanEval", "humaneval"), Number(solved.has(id))])),
      ),
    );
    const place = "out/quiz-1.0.0-20.evalplus/humaneval";
    const name = `${place}/lab--m_vllm_temp_0.0`;
    folder.write(`${name}.jsonl`, "{}\n");
    folder.write(`${name}_eval_results.json`, results(ids, digest(part), solved));
    const asked = { harness: "evalplus", logs: base, answers };
    expect(await expectSameEstimate(bundle, asked)).toEqual([]);

    // Of other tests than those that the file beside is of, nothing says which release they are.
    folder.write(`${name}_eval_results.json`, results(ids, digest(`${part}\n`), solved));
    expect(await expectSameEstimate(bundle, asked)).toEqual([expect.stringContaining("other_protocol: humaneval: task version: ")]); // prettier-ignore
    folder.write(`${name}_eval_results.json`, results(ids, digest(part), solved));
    folder.write(`${place}/anchoreval.json`, JSON.stringify({ hash: digest(part), release: "0".repeat(32) }));
    expect(await expectSameEstimate(bundle, asked)).toEqual([expect.stringContaining(`task version: ${"0".repeat(32)} in this run, ${RELEASE}`)]); // prettier-ignore
  },
);

test.skipIf(PYTHON3 === null)("a package with another release is refused (skipped without python3)", () => {
  const packages = writePackage("another", `${DATASET}\n`);
  const refused = runPython([`${out}/quiz-1.0.0-20.evalplus.py`], { cwd: folder.path("."), packages });
  const words = `is v0.1.10 (${digest(`${DATASET}\n`)}), and the bundle's models were judged by ${RELEASE}`;
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(words)]);
});

test.skipIf(PYTHON3 === null)("tasks that the package lacks are named (skipped without python3)", () => {
  const file = readFileSync(`${out}/quiz-1.0.0-20.evalplus.py`, "utf8");
  const any = folder.write("any.evalplus.py", file.replace(/^RELEASES = .*$/m, "RELEASES = {}"));
  const packages = writePackage("empty", DATASET.split(/(?<=\n)/).filter((line) => !line.includes(`"${ids[0]}"`)).join("")); // prettier-ignore
  const refused = runPython([any], { cwd: folder.path("."), packages });
  expect([refused.code, refused.err]).toEqual([1, `humaneval v0.1.10 lacks 1 of 20 tasks, such as ${ids[0]}\n`]);
});

test("answers that were drawn several times are asked as often, of both benchmarks", async () => {
  for (const [model, solved] of solvingModels(IDS))
    for (const [dataset, beginning] of [
      ["humaneval", "HumanEval"],
      ["mbpp", "Mbpp"],
    ] as const) {
      // prettier-ignore
      const file = JSON.parse(results(IDS, RELEASE, solved)) as { eval: Record<string, object[]> };
      const tasks = Object.entries(file.eval).map(([id, [first]]): [string, object[]] => {
        const task_id = id.replace("HumanEval", beginning);
        return [
          task_id,
          [
            { ...first, task_id },
            { ...first, task_id },
          ],
        ];
      });
      folder.write(`drawn/${dataset}/${model}_hf_temp_0.8_eval_results.json`, JSON.stringify({ ...file, eval: Object.fromEntries(tasks) })); // prettier-ignore
    }
  const said = await exportForm(await fitLogs(folder, "evalplus", folder.path("drawn"), "drawn-bundle"), "evalplus", folder.path("drawn-out")); // prettier-ignore
  expect(said).toMatch(/HUMANEVAL_OVERRIDE_PATH=\S+\.humaneval\.jsonl evalplus\.evaluate --model MODEL --dataset humaneval --backend vllm --n_samples 2 --temperature 0\.8 /); // prettier-ignore
  expect(said).toMatch(/MBPP_OVERRIDE_PATH=\S+\.mbpp\.jsonl evalplus\.evaluate --model MODEL --dataset mbpp /);
  const text = readFileSync(folder.path("drawn-out/quiz-1.0.0-20.evalplus.py"), "utf8");
  expect(text).toMatch(/"Mbpp\/\d+"/);
});

test("other benchmarks' items are refused", async () => {
  const place = writeBundle(folder.path("untold"), loggedContent());
  const { code, err } = await runCommand("export", "--bundle", place, "--to", "evalplus", "--out", folder.path("no"));
  expect([code, err]).toEqual([
    2,
    expect.stringContaining("alpha is none of EvalPlus's benchmarks, humaneval and mbpp"),
  ]);
});
