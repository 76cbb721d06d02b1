import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { fittedValue } from "anchoreval/internal/logs/protocol";
import { type ExportedForm, type ExportTarget, fittedTemperature } from "../../cli/src/bundles/export-target.ts";
import { quote } from "../../cli/src/bundles/form-anchors.ts";

/** The benchmarks: beginnings of their tasks' ids, and the variables that name a file in place of all tasks. */
const DATASETS = {
  humaneval: { beginning: "HumanEval", variable: "HUMANEVAL_OVERRIDE_PATH" },
  mbpp: { beginning: "Mbpp", variable: "MBPP_OVERRIDE_PATH" },
} as const;

type Dataset = keyof typeof DATASETS;

/** Tasks of EvalPlus alone: a Python file makes datasets that have no others, of the installed package's own. */
export const evalPlusExport: ExportTarget = {
  words: "a Python file that makes datasets of these tasks alone, for evalplus.evaluate",
  export(form) {
    const { bundle, anchors, base } = form;
    const tasks = Object.entries(samplesByTask(anchors)).map(([dataset, ids]): readonly [Dataset, string[]] => {
      if (!isDataset(dataset)) throw unsupported(`${dataset} is none of EvalPlus's benchmarks, humaneval and mbpp`);
      return [dataset, ids.map((id) => taskId(dataset, id))];
    });
    const [file, logs] = [`${base}.evalplus.py`, `${base}.evalplus`];
    return {
      files: [[file, maker(form, new Map(tasks))]],
      extra: { tasks: Object.fromEntries(tasks) },
      run: {
        heading: "Run them (put in your model, and its backend for vllm):",
        commands: [
          `python ${quote(file)}`,
          ...tasks.map(
            ([dataset]) =>
              `${DATASETS[dataset].variable}=${quote(`${logs}.${dataset}.jsonl`)} evalplus.evaluate --model MODEL --dataset ${dataset} --backend vllm ${sampling(bundle, dataset)} --root ${quote(logs)}`,
          ),
        ],
        logs: quote(logs),
        notes: [],
      },
    };
  },
};

function isDataset(task: string): task is Dataset {
  return Object.hasOwn(DATASETS, task);
}

function taskId(dataset: Dataset, id: string | number): string {
  if (!/^(0|[1-9]\d*)$/.test(String(id)))
    throw unsupported(`${dataset}: tasks of EvalPlus have numbers, and ${id} is none`);
  return `${DATASETS[dataset].beginning}/${id}`;
}

function unsupported(message: string): AnchorEvalError {
  return new AnchorEvalError("unsupported", message);
}

/** The likeliest answer to each task, unless the runs that the bundle was fitted on drew several. */
function sampling(bundle: Bundle, dataset: Dataset): string {
  const epochs = fittedValue(bundle.manifest.protocol, "epochs", dataset) ?? 1;
  const temperature = fittedTemperature(bundle, dataset) ?? 0;
  return epochs === 1 && temperature === 0 ? "--greedy" : `--n_samples ${epochs} --temperature ${temperature}`;
}

/**
 * Writes, beside itself, the tasks' lines as the package's dataset has them, and in the folder of their results
 * `anchoreval.json`, by which {@link evalPlusLogs} knows the release that they are of.
 */
function maker({ bundle, form }: ExportedForm, tasks: ReadonlyMap<Dataset, readonly string[]>): string {
  const { benchmark, version } = bundle.manifest;
  const releases = [...tasks.keys()].flatMap((dataset) => {
    const release = fittedValue(bundle.manifest.protocol, "taskVersion", dataset);
    return typeof release === "string" ? [[dataset, release] as const] : [];
  });
  return `"""Makes EvalPlus's datasets of the tasks of ${benchmark} ${version}, form ${form}, alone.

The tasks and their tests are those of the installed package evalplus, line by line.
"""

import hashlib
import json
import os
import sys

# Whole datasets are what is read.
for variable in ("HUMANEVAL_OVERRIDE_PATH", "MBPP_OVERRIDE_PATH"):
    os.environ.pop(variable, None)

from evalplus.data import humaneval, mbpp

TASKS = ${JSON.stringify(Object.fromEntries(tasks), null, 4)}
# Digests of the datasets that the bundle's models were judged by.
RELEASES = ${JSON.stringify(Object.fromEntries(releases))}
PLACE = os.path.splitext(os.path.abspath(__file__))[0]
PATHS = {"humaneval": humaneval._ready_human_eval_plus_path, "mbpp": mbpp._ready_mbpp_plus_path}
VERSIONS = {"humaneval": humaneval.HUMANEVAL_PLUS_VERSION, "mbpp": mbpp.MBPP_PLUS_VERSION}


def digest(data):
    return hashlib.md5(data).hexdigest()


def make_part(dataset, tasks):
    with open(PATHS[dataset](), "rb") as file:
        whole = file.read()
    release = digest(whole)
    if RELEASES.get(dataset, release) != release:
        sys.exit(
            f"{dataset} of the installed evalplus is {VERSIONS[dataset]} ({release}), and the bundle's models were judged by "
            f"{RELEASES[dataset]}: install the evalplus that has it"
        )
    lines = {json.loads(line)["task_id"]: line for line in whole.split(b"\\n") if line.strip()}
    missing = [task for task in tasks if task not in lines]
    if missing:
        sys.exit(f"{dataset} {VERSIONS[dataset]} lacks {len(missing)} of {len(tasks)} tasks, such as {', '.join(missing[:5])}")
    chosen = set(tasks)
    part = b"".join(line + b"\\n" for task, line in lines.items() if task in chosen)
    return part, {"version": VERSIONS[dataset], "release": release, "hash": digest(part)}


def main():
    for dataset, tasks in TASKS.items():
        part, facts = make_part(dataset, tasks)
        with open(f"{PLACE}.{dataset}.jsonl", "wb") as file:
            file.write(part)
        os.makedirs(os.path.join(PLACE, dataset), exist_ok=True)
        with open(os.path.join(PLACE, dataset, "anchoreval.json"), "w", encoding="utf-8") as file:
            json.dump(facts, file)
        print(f"{PLACE}.{dataset}.jsonl: {len(tasks)} tasks of {dataset} {facts['version']}")


if __name__ == "__main__":
    main()
`;
}
