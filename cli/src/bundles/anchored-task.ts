import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { placedFolder } from "anchoreval/internal/node/shipped-bundles";
import { samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { lookUp } from "anchoreval/internal/core/bundle/names";

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
export function anchoredTask(
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
