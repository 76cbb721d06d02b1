import { stat } from "node:fs/promises";
import type { Command } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { sweepBlobs } from "anchoreval/publish";
import { storeKind, withStore } from "./with-store.ts";

export const sweepCommand: Command = {
  name: "sweep",
  summary: "removes files that broken-off publications left: no manifest names them, and they are a day old",
  options: {
    to: {
      type: "string",
      value: "r2://BUCKET|hf://datasets/ORG/NAME|local|FOLDER",
      description: "where bundles are published; as for publish, keys stand in the environment",
    },
    "dry-run": { type: "boolean", description: "only list them" },
  },
  async run({ options, output, signal }) {
    const to = options.required("to");
    const dryRun = options.flag("dry-run");
    if (storeKind(to) === "folder" && !(await stat(to).catch(() => null))?.isDirectory())
      throw new AnchorEvalError("invalid_option", `--to ${to} is no folder: nothing is published there`);
    const result = await withStore(to, signal, (store) => sweepBlobs(store, { now: Date.now(), dryRun }));
    const { removed, kept, young, skipped } = result;
    if (skipped.length > 0)
      throw new AnchorEvalError(
        "bundle_invalid",
        `${removed.length} files were ${dryRun ? "found" : "removed"}; left alone, since a manifest can't be read: ${skipped.map(({ benchmark, reason }) => `${benchmark} (${reason})`).join(", ")}`,
      );
    if (output.json) output.document({ ...result, dryRun });
    else {
      for (const key of removed) output.line(key);
      output.line(
        `${removed.length} ${dryRun ? "would be removed" : "removed"}, ${kept} kept, ${young} of them only until they are a day old`,
      );
    }
    return 0;
  },
};
