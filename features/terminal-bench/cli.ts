import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { fittedValue } from "anchoreval/internal/logs/protocol";
import type { ExportTarget } from "../../cli/src/bundles/export-target.ts";
import { quote } from "../../cli/src/bundles/form-anchors.ts";

/** An agent that both programs have and that takes any model. */
const AGENT = "terminus-2";

/** A dataset as a program takes it. */
interface Dataset {
  readonly program: "tb" | "harbor";
  readonly name: string;
  readonly version: string | null;
  /** Of a package, whose tasks are called `ORGANIZATION/TASK`. */
  readonly isPackage: boolean;
}

interface Job {
  readonly file: string;
  readonly text: string;
  readonly command: string;
  /** The command by the file alone; null where the file is a list of tasks for people. */
  readonly byFile: string | null;
  readonly logs: string;
}

/** Tasks of Terminal-Bench alone: of version 1 by `tb run`, of later ones, and of other datasets, by Harbor. */
export const terminalBenchExport: ExportTarget = {
  words: "task ids, for tb's --task-id and harbor's --include-task-name",
  export({ bundle, anchors, base }) {
    const tasks = Object.entries(samplesByTask(anchors));
    const jobs = tasks.map(([task, ids]) => {
      const dataset = datasetOf(task, fittedValue(bundle.manifest.protocol, "taskVersion", task));
      const place = tasks.length === 1 ? base : `${base}.${task}`;
      return { dataset, job: (dataset.program === "tb" ? benchJob : harborJob)(dataset, ids.map(taskId), place) };
    });
    const unnamed = jobs.some(({ dataset }) => dataset.name === UNNAMED);
    return {
      files: jobs.map(({ job }) => [job.file, job.text]),
      extra: { tasks: Object.fromEntries(tasks) },
      run: {
        heading: `Run them (put in your model, and your agent for ${AGENT}):`,
        commands: jobs.map(({ job }) => job.command),
        logs: jobs.map(({ job }) => quote(job.logs)).join(" "),
        notes: [
          ...jobs.flatMap(({ job: { byFile } }) =>
            byFile === null ? [] : [`The same by a file, for any number of tasks: ${byFile}`],
          ),
          "More attempts make the estimate surer: the leaderboards ask for 5.",
          ...(unnamed
            ? [
                "The bundle doesn't say which dataset it is of: put it in, such as terminal-bench@2.0; tasks of terminal-bench-core are run by tb run --task-id.",
              ]
            : []),
        ],
      },
    };
  },
};

/** @throws AnchorEvalError `unsupported` for a number, which is a document's place in other harnesses */
function taskId(id: string | number): string {
  if (typeof id === "string") return id;
  throw new AnchorEvalError("unsupported", `an item is number ${id}: tasks of Terminal-Bench and Harbor have names`);
}

const UNNAMED = "DATASET";

/**
 * The dataset by its version as runs have it: `terminal-bench-core 0.1.1`, `terminal-bench 2.0`, and of packages, whose
 * organisation isn't among it, `terminal-bench-2-1` or `terminal-bench-2-1 sha256:…`.
 */
function datasetOf(task: string, version: unknown): Dataset {
  const [, name, number] = /^([\w.-]+)(?: (\S+))?$/.exec(typeof version === "string" ? version : "") ?? [];
  if (name === undefined || name === "local")
    return { program: "harbor", name: UNNAMED, version: null, isPackage: false };
  const isPackage = number === undefined || number.startsWith("sha256:");
  const organization = task === "terminal-bench" ? task : "ORGANIZATION";
  return {
    program: name.startsWith("terminal-bench-core") ? "tb" : "harbor",
    name: isPackage ? `${organization}/${name}` : name,
    version: number ?? null,
    isPackage,
  };
}

/** Names as patterns of names that match nothing else: both programs take them as such. */
function literal(name: string): string {
  return name.replaceAll(/[[*?]/g, "[$&]");
}

/** `tb run` of terminal-bench 0.2, which takes tasks by options. */
function benchJob({ name, version }: Dataset, ids: readonly string[], base: string): Job {
  const logs = `${base}.runs`;
  const tasks = ids.map((id) => `--task-id ${quote(literal(id))}`).join(" ");
  return {
    ...{ file: `${base}.tasks.txt`, text: ids.map((id) => `${id}\n`).join(""), logs },
    command: `tb run --dataset ${quote(`${name}==${version}`)} ${tasks} --n-attempts 1 --agent ${AGENT} --model MODEL --output-path ${quote(logs)}`,
    byFile: null,
  };
}

/** `harbor run` from 0.3 on, and a job file, which versions before it take too. */
function harborJob({ name, version, isPackage }: Dataset, ids: readonly string[], base: string): Job {
  const [file, logs] = [`${base}.harbor.json`, `${base}.jobs`];
  const task_names = ids.map((id) => `${isPackage ? "*/" : ""}${literal(id)}`);
  const dataset = { name, ...(version !== null && { [isPackage ? "ref" : "version"]: version }), task_names };
  const agent = `-a ${AGENT} -m MODEL`;
  return {
    ...{ file, logs },
    text: `${JSON.stringify({ jobs_dir: logs, n_attempts: 1, datasets: [dataset] }, null, 2)}\n`,
    command: `harbor run -d ${quote(name + (version === null ? "" : `@${version}`))} ${task_names.map((id) => `-i ${quote(id)}`).join(" ")} -k 1 ${agent} -o ${quote(logs)}`,
    byFile: `harbor run -c ${quote(file)} ${agent}`,
  };
}
