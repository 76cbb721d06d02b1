import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { lookUp } from "anchoreval/internal/core/bundle/names";
import { namedAnchors } from "anchoreval/internal/logs/anchor-names";
import { lmEvalArguments, lmEvalDocumentList, samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { fittedCall } from "anchoreval/internal/logs/protocol";
import { placedFolder } from "anchoreval/internal/node/shipped-bundles";
import type { Exported, ExportedForm, ExportTarget } from "./export-target.ts";
import { quote } from "./form-anchors.ts";

/** A list for `--samples`, where documents are known by their places, and a task that finds them by itself. */
export const lmEvalExport: ExportTarget = {
  runs: true,
  words: "a document list for lm_eval --samples, and a task that shows the estimate in its table",
  export: exportLmEval,
};

function exportLmEval(asked: ExportedForm): Exported {
  const { bundle, place, form, anchors: records, itemsGiven, out, base } = asked;
  const { anchors, fields } = namedAnchors(records, itemsGiven ? null : bundle);
  // Documents that are known by a field have no places that a list could name.
  const documents = fields.size === 0 ? lmEvalDocumentList(anchors) : null;
  const { include, notes } = tasksFolder(asked, [...new Set(anchors.flatMap(({ task }) => task ?? []))]);
  const task = anchoredTask(bundle, { place, form, anchors, fields, folder: resolve(out), include });
  const file = join(out, `${task.name}.yaml`);
  const chat = bundle.manifest.protocol["chatTemplate"] === true ? " --apply_chat_template" : "";
  const tableCommand = `lm_eval --model hf --model_args pretrained=MODEL --tasks ${task.name} --include_path ${quote(out)}${chat}`;
  const needs = "with the Python package anchoreval beside lm_eval, whose own table then has the score";
  const list = `${base}.samples.json`;
  const command = documents && lmEvalCommand(bundle, documents, { list, include });
  return {
    files: [...(documents ? [[list, `${JSON.stringify(documents)}\n`] as const] : []), [file, task.text]],
    extra: { ...(documents && { documents, command }), task: task.name, taskFile: file, tableCommand },
    run: {
      heading: "Run them (lm-eval 0.4.9 or later; put in your model):",
      commands: command === null ? [] : [command],
      logs: "anchors/MODEL",
      notes: [...notes, ...fewShotNotes(bundle)],
      table: {
        heading: command === null ? `Run them ${needs} (put in your model):` : `Or ${needs}:`,
        command: tableCommand,
      },
    },
  };
}

/** lm-evaluation-harness from 0.4.12 on: its logs name the files of tasks. */
const NAMES_FILES = /^(?:0\.4\.(?:1[2-9]|[2-9]\d)|0\.[5-9]|[1-9])/;

/** The folder of tasks of one's own, for `--include_path`: null where there are none, or nothing says where they are. */
function tasksFolder(
  { bundle, taskFiles }: ExportedForm,
  tasks: readonly string[],
): { readonly include: string | null; readonly notes: readonly string[] } {
  const { protocol } = bundle.manifest;
  const folders = tasks.flatMap((task) => fittedCall(protocol, "lm-eval", task)?.slice(1, 2) ?? []);
  const [first, ...others] = taskFiles === undefined ? folders : [taskFiles];
  if (first === undefined) {
    const isTold = protocol["harness"] !== "lm-eval" || NAMES_FILES.test(String(protocol["harnessVersion"]));
    return {
      include: null,
      notes: isTold ? [] : ["The logs don't say where the tasks' files are, as lm-eval does from 0.4.12 on: of tasks of your own name the folder by --task-files."], // prettier-ignore
    };
  }
  const include = commonFolder(first, others);
  return {
    include,
    notes: existsSync(include) ? [] : [`${include}, the folder of the tasks' files, isn't here: start lm_eval where the models' runs were started, or name the folder by --task-files.`], // prettier-ignore
  };
}

/** The deepest folder that some lie in. */
function commonFolder(first: string, others: readonly string[]): string {
  if (others.every((other) => other === first)) return first;
  const [parts, ...more] = [first, ...others].map((folder) => resolve(folder).split(sep));
  const end = parts!.findIndex((part, at) => more.some((other) => other[at] !== part));
  return relative("", join(sep, ...parts!.slice(0, end < 0 ? undefined : end))) || ".";
}

/** Notes on few-shot examples, which the command can't set alone. */
function fewShotNotes({ manifest: { protocol } }: Bundle): string[] {
  const byTask = Object.entries(protocol).filter(([key]) => key.startsWith("shots/"));
  const notes: string[] = [];
  if (byTask.length > 0)
    notes.push(
      `Few-shot examples differ by task (${byTask.map(([key, shots]) => `${key.slice("shots/".length)} ${String(shots)}`).join(", ")}): set num_fewshot in the tasks where these are not their own.`,
    );
  if (byTask.some(([, shots]) => shots !== 0) || (protocol.shots !== undefined && protocol.shots !== 0))
    notes.push(
      "lm-eval draws few-shot examples anew for each document in turn, so in a run of some documents they differ from a full run's, unless the task takes the first ones (sampler: first_n).",
    );
  return notes;
}

function lmEvalCommand(
  bundle: Bundle,
  documents: ReturnType<typeof lmEvalDocumentList>,
  { list, include }: { readonly list: string; readonly include: string | null },
): string {
  const { shots, chatTemplate } = bundle.manifest.protocol;
  const fixed = lmEvalArguments(documents, {
    ...{ file: list, include },
    logs: "anchors", // beside the folder of the runs that a bundle was fitted on
    ...(typeof shots === "number" && { shots }),
    ...(typeof chatTemplate === "boolean" && { chatTemplate }),
  });
  return ["lm_eval --model hf --model_args pretrained=MODEL", ...fixed.map(quote)].join(" ");
}

/** A task of lm-evaluation-harness by the Python package: python/src/anchoreval/lm_eval.py reads the file. */
interface AnchoredTaskFile {
  readonly name: string;
  readonly text: string;
}

/**
 * A form's anchors as a task of lm-evaluation-harness, in YAML.
 * @param place - the bundle's, as `--bundle` takes it
 * @param anchors - those of the form, by what the harness finds them by
 * @param fields - of tasks whose documents are named by a field of theirs: that field
 * @param folder - where the file will lie: the folders of the bundle and of tasks of one's own are named as seen from there
 * @param include - the latter
 * @throws AnchorEvalError `unsupported` where anchors name no task and document
 */
function anchoredTask(
  { manifest, digest }: Bundle,
  {
    place,
    form,
    anchors,
    fields,
    folder,
    include,
  }: {
    readonly place: string;
    readonly form: string;
    readonly anchors: readonly AnchorRecord[];
    readonly fields: ReadonlyMap<string, string>;
    readonly folder: string;
    readonly include: string | null;
  },
): AnchoredTaskFile {
  const { benchmark, version, protocol } = manifest;
  const name = `${benchmark.replaceAll(/\W/g, "_")}_anchored`;
  const shots = (task?: string): string[] => {
    const number = lookUp(protocol, task === undefined ? "shots" : `shots/${task}`);
    return typeof number === "number" ? [`num_fewshot: ${number}`] : [];
  };
  const lines = [
    `# The ${anchors.length} anchors of ${benchmark} ${version}, form ${form}, as a task of lm-evaluation-harness, by the Python package anchoreval.`,
    `# What else a task may set (num_fewshot, generation_kwargs, …) is set for all tasks below.`,
    `task: ${name}`,
    "class: !function anchoreval.lm_eval.AnchoredTask",
    ...shots(),
    "metadata:",
    `  version: ${text(version)}`,
    "  anchoreval:",
    `    bundle: ${text(placeSeenFrom(folder, place, `${benchmark}@${version}`))}`,
    `    digest: ${text(digest)}`,
    `    form: ${text(form)}`,
    ...(include === null ? [] : [`    folder: ${text(pathFrom(folder, include))}`]),
    "    tasks:",
  ];
  for (const task of Object.keys(samplesByTask(anchors))) {
    const field = fields.get(task);
    lines.push(`      ${text(task)}:`);
    if (field !== undefined) lines.push(`        field: ${text(field)}`);
    lines.push(...shots(task).map((line) => `        ${line}`), "        items:");
    for (const anchor of anchors)
      if (anchor.task === task) lines.push(`          - [${text(anchor.item_id)}, ${text(anchor.doc_id!)}]`);
  }
  return { name, text: `${lines.join("\n")}\n` };
}

/** A scalar: JSON is YAML. */
function text(value: string | number): string {
  return JSON.stringify(value);
}

/** An address and a bundle's name stay what they are; a folder is `./…` or `../…`. A pinned digest stays pinned. */
function placeSeenFrom(folder: string, place: string, named: string): string {
  const [plain = "", digest] = place.split(/(?=#sha256:)/);
  const local = placedFolder(plain);
  if (local === null) return place;
  const pin = digest ?? "";
  if (local !== plain && !plain.startsWith("file:")) return named + pin;
  return pathFrom(folder, plain.startsWith("file:") ? fileURLToPath(plain) : plain) + pin;
}

function pathFrom(folder: string, place: string): string {
  const path = relative(folder, resolve(place)).split(sep).join("/");
  return path.startsWith(".") || /^[a-z]:/i.test(path) ? path : `./${path}`;
}
