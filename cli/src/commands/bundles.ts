import { parseManifest } from "anchoreval/bundle";
import { readManifest } from "anchoreval/internal/bundles/read-file";
import { formTotals, itemTotal, measuredScenarios } from "anchoreval/internal/charts/measured-forms";
import type { Manifest } from "anchoreval/internal/core/bundle/manifest";
import { estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { folderSource } from "anchoreval/internal/node/folder";
import { shippedBundles } from "anchoreval/internal/node/shipped-bundles";
import { points, textTable } from "anchoreval/internal/words/figures";
import type { Command } from "../command.ts";

/** Items of the form whose error is listed. */
const LISTED_ITEMS = 50;

export const bundlesCommand: Command = {
  options: {},
  examples: ["bundles", "bundles --json"],
  run: async ({ output, signal }) => {
    const bundles = await Promise.all(
      shippedBundles().map(async ({ folder }) => {
        const { bytes, digest } = await readManifest(folderSource(folder), { signal });
        return listing(parseManifest(bytes), digest);
      }),
    );
    const rows = bundles.map((own) => [
      `${own.benchmark}@${own.version}`,
      String(own.items),
      String(own.models),
      own.note ?? "",
      own.error === null ? "–" : points(own.error),
      own.description ?? "",
    ]);
    output.result(bundles, [
      ...textTable([["bundle", "items", "models", "", `error at ${LISTED_ITEMS} items`, ""], ...rows], "lrrlrl"),
      "",
      "--bundle takes these names; anchoreval show NAME has who measured them, and what an item id is.",
    ]);
  },
};

/** What a bundle's line says: the error is the overall score's, of models like those seen, as a fraction. */
function listing(manifest: Manifest, digest: string) {
  const { benchmark, version, description, sources } = manifest;
  const listed = measuredScenarios(manifest)[0]!.forms.find(({ form }) => formTotals(form).items === LISTED_ITEMS);
  const measured = listed?.measured?.interpolation;
  return {
    ...{ benchmark, version, digest, description },
    scenarios: manifest.scenarios.map(({ id }) => id),
    items: itemTotal(manifest),
    models: sources.models,
    note: sources.note,
    error: listed && measured ? estimatorFigure(measured.estimators, listed.form.estimator).mae : null,
  };
}
