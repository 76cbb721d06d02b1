import { dirname, join, resolve } from "node:path";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { samplesByTask } from "anchoreval/internal/logs/harness-arguments";
import { fittedValue } from "anchoreval/internal/logs/protocol";
import type { ExportTarget } from "../../cli/src/bundles/export-target.ts";
import { quote } from "../../cli/src/bundles/form-anchors.ts";

/** The one name of the file that `bfcl generate --run-ids` reads, in the folder that BFCL_PROJECT_ROOT names. */
const IDS = "test_case_ids_to_generate.json";

/** Entries that fill the memory before the questions of a scenario: first number and count; source: the data of bfcl-eval 2026.3.23. */
const FILLING: ReadonlyMap<string, readonly [first: number, count: number]> = new Map([
  ["customer", [0, 10]],
  ["healthcare", [10, 5]],
  ["finance", [15, 7]],
  ["student", [22, 10]],
  ["notetaker", [32, 5]],
]);

/** Version that the installed package asks: of version 3, categories of the same names may have other entries. */
const VERSION = "v4";

/** Entries of BFCL's categories alone, for `bfcl generate --run-ids` and `bfcl evaluate --partial-eval`. */
export const bfclExport: ExportTarget = {
  words: "test case ids by category, for bfcl's --run-ids",
  export({ bundle, anchors, base }) {
    const entries = samplesByTask(anchors.map(namedEntry));
    const categories = Object.keys(entries);
    const asked = Object.fromEntries(
      Object.entries(entries).map(([category, ids]) => {
        const texts = ids.map((id) => entryOf(category, id));
        return [category, [...memoryBefore(category, texts), ...texts]];
      }),
    );
    const folder = dirname(base);
    // A relative one is put before itself by bfcl generate, and results come to lie where bfcl evaluate doesn't look.
    const root = `BFCL_PROJECT_ROOT=${quote(resolve(folder))}`;
    const other = categories
      .map((category) => fittedValue(bundle.manifest.protocol, "taskVersion", category))
      .find(isOther);
    return {
      files: [[join(folder, IDS), `${JSON.stringify(asked, null, 2)}\n`]],
      extra: { entries },
      run: {
        heading: "Run them (put in your model, as bfcl models lists it):",
        commands: [
          `${root} bfcl generate --model MODEL --run-ids`,
          `${root} bfcl evaluate --model MODEL --test-category ${categories.join(",")} --partial-eval`,
        ],
        logs: quote(join(folder, "score")),
        notes: [
          `Keys are read from ${join(folder, ".env")}, or from the environment.`,
          ...(categories.some(isMemory)
            ? [
                "Of each scenario of memory the entries that fill it are in the file too, by the ids of bfcl-eval 2026.3.23: they aren't scored.",
              ]
            : []),
          ...(other === undefined
            ? []
            : [`The bundle is of BFCL ${other}: install a bfcl-eval of that version, as ids of others may be other entries.`]), // prettier-ignore
        ],
      },
    };
  },
};

/** An anchor with its category and entry; one without a doc_id may be called `CATEGORY/CATEGORY_…`, which is an entry's own id. */
function namedEntry(anchor: AnchorRecord): AnchorRecord {
  const [, task, id] = /^([a-z_]+)\/(\1_\d[\w-]*)$/.exec(anchor.item_id) ?? [];
  const isNamed = anchor.doc_id !== undefined || task === undefined || id === undefined;
  return isNamed ? anchor : { ...anchor, task, doc_id: id };
}

/** @throws AnchorEvalError `unsupported` for an item that isn't called as the category's entries are */
function entryOf(category: string, id: string | number): string {
  if (String(id).startsWith(`${category}_`)) return String(id);
  throw new AnchorEvalError(
    "unsupported",
    `${category}/${id} is no entry of BFCL, which are called by their category: ${category}_…`,
  );
}

function isOther(version: unknown): version is string {
  return typeof version === "string" && version !== VERSION;
}

function isMemory(category: string): boolean {
  return category.startsWith("memory_");
}

/** Entries that fill the memory of some questions' scenarios. @example memoryBefore("memory_kv", ["memory_kv_0-customer-0"])[0] // "memory_kv_prereq_0-customer-0" */
function memoryBefore(category: string, ids: readonly string[]): string[] {
  if (!isMemory(category)) return [];
  return [...FILLING].flatMap(([scenario, [first, count]]) =>
    ids.some((id) => id.includes(`-${scenario}-`))
      ? Array.from({ length: count }, (_, k) => `${category}_prereq_${first + k}-${scenario}-${k}`)
      : [],
  );
}
