import type { BundleRef, Estimate } from "anchoreval";
import type { BundleReader } from "../bundles/bundle-reader.ts";

/** Adds to estimates of a yanked version that it is. */
export async function yankedWarning(bundles: BundleReader, ref: BundleRef): Promise<(estimate: Estimate) => Estimate> {
  const reason = await bundles.yankedBecause(ref);
  if (reason === null) return (estimate) => estimate;
  return (estimate) => ({
    ...estimate,
    warnings: [
      { code: "yanked_version", message: `version ${estimate.version} was taken back by its publisher: ${reason}` },
      ...estimate.warnings,
    ],
  });
}
