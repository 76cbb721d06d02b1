import { readBundleFile } from "../bundles/read-file.ts";
import type { Manifest } from "../core/bundle/manifest.ts";
import type { BundleFileName } from "../core/bundle/names.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";

export interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  readonly state: "ok" | "missing" | "damaged";
}

/** Reads every file of a bundle whole and compares it with the byte count and the digest that the manifest states. */
export async function checkFiles(
  source: BundleSource,
  manifest: Manifest,
  options: { signal?: AbortSignal } = {},
): Promise<CheckedFile[]> {
  const checked: CheckedFile[] = [];
  for (const { name, bytes } of manifest.files) {
    const state = await readBundleFile(source, manifest, name as BundleFileName, options).then(
      () => "ok" as const,
      (error: unknown) => {
        if (!(error instanceof AnchorEvalError && error.code === "bundle_corrupt")) throw error;
        return error.issues[0]?.code === "missing" ? ("missing" as const) : ("damaged" as const);
      },
    );
    checked.push({ name, bytes, state });
  }
  return checked;
}
