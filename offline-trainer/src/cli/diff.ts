import { loadBundle } from "anchoreval";
import { openBundle, type Command } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { versionItems } from "../extensions/versions/base.ts";
import { bundleChanges, compareItems, diffWords } from "../extensions/versions/compare-items.ts";
import { readItems } from "../matrix/items-file.ts";

/** `anchoreval diff`: what a new version's items mean for the old one's bundle. */
export const diffCommand: Command = {
  name: "diff",
  summary: "which items changed from a bundle to a new items file, which anchors they hit, and what still holds",
  positionals: "DIR|URL ITEMS",
  options: {},
  async run({ positionals, output, signal }) {
    const [place, file, ...more] = positionals;
    if (place === undefined || file === undefined || more.length > 0)
      throw new AnchorEvalError(
        "invalid_option",
        "diff takes a bundle and an items file: anchoreval diff BUNDLE ITEMS.jsonl",
      );
    const newer = await readItems(file);
    const source = openBundle(place);
    const bundle = await loadBundle(source, { signal });
    const anchors = [...bundle.scenarios.values()].flatMap((scenario) => [...scenario.anchors.values()]);
    const older = await versionItems(source, bundle, { signal });
    const changes = compareItems(older, newer);
    const meant = bundleChanges(bundle.manifest, anchors, older, newer, changes);
    if (output.json) {
      const ids = (items: readonly { readonly item_id: string }[]): string[] => items.map((item) => item.item_id);
      const pairs = (items: (typeof changes)["renamed"]): { from: string; to: string }[] =>
        items.map(({ from, to }) => ({ from: from.item_id, to: to.item_id }));
      output.document({
        benchmark: bundle.manifest.benchmark,
        version: bundle.manifest.version,
        digest: bundle.digest,
        unchanged: changes.unchanged.length,
        unchecked: ids(changes.unchecked),
        renamed: pairs(changes.renamed),
        changed: ids(changes.changed.map(({ to }) => to)),
        removed: ids(changes.removed),
        added: ids(changes.added),
        ...meant,
      });
    } else
      for (const line of diffWords({ bundle: place, items: file }, bundle.manifest, changes, meant)) output.line(line);
    return 0;
  },
};
