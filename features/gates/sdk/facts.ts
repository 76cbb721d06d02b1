import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import type { BundleFact } from "../../../sdk/words/bundle-words.ts";
import { listed, percent } from "../../../sdk/words/figures.ts";
import { gateFormsPart } from "../core.ts";

/**
 * A bundle's forms for gates, and the items that they spare a check.
 * @returns none for a bundle without such forms
 * @throws AnchorEvalError `bundle_invalid` for damaged notes
 */
export function gateFacts(manifest: Manifest): BundleFact[] {
  const notes = Object.values(partOf(manifest, gateFormsPart) ?? {});
  if (notes.length === 0) return [];
  const mean = (of: "flips" | "variance"): number => notes.reduce((sum, note) => sum + note[of] / notes.length, 0);
  const sources = [...new Set(notes.map(({ by }) => by))].map((by) => `the ${by}`);
  // Of other models' flips it isn't known how far they are this model's.
  const areRepeats = notes.every(({ by }) => by === "repeats");
  const share = Math.round(100 * mean("variance"));
  const spared = areRepeats ? `; check finds a drop with about ${share} % of the items that even draws need` : "";
  const ids = manifest.forms.filter(({ selection }) => selection === "flips").map(({ id }) => id);
  return [
    {
      label: "gate forms",
      value: `${listed(ids)}, drawn by how often items flip: ${percent(mean("flips"))} of the answers do between two runs of one model, by ${listed(sources)}${spared}`,
    },
  ];
}
