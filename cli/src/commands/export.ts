import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import {
  inspectArguments,
  lmEvalArguments,
  lmEvalDocumentList,
  samplesByTask,
} from "anchoreval/internal/logs/harness-arguments";
import { type Command, option } from "../command.ts";
import { allAnchors, formAnchors, ITEMS_OPTION, placeAnchors, quote } from "../form-anchors.ts";
import { readBundle } from "../open-bundle.ts";

const TARGETS = ["lm-eval", "inspect", "helm", "opencompass", "ids"] as const;

export const exportCommand: Command = {
  options: {
    Data: {
      bundle: option("BUNDLE", "the bundle: a folder, an address, or a name (anchoreval bundles)", { required: true }),
      form: option("ID", "form to export (default: the bundle's default form)"),
      ...ITEMS_OPTION,
    },
    Output: {
      to: option(
        "TARGET",
        "lm-eval: a document list for lm_eval --samples; inspect: ids for inspect eval --sample-id; helm: instance ids by run; opencompass: numbers by dataset; ids: plain item ids",
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
    const { ending, text, extra, run } = TARGET[to](bundle, anchors, base);
    const file = `${base}${ending}`;
    await write(out, file, text);

    const made = { form: asked, items: anchors.length, file, ...extra };
    const summary = `${file}: ${anchors.length} items of form ${asked}`;
    if (!run || run.commands.length === 0) {
      output.result(made, [summary]);
      return;
    }
    const { heading, commands, logs, notes } = run;
    const next = `anchoreval estimate --bundle ${quote(place)} --form ${asked} --from ${to}${items === undefined ? "" : ` --items ${quote(items)}`} ${logs}`;
    const steps = [heading, ...commands.map((command) => `  ${command}`), "Then:", `  ${next}`, ...notes];
    output.result({ ...made, next, notes }, [summary, "", ...steps]);
  },
};

/** A form for a harness: the file to write, what runs it, and what to know. */
interface Exported {
  readonly ending: string;
  readonly text: string;
  /** Further fields of the JSON. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The commands that run them, and where they put their logs. */
  readonly run?: {
    readonly heading: string;
    readonly commands: readonly string[];
    readonly logs: string;
    readonly notes: readonly string[];
  };
}

const TARGET: Readonly<
  Record<(typeof TARGETS)[number], (bundle: Bundle, anchors: readonly AnchorRecord[], base: string) => Exported>
> = {
  "lm-eval": (bundle, anchors, base) => {
    const ending = ".samples.json";
    const documents = lmEvalDocumentList(anchors);
    const command = lmEvalCommand(bundle, documents, `${base}${ending}`);
    return {
      ending,
      text: `${JSON.stringify(documents)}\n`,
      extra: { documents, command },
      run: {
        heading: "Run them (lm-eval 0.4.9 or later; put in your model):",
        commands: [command],
        logs: "anchors/MODEL",
        notes: fewShotNotes(bundle),
      },
    };
  },
  inspect: (_, anchors) => {
    const samples = samplesByTask(anchors);
    const commands = Object.entries(samples).map(([task, ids]) =>
      ["inspect", ...inspectArguments(task, ids, "anchors").map(quote), "--model PROVIDER/MODEL"].join(" "),
    );
    return {
      ending: ".inspect.json",
      text: `${JSON.stringify(samples)}\n`,
      extra: { samples, commands },
      run: {
        heading: "Run them (put in your model, and each task's file or package where its name alone isn't found):",
        commands,
        logs: "anchors",
        notes: [],
      },
    };
  },
  helm: (_, anchors) => listByTask(anchors, ".helm.json", "instances"),
  opencompass: (_, anchors) => listByTask(anchors, ".opencompass.json", "samples"),
  ids: (_, anchors) => ({ ending: ".ids.txt", text: anchors.map((anchor) => `${anchor.item_id}\n`).join("") }),
};

/** For a harness that has no option for single samples: a list by task, for what the user builds of it. */
function listByTask(anchors: readonly AnchorRecord[], ending: string, name: string): Exported {
  const samples = samplesByTask(anchors);
  return { ending, text: `${JSON.stringify(samples)}\n`, extra: { [name]: samples } };
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

async function write(folder: string, file: string, text: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, text);
  } catch (cause) {
    throw new AnchorEvalError("unavailable", `${file} could not be written`, { cause });
  }
}
