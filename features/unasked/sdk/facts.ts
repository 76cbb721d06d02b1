import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import type { BundleFact } from "../../../sdk/words/bundle-words.ts";
import { points } from "../../../sdk/words/figures.ts";
import { unaskedPlace } from "../core.ts";

/**
 * How much predictions of scenarios that aren't asked err, by the default form: the mean absolute error on held-out models,
 * in points.
 * @returns none for a bundle that predicts no scenarios
 * @example unaskedFacts(bundle.manifest)[0]?.label // "unasked scenarios"
 */
export function unaskedFacts(manifest: Manifest): BundleFact[] {
  const { defaultForm } = manifest;
  const unasked = partOf(manifest, unaskedPlace);
  const measured = Object.entries(lookUp(unasked?.forms, defaultForm) ?? {});
  if (measured.length === 0) return [];
  const errors = measured.map(([id, { mae }]) => `${id} ${points(mae)}`).join(", ");
  return [
    {
      label: "unasked scenarios",
      value: `predicted from the others; typical error, form ${defaultForm}: ${errors}`,
    },
  ];
}
