import type { Bundle, BundleRef } from "anchoreval";
import type { BundleReader } from "../bundles/bundle-reader.ts";
import { yankedWarning } from "./yanked-warning.ts";

/** A bundle, and what adds to its results that its version was taken back. */
export async function warnedBundle(
  bundles: BundleReader,
  ref: BundleRef,
): Promise<{ readonly bundle: Bundle; readonly warned: Awaited<ReturnType<typeof yankedWarning>> }> {
  const [bundle, warned] = await Promise.all([bundles.bundle(ref), yankedWarning(bundles, ref)]);
  return { bundle, warned };
}
