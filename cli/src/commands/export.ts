import { writeFile } from "node:fs/promises";
import { basename, join, resolve, relative, sep } from "node:path";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import {
  inspectArguments,
  lmEvalArguments,
  lmEvalDocumentList,
  samplesByTask,
} from "anchoreval/internal/logs/harness-arguments";
import { replaceFiles } from "anchoreval/internal/node/out-folder";
import { EXPORTS } from "../../../features/cli-export.ts";
import type { Exported, ExportedForm, ExportTarget } from "../bundles/export-target.ts";
import { type Command, option } from "../program/command.ts";
import { allAnchors, formAnchors, namedAnchors } from "anchoreval/internal/logs/anchor-names";
import { ITEMS_OPTION, placeAnchors, quote, refuseOtherNumbers } from "../bundles/form-anchors.ts";
import { writing } from "../program/errors.ts";
import { BUNDLE_OPTION, readBundle } from "../bundles/open-bundle.ts";
import { fileURLToPath } from "node:url";
import { placedFolder } from "anchoreval/internal/node/shipped-bundles";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** By name, in the order of the help. */
const TARGET: Readonly<Record<string, ExportTarget>> = {
  "lm-eval": {
    words: "a document list for lm_eval --samples, and a task that shows the estimate in its table",
    export: exportLmEval,
  },
  inspect: { words: "ids for inspect eval --sample-id", unchecked: true, export: exportInspect },
  ...EXPORTS,
  ids: {
    words: "plain item ids",
    named: true,
    export: ({ anchors, base }) => ({
      files: [[`${base}.ids.txt`, anchors.map((anchor) => `${anchor.item_id}\n`).join("")]],
    }),
  },
};

const TARGETS = Object.keys(TARGET);

export const exportCommand: Command = {
  options: {
    Data: {
      ...BUNDLE_OPTION,
      form: option("ID", "form to export (default: the bundle's default form)"),
      ...ITEMS_OPTION,
    },
    Output: {
      to: option(
        "TARGET",
        Object.entries(TARGET)
          .map(([name, { words }]) => `${name}: ${words}`)
          .join("; "),
        { choices: TARGETS, required: true },
      ),
      out: option("DIR", "folder for the files", { required: true }),
    },
  },
  examples: [
    "export --bundle bundles/quiz --to lm-eval --out anchors",
    "export --bundle bundles/quiz --form 100 --to ids --out anchors",
  ],
  run: async ({ options, output, signal }) => {
    const place = options.required("bundle");
    const out = options.required("out");
    options.required("to");
    const to = options.oneOf("to", TARGETS, "lm-eval");
    const bundle = await readBundle(options, signal);
    const asked = options.text("form") ?? bundle.manifest.defaultForm;
    const items = options.text("items");
    const anchors = formAnchors(await placeAnchors(allAnchors(bundle), items), asked);
    const base = join(out, `${bundle.manifest.benchmark}-${bundle.manifest.version}-${asked}`);
    const form = { bundle, place, form: asked, anchors, itemsGiven: items !== undefined, out, base };
    const target = lookUp(TARGET, to)!;
    if (target.named !== true && items === undefined)
      refuseOtherNumbers(bundle, anchors, { harness: to, byContent: false, unchecked: target.unchecked === true });
    const { files, extra, run } = target.export(form);
    await writing(out, () =>
      replaceFiles(out, async (draft) => {
        for (const [file, text] of files) await writeFile(join(draft, basename(file)), text);
      }),
    );

    const names = files.map(([file]) => file);
    const made = { form: asked, items: anchors.length, file: names[0]!, ...extra };
    const summary = `${names.join(", ")}: ${anchors.length} items of form ${asked}`;
    if (!run) {
      output.result(made, [summary]);
      return;
    }
    const { heading, commands, logs, notes, table } = run;
    const named = items === undefined ? "" : ` --items ${quote(items)}`;
    const next = `anchoreval estimate --bundle ${quote(place)} --form ${asked} --from ${to}${named} ${logs}`;
    const steps = [
      ...(commands.length === 0 ? [] : [heading, ...commands.map((command) => `  ${command}`), "Then:", `  ${next}`]),
      ...(table === undefined ? [] : [table.heading, `  ${table.command}`]),
      ...notes,
    ];
    output.result({ ...made, ...(commands.length > 0 && { next }), notes }, [summary, "", ...steps]);
  },
};

function exportInspect({ anchors, base }: ExportedForm): Exported {
  const samples = samplesByTask(anchors);
  const commands = Object.entries(samples).map(([task, ids]) =>
    ["inspect", ...inspectArguments(task, ids, "anchors").map(quote), "--model PROVIDER/MODEL"].join(" "),
  );
  return {
    files: [[`${base}.inspect.json`, `${JSON.stringify(samples)}\n`]],
    extra: { samples, commands },
    run: {
      heading: "Run them (put in your model, and each task's file or package where its name alone isn't found):",
      commands,
      logs: "anchors",
      notes: [],
    },
  };
}

/** A list for `--samples`, where documents are known by their places, and a task that finds them by itself. */
function exportLmEval({ bundle, place, form, anchors: records, itemsGiven, out, base }: ExportedForm): Exported {
  const { anchors, fields } = namedAnchors(records, itemsGiven ? null : bundle);
  // Documents that are known by a field have no places that a list could name.
  const documents = fields.size === 0 ? lmEvalDocumentList(anchors) : null;
  const task = anchoredTask(bundle, { place, form, anchors, fields, folder: resolve(out) });
  const file = join(out, `${task.name}.yaml`);
  const chat = bundle.manifest.protocol["chatTemplate"] === true ? " --apply_chat_template" : "";
  const tableCommand = `lm_eval --model hf --model_args pretrained=MODEL --tasks ${task.name} --include_path ${quote(out)}${chat}`;
  const needs = "with the Python package anchoreval beside lm_eval, whose own table then has the score";
  const list = `${base}.samples.json`;
  const command = documents && lmEvalCommand(bundle, documents, list);
  return {
    files: [...(documents ? [[list, `${JSON.stringify(documents)}\n`] as const] : []), [file, task.text]],
    extra: { ...(documents && { documents, command }), task: task.name, taskFile: file, tableCommand },
    run: {
      heading: "Run them (lm-eval 0.4.9 or later; put in your model):",
      commands: command === null ? [] : [command],
      logs: "anchors/MODEL",
      notes: fewShotNotes(bundle),
      table: {
        heading: command === null ? `Run them ${needs} (put in your model):` : `Or ${needs}:`,
        command: tableCommand,
      },
    },
  };
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

function lmEvalCommand(bundle: Bundle, list: ReturnType<typeof lmEvalDocumentList>, file: string): string {
  const { shots, chatTemplate } = bundle.manifest.protocol;
  const fixed = lmEvalArguments(list, {
    file,
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
 * @param folder - where the file will lie: a bundle's folder is named as seen from there
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
  }: {
    readonly place: string;
    readonly form: string;
    readonly anchors: readonly AnchorRecord[];
    readonly fields: ReadonlyMap<string, string>;
    readonly folder: string;
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
  const path = relative(folder, resolve(plain.startsWith("file:") ? fileURLToPath(plain) : plain))
    .split(sep)
    .join("/");
  return (path.startsWith(".") || /^[a-z]:/i.test(path) ? path : `./${path}`) + pin;
}
