import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { BUNDLE_FILES, sha256Hex, SIGNATURE_FILE, type BundleFileName } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import { whyNotWritable } from "./writable-place.ts";

/**
 * Refuses a folder that a bundle can't be written to: one that holds anything else than a bundle, or lies in a place that
 * can't be written to.
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkBundleFolder(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new AnchorEvalError("invalid_option", `${folder} can't be written to: ${message}`, { cause: error });
  });
  const other = names.filter((name) => ![...BUNDLE_FILES, SIGNATURE_FILE].some((own) => own === name));
  if (other.length > 0)
    throw new AnchorEvalError(
      "invalid_option",
      `${folder} holds other files (${other.slice(0, 3).join(", ")}): choose an empty folder for --out`,
    );
  const why = await whyNotWritable(dirname(resolve(folder))); // it is written beside, then takes its place
  if (why !== null) throw new AnchorEvalError("invalid_option", `${folder} can't be written to: ${why}`);
}

/**
 * Writes a bundle whole or not at all: into a folder beside it, which then takes its place.
 * @returns the digest of what was replaced, where that was another bundle
 */
export async function writeBundleFolder(
  folder: string,
  files: ReadonlyMap<BundleFileName, Uint8Array>,
): Promise<string | null> {
  await checkBundleFolder(folder);
  const before = await readFile(join(folder, "manifest.json")).catch(() => null); // nothing, or broken: it makes way
  const target = resolve(folder);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true });
    for (const [name, bytes] of files) await writeFile(join(temporary, name), bytes);
    await rm(target, { recursive: true, force: true });
    await rename(temporary, target);
    return before && before.compare(files.get("manifest.json")!) !== 0 ? `sha256:${sha256Hex(before)}` : null;
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true }).catch(() => undefined); // what stopped the writing stops this
    throw new AnchorEvalError(
      "unavailable",
      `the bundle could not be written to ${folder}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Reads a bundle's files from its folder.
 * @throws AnchorEvalError `not_found` where no bundle is there
 */
export async function readBundleFolder(folder: string): Promise<Map<BundleFileName, Uint8Array>> {
  const files = new Map<BundleFileName, Uint8Array>();
  for (const name of BUNDLE_FILES) {
    try {
      files.set(name, new Uint8Array(await readFile(join(folder, name))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT")
        throw new AnchorEvalError("unavailable", `${join(folder, name)} could not be read`, { cause: error });
    }
  }
  if (!files.has("manifest.json"))
    throw new AnchorEvalError("not_found", `${folder} has no manifest.json: no bundle is there`);
  return files;
}
