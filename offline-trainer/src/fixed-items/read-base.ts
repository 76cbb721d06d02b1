import { loadBundle } from "anchoreval";
import type { Bundle, BundleSource } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import { SCORE_LINKS, type ScoreLink } from "../calibrate/bank.ts";
import type { VersionItem } from "../diff/compare-items.ts";
import { versionItems } from "../diff/version-items.ts";

/** A published bundle, on whose scale another version's items are put. */
export interface BaseBundle {
  readonly bundle: Bundle;
  /** All items in parameter order, with the hashes that anchors have. */
  readonly items: readonly VersionItem[];
  /** How each bank's scores were calibrated, by bank. */
  readonly links: ReadonlyMap<string, ScoreLink>;
}

/**
 * Reads all of a bundle that a later version may keep.
 * @throws AnchorEvalError what {@link loadBundle} throws; `unsupported` for banks of other models than the 2PL
 */
export async function readBase(source: BundleSource, signal?: AbortSignal): Promise<BaseBundle> {
  const options = signal ? { signal } : {};
  const bundle = await loadBundle(source, options);
  const { manifest } = bundle;
  const other = manifest.banks.find(({ irtModel }) => irtModel !== "2pl" && irtModel !== "1pl");
  if (other)
    throw new AnchorEvalError(
      "unsupported",
      `${source.name}: ${other.id} was calibrated by ${other.irtModel}; only items without asymptotes can stand while others are put on their scale: fit anew, without --base`,
    );
  return {
    bundle,
    items: await versionItems(source, bundle, options),
    links: new Map(manifest.banks.map(({ id }) => [id, linkOf(manifest.fit, id)])),
  };
}

/** The link that a fit resolved; of a bundle that doesn't say, the one that binary scores have. */
function linkOf(fit: Readonly<Record<string, unknown>>, bank: string): ScoreLink {
  const links = fit["links"] as Readonly<Record<string, unknown>> | undefined;
  return SCORE_LINKS.find((link) => link === links?.[bank]) ?? "binarize";
}
