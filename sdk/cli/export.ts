import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadBundle } from "../bundles/load-bundle.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import type { AnchorRecord } from "../core/bundle/manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { lmEvalArguments, lmEvalDocumentList } from "../export/lm-eval-samples.ts";
import type { Command } from "./command.ts";
import { openBundle } from "./open-bundle.ts";

/** `anchoreval export`: what makes a harness run only a form's anchors. */
export const exportCommand: Command = {
  name: "export",
  summary: "what makes a harness run only the anchors",
  options: {
    bundle: { type: "string", value: "DIR|URL", description: "the bundle" },
    form: { type: "string", value: "ID", description: "the form; else the bundle's default" },
    to: {
      type: "string",
      value: "lm-eval|ids",
      description: "a document list for lm_eval --samples, or plain item ids",
    },
    out: { type: "string", value: "DIR", description: "the folder for the files" },
  },
  run: async ({ options, output, signal }) => {
    const place = options.required("bundle");
    const out = options.required("out");
    options.required("to");
    const to = options.oneOf("to", ["lm-eval", "ids"], "lm-eval");
    const form = options.text("form");
    const bundle = await loadBundle(openBundle(place), { signal, ...(form !== undefined && { form }) });
    const asked = form ?? bundle.manifest.defaultForm;
    const anchors = formAnchors(bundle, asked);
    const name = `${bundle.manifest.benchmark}-${bundle.manifest.version}-${asked}`;
    const file = join(out, to === "lm-eval" ? `${name}.samples.json` : `${name}.ids.txt`);
    const list = to === "lm-eval" ? lmEvalDocumentList(anchors) : null;
    const text = list ? `${JSON.stringify(list)}\n` : anchors.map((anchor) => `${anchor.item_id}\n`).join("");
    await write(out, file, text);

    const command = list && lmEvalCommand(bundle, list, file);
    const next = list && `anchoreval estimate --bundle ${quote(place)} --form ${asked} --from lm-eval logs/MODEL`;
    const notes = list ? fewShotNotes(bundle) : [];
    if (output.json) {
      output.document({
        form: asked,
        items: anchors.length,
        file,
        ...(list && { documents: list, command, next, notes }),
      });
      return 0;
    }
    output.line(`${file}: ${anchors.length} items of form ${asked}`);
    if (!list) return 0;
    output.line();
    output.line("Run them (lm-eval 0.4.9 or later; put in your model):");
    output.line(`  ${command!}`);
    output.line("Then:");
    output.line(`  ${next!}`);
    for (const note of notes) output.line(note);
    return 0;
  },
};

function formAnchors(bundle: Bundle, form: string): AnchorRecord[] {
  return [...bundle.scenarios.values()].flatMap((scenario) =>
    [...scenario.anchors.values()].filter((anchor) => anchor.forms.includes(form)),
  );
}

/** What to know where prompts hold examples: the command can't set it all. */
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
    ...(typeof shots === "number" && { shots }),
    ...(typeof chatTemplate === "boolean" && { chatTemplate }),
  });
  return ["lm_eval --model hf --model_args pretrained=MODEL", ...fixed.map(quote)].join(" ");
}

/** An argument as a shell takes it. */
function quote(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

async function write(folder: string, file: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, text);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `${file} could not be written`, { cause });
  }
}
