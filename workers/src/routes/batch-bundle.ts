import type { BundleRef } from "anchoreval";
import type { BatchBundle } from "../batch/estimate-model.ts";
import type { BundleReader } from "../bundles/bundle-reader.ts";
import { yankedWarning } from "./yanked-warning.ts";

/** What the models of a batch are estimated with. */
export async function batchBundle(bundles: BundleReader, ref: BundleRef): Promise<BatchBundle> {
  const [bundle, warned] = await Promise.all([bundles.bundle(ref), yankedWarning(bundles, ref)]);
  return { bundle, warned };
}
