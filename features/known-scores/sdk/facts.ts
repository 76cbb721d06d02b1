import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import type { BundleFact } from "../../../sdk/words/bundle-words.ts";
import { counted } from "../../../sdk/words/figures.ts";
import { knownScoresPlace } from "../core.ts";

/** The benchmarks that a model's score on makes its estimate surer. */
export function knownScoreFacts(manifest: Manifest): BundleFact[] {
  const noted = Object.entries(partOf(manifest, knownScoresPlace) ?? {});
  if (noted.length === 0) return [];
  const models = noted.map(([name, { overall, scenarios }]) => {
    const most = Math.max(...[overall, ...Object.values(scenarios)].map((line) => line?.models ?? 0));
    return `${name} (${counted(most, "model")})`;
  });
  return [{ label: "known scores", value: models.join(", ") }];
}
