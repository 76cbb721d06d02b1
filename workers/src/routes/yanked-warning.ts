import type { BundleRef, EstimateWarning } from "anchoreval";
import type { BundleReader } from "../bundles/bundle-reader.ts";

/** A result that says which version it is of, and may carry warnings. */
interface Warned {
  readonly version: string;
  readonly warnings: readonly EstimateWarning[];
}

/** Adds to the results of a yanked version that it is. */
export async function yankedWarning(
  bundles: BundleReader,
  ref: BundleRef,
): Promise<<Result extends Warned>(result: Result) => Result> {
  const reason = await bundles.yankedBecause(ref);
  if (reason === null) return (result) => result;
  return (result) => ({
    ...result,
    warnings: [
      { code: "yanked_version", message: `version ${result.version} was taken back by its publisher: ${reason}` },
      ...result.warnings,
    ],
  });
}
