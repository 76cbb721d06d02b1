import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { exportForm, expectSameEstimate, fitLogs, solvingModels } from "../../../support/form-round-trip.ts";
import { PYTHON3, runPython } from "../../../support/python3.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const IDS = Array.from({ length: 60 }, (_, k) => (k % 2 === 0 ? `${1800 + k}_A` : String(2700 + k)));
/** Of two answers to each question the second is right, and the first where the model solves it. */
const graded = (ids: readonly string[], solved: ReadonlySet<string>): string =>
  JSON.stringify(
    ids.map((id) => ({
      ...{ question_id: id, question_content: `Solve ${id}.`, starter_code: "", output_list: ["a", "b"] },
      ...{ code_list: ["a", "b"], graded_list: [solved.has(id), true], "pass@1": solved.has(id) ? 1 : 0.5 },
    })),
  );

/** The names of lcb_runner that the launcher uses, as LiveCodeBench has them: questions of IDS, and answers that are right by `solved`. */
const STUB = `import argparse, enum, json, os
class Scenario(enum.Enum):
    codegeneration = "codegeneration"
    testoutputprediction = "testoutputprediction"
class Problem:
    def __init__(self, question_id):
        self.question_id = question_id
def build_prompt_benchmark(args):
    assert args.release_version in ("release_v1", "release_v6")
    ids = json.loads(${JSON.stringify(JSON.stringify(IDS))})
    return sorted((Problem(i) for i in (ids if args.release_version == "release_v6" else ids[:5])), key=lambda p: p.question_id), str
def get_output_path(model_repr, args):
    path = f"output/{model_repr}/{args.scenario}_{args.n}_{args.temperature}.json"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model")
    parser.add_argument("--scenario", type=Scenario)
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--release_version")
    parser.add_argument("--n", type=int, default=10)
    parser.add_argument("--temperature", type=float, default=0.2)
    args = parser.parse_args()
    benchmark, _ = build_prompt_benchmark(args)
    path = get_output_path("Display-" + args.model, args)
    with open("lcb_runner/solved.json") as file:
        solved = json.load(file)
    def grade(p):
        grades = [p.question_id in solved, True]
        return {"question_id": p.question_id, "question_content": f"Solve {p.question_id}.", "starter_code": "", "output_list": ["a", "b"], "code_list": ["a", "b"], "graded_list": grades, "pass@1": sum(grades) / 2}
    rows = [grade(p) for p in benchmark]
    with open(path, "w") as file:
        json.dump([{k: v for k, v in row.items() if k not in ("graded_list", "pass@1")} for row in rows], file)
    with open(path.replace(".json", "_eval.json"), "w") as file:
        json.dump([{"pass@1": sum(row["pass@1"] for row in rows) / len(rows)}, {}, []], file)
    with open(path.replace(".json", "_eval_all.json"), "w") as file:
        json.dump(rows, file)
`;

let [bundle, out, launcher] = ["", "", ""];
let ids: string[] = [];

beforeAll(async () => {
  for (const [model, solved] of solvingModels(IDS))
    folder.write(`board/${model}/Scenario.codegeneration_2_0.6_eval_all.json`, graded(IDS, solved));
  bundle = await fitLogs(folder, "livecodebench", folder.path("board"));
  out = folder.path("out");
  for (const place of ["", "runner/"]) folder.write(`lcb/lcb_runner/${place}__init__.py`, "");
  folder.write("lcb/lcb_runner/runner/main.py", STUB);
});

const OPTIONS = ["--model", "m", "--scenario", "codegeneration", "--evaluate"];

test("a form is a launcher, and a command with the settings of the bundle's runs", async () => {
  const said = await exportForm(bundle, "livecodebench", out);
  launcher = `${out}/quiz-1.0.0-20.livecodebench.py`;
  expect(said.split("\n").filter((line) => line.startsWith("  "))).toEqual([
    `  python ${launcher} --model MODEL --scenario codegeneration --evaluate --release_version release_v6 --n 2 --temperature 0.6`,
    `  anchoreval estimate --bundle ${bundle} --form 20 --from livecodebench ${launcher.replace(/\.py$/, "")}`,
  ]);
  ids = JSON.parse(/^QUESTIONS = (\[.*?^\])$/ms.exec(readFileSync(launcher, "utf8"))![1]!) as string[];
  expect(ids).toHaveLength(20);
  expect(IDS).toEqual(expect.arrayContaining(ids));
});

test.skipIf(PYTHON3 === null)(
  "the launcher runs these questions alone, and keeps their files apart (skipped without python3)",
  async () => {
    const solved = ids.filter((_, k) => k % 3 > 0);
    folder.write("lcb/lcb_runner/solved.json", JSON.stringify(solved));
    const before = folder.write("lcb/output/Display-m/Scenario.codegeneration_2_0.6_eval_all.json", "of a whole run");
    const ran = runPython([launcher, ...OPTIONS, "--release_version", "release_v6", "--n", "2", "--temperature", "0.6"], { cwd: folder.path("lcb") }); // prettier-ignore
    expect(ran).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(before, "utf8")).toBe("of a whole run");
    const logs = launcher.replace(/\.py$/, "");
    expect(readdirSync(`${logs}/Display-m`)).toHaveLength(3);
    const rows = JSON.parse(readFileSync(`${logs}/Display-m/Scenario.codegeneration_2_0.6_eval_all.json`, "utf8")) as { question_id: string }[]; // prettier-ignore
    expect(rows.map(({ question_id: id }) => id)).toEqual([...ids].sort());
    const scores = ids.map((id) => [`livecodebench/${id}`, solved.includes(id) ? 1 : 0.5]);
    const answers = folder.write("answers.json", JSON.stringify(Object.fromEntries(scores)));
    expect(await expectSameEstimate(bundle, { harness: "livecodebench", logs, answers })).toEqual([
      expect.stringMatching(/^log_remark: .*: scores are means over 2 attempts$/),
    ]);
  },
);

test.skipIf(PYTHON3 === null).each([
  ["a release without them", [...OPTIONS, "--release_version", "release_v1"], "questions aren't among the 5 that were loaded, such as "],
  ["another scenario", [...OPTIONS, "--scenario", "testoutputprediction", "--release_version", "release_v6"], "not of testoutputprediction"],
])("the launcher refuses %s (skipped without python3)", (_, argv, words) => {
  const refused = runPython([launcher, ...argv], { cwd: folder.path("lcb") });
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(words)]);
}); // prettier-ignore

test("only code generation is asked", async () => {
  for (const [model, solved] of solvingModels(IDS))
    folder.write(`execution/${model}/Scenario.codeexecution_1_0.2_eval_all.json`, JSON.stringify(IDS.map((id) => ({ question_id: id, id: `sample_${id}`, output_list: ["a"], pred_list: ["a"], graded_list: [solved.has(id)], "pass@1": Number(solved.has(id)) })))); // prettier-ignore
  const other = await fitLogs(folder, "livecodebench", folder.path("execution"), "execution-bundle");
  const refused = await runCommand("export", "--bundle", other, "--to", "livecodebench", "--out", folder.path("never"));
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("livecodebench-codeexecution has anchors in this form") as string }); // prettier-ignore
});
