import type { Manifest } from "../../sdk/core/bundle/manifest.ts";
import type { BundleFact } from "../../sdk/words/bundle-words.ts";
import { points } from "../../sdk/words/figures.ts";

/** That scores are on items that a bundle doesn't have, and how well its own tell them: a sentence a scenario, and one for all. */
export function fullScoreWords({ scenarios }: Pick<Manifest, "scenarios">): string[] {
  const lines = scenarios.flatMap(({ id, items, fullScore }) =>
    fullScore === undefined
      ? []
      : `${id}: all ${items} items of the bundle leave ± ${points(1.96 * fullScore.error)} points open (95 %, ${fullScore.models} models).`,
  );
  if (lines.length === 0) return [];
  return [
    "Scores are on items that the bundle doesn't have, as source models were given them: none is ever exact.",
    ...lines,
  ];
}

/** The same as facts. */
export function fullScoreFacts(manifest: Manifest): BundleFact[] {
  return fullScoreWords(manifest).map((value, k) => ({ label: k === 0 ? "full scores" : "", value }));
}
