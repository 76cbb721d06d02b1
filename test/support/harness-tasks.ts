import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import type { BundleContent } from "anchoreval/bundle";
import { taskOf } from "./logged-bundle.ts";
import { ROOT } from "./source-imports.js";
import type { TempFolder } from "./temp-folder.ts";

/** The interpreter that has the harnesses; `.ci/run` installs them. */
export const PYTHON = process.env["ANCHOREVAL_TEST_PYTHON"] ?? "python3";

/** Whether Python has some modules. They aren't imported, which takes seconds. */
export function hasModules(...modules: readonly string[]): boolean {
  const program = "import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))";
  return spawnSync(PYTHON, ["-c", program, ...modules]).status === 0;
}

/** The environment in which the harnesses are found, lm_eval reads only the tasks that a test brings, and nothing is fetched. */
export const HARNESS_ENV = {
  ...process.env,
  PYTHONPATH: join(ROOT, "test/support/python"),
  PATH: `${dirname(PYTHON)}:${process.env["PATH"] ?? ""}`,
  HF_HUB_OFFLINE: "1",
  HF_DATASETS_OFFLINE: "1",
};

/** The document of an item of `loggedContent`, as its hash has it. */
export function documentOf(task: string, id: number): Readonly<Record<string, unknown>> {
  const choices = ["A", "B", "C", "D"].map((letter) => `${letter}-${id}`);
  return { question: `${task}, document ${id}?`, subject: task, choices, answer: id % 4 };
}

/** The documents of the sample bundle's tasks, up to the last that is an anchor. */
export function taskDocuments(content: BundleContent): Map<string, Readonly<Record<string, unknown>>[]> {
  const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);
  return new Map(
    [...new Set(anchors.map(taskOf))].map((task) => {
      const last = Math.max(...anchors.filter((anchor) => taskOf(anchor) === task).map((anchor) => anchor.index));
      return [task, Array.from({ length: last + 1 }, (_, id) => documentOf(task, id))];
    }),
  );
}

/** Writes tasks of lm-evaluation-harness for some documents. @returns the folder, for `--include_path` */
export function writeLmEvalTasks(
  folder: TempFolder,
  name: string,
  tasks: ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>,
  settings = 'output_type: multiple_choice\ndoc_to_choice: "{{choices}}"\ndoc_to_target: answer\nmetric_list: [{metric: acc}]\n',
): string {
  for (const [task, documents] of tasks) {
    const data = folder.write(`${name}/${task}.jsonl`, documents.map((one) => `${JSON.stringify(one)}\n`).join(""));
    folder.write(
      `${name}/${task}.yaml`,
      `task: ${task}\ndataset_path: json\ndataset_kwargs: {data_files: {test: ${data}}}\ntest_split: test\ndoc_to_text: "{{question}}"\n${settings}metadata: {version: 1.0}\n`,
    );
  }
  return folder.path(name);
}
