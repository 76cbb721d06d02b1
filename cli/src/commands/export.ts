import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { replaceFiles } from "anchoreval/internal/node/out-folder";
import { EXPORTS } from "../../../features/cli-export.ts";
import type { ExportTarget } from "../bundles/export-target.ts";
import { inspectExport } from "../bundles/inspect-export.ts";
import { lmEvalExport } from "../bundles/lm-eval-export.ts";
import { type Command, given, option } from "../program/command.ts";
import { allAnchors, formAnchors } from "anchoreval/internal/logs/anchor-names";
import { ITEMS_OPTION, placeAnchors, quote, refuseOtherNumbers } from "../bundles/form-anchors.ts";
import { writing } from "../program/errors.ts";
import { BUNDLE_OPTION, readBundle } from "../bundles/open-bundle.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** By name, in the order of the help. */
const TARGET: Readonly<Record<string, ExportTarget>> = {
  "lm-eval": lmEvalExport,
  inspect: inspectExport,
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
      "task-files": option(
        "PLACE",
        "where the files of your own tasks are, if not where the logs say: their folder; of Inspect also one file",
      ),
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
    const target = lookUp(TARGET, to)!;
    if (target.runs !== true) options.refuse(["task-files"], `is for lm-eval and inspect, not for --to ${to}`);
    const byContent = `anchoreval run --bundle ${quote(place)} --form ${asked} --harness ${to}`;
    if (target.named !== true && items === undefined)
      refuseOtherNumbers(bundle, anchors, {
        harness: to,
        byContent: target.runs === true ? byContent : null,
        unchecked: target.unchecked === true,
      });
    const { files, extra, run } = target.export({
      ...{ bundle, place, form: asked, anchors, itemsGiven: items !== undefined, out, base },
      ...given({ taskFiles: options.text("task-files") }),
    });
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
