import { loadBundle } from "anchoreval";
import { versionItems } from "anchoreval-trainer/internal/features/versions/fit/base";
import {
  bundleChanges,
  compareItems,
  diffWords,
} from "anchoreval-trainer/internal/features/versions/fit/compare-items";
import { readItems } from "anchoreval-trainer/internal/matrix/items-file";
import { type Command, option } from "../../../cli/src/program/command.ts";
import { programWords } from "../../../cli/src/program/output.ts";
import { allAnchors } from "anchoreval/internal/logs/anchor-names";
import { openBundle } from "../../../cli/src/bundles/open-bundle.ts";

export const diffCommand: Command = {
  options: {
    Data: {
      bundle: option("BUNDLE", "the bundle of the older version", { required: true }),
      items: option("FILE", "the newer version's items, CSV or JSONL(.gz)", { required: true }),
    },
  },
  examples: [
    "diff --bundle bundles/quiz --items items-2.jsonl",
    "diff --bundle https://evals.example.com/v1/bundles/quiz/1.0.0 --items items-2.jsonl.gz --json",
  ],
  async run({ options, output, signal }) {
    const place = options.required("bundle");
    const file = options.required("items");
    const newer = await readItems(file);
    const source = openBundle(place);
    const bundle = await loadBundle(source, { signal });
    const anchors = allAnchors(bundle);
    const older = await versionItems(source, bundle, { signal });
    const changes = compareItems(older, newer);
    const meant = bundleChanges(bundle.manifest, anchors, older, newer, changes);
    const ids = (items: readonly { readonly item_id: string }[]): string[] => items.map((item) => item.item_id);
    const document = {
      benchmark: bundle.manifest.benchmark,
      version: bundle.manifest.version,
      digest: bundle.digest,
      unchanged: changes.unchanged.length,
      unchecked: ids(changes.unchecked),
      renamed: changes.renamed.map(({ from, to }) => ({ from: from.item_id, to: to.item_id })),
      changed: ids(changes.changed.map(({ to }) => to)),
      removed: ids(changes.removed),
      added: ids(changes.added),
      ...meant,
    };
    const words = diffWords(bundle.manifest, changes, meant).map(programWords);
    const isSame = changes.changed.length + changes.removed.length + changes.added.length === 0;
    output.result(document, isSame ? words : [...words, ...nextWords(place, file, bundle.manifest)]);
  },
};

/** How the next version is fitted. */
function nextWords(bundle: string, items: string, { benchmark, version }: { benchmark: string; version: string }) {
  return [
    "A bundle of the new items on this one's scale, its other anchors kept, from the answers to this version's items (RESPONSES) and those of a few models to the others (RERUN, if there are any):",
    `  anchoreval fit --base ${bundle} --responses RESPONSES --items ${items} --rerun RERUN --name ${benchmark}@${Number(version.split(".")[0]) + 1}.0.0 --out DIR`,
  ];
}
