import { readdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseManifest } from "../bundles/parse-manifest.ts";
import { sha256Hex } from "../core/bundle/digest.ts";
import { BUNDLE_FILES, type BundleFileName } from "../core/bundle/names.ts";
import { SIGNATURE_FILE } from "../core/bundle/signature.ts";
import { AnchorEvalError, invalidOption } from "../core/errors.ts";
import { mostBytes } from "../bundles/read-file.ts";
import { isBeingReplaced, makeDraft, replaceFiles, settleFolder } from "./out-folder.ts";
import { readFound } from "./whole-file.ts";
import { existing, whyNot } from "./write-file.ts";

/** Which bundle is written, and whether it may replace anything. */
interface ReplaceOptions {
  /** The bundle that is written: another version of itself makes way. */
  readonly benchmark: string;
  readonly version: string;
  /** Replaces whatever is there. @default false */
  readonly force?: boolean;
}

/**
 * Refuses a folder that a bundle can't be written to without losing something: one that holds another benchmark's bundle,
 * another version, a bundle that can't be read, or anything else; or one in a place that can't be written to.
 * @throws AnchorEvalError `invalid_option`
 */
export async function checkBundleFolder(
  folder: string,
  { benchmark, version, force = false }: ReplaceOptions,
): Promise<void> {
  const refused = (why: string): AnchorEvalError =>
    invalidOption(`${folder} holds ${why}: choose another, or replace it by \`force\``);
  await settleFolder(folder);
  const all = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw invalidOption(`${folder} can't be written to: ${whyNot(error)}`, error);
  });
  const names = all.filter((name) => !isBeingReplaced(name));
  if (!force && names.length > 0) {
    const other = names.filter((name) => ![...BUNDLE_FILES, SIGNATURE_FILE].some((file) => file === name));
    if (other.length > 0) throw refused(`other files (${other.slice(0, 3).join(", ")})`);
    const there = await readFound(join(folder, "manifest.json"), mostBytes("manifest.json"))
      .then(parseManifest)
      .catch(() => null);
    if (there === null) throw refused("a bundle that can't be read");
    if (there.benchmark !== benchmark || there.version !== version)
      throw refused(`the bundle ${there.benchmark}@${there.version}`);
  }
  const why = await whyNotWritable(folder);
  if (why !== null) throw invalidOption(`${folder} can't be written to: ${why}`);
}

/**
 * Writes a bundle whole or not at all, in the place of all that the folder held.
 * @returns the digest of what was replaced, where that was another fit
 * @throws AnchorEvalError `invalid_option` (`checkBundleFolder`), `unavailable`
 */
export async function writeBundleFolder(
  folder: string,
  files: ReadonlyMap<BundleFileName, Uint8Array>,
  options: Pick<ReplaceOptions, "force"> = {},
): Promise<string | null> {
  await checkBundleFolder(folder, { ...parseManifest(files.get("manifest.json")!), ...options });
  const before = await readFound(join(folder, "manifest.json"), mostBytes("manifest.json")).catch(() => null); // nothing, or broken: it makes way
  const others = (await readdir(folder).catch(() => [])).filter((name) => !isBeingReplaced(name));
  try {
    await replaceFiles(
      folder,
      async (draft) => {
        for (const [name, bytes] of files) await writeFile(join(draft, name), bytes);
      },
      others,
    );
    for (const name of others) if (!files.has(name as BundleFileName)) await rm(join(folder, name), { recursive: true, force: true }); // prettier-ignore
  } catch (cause) {
    if (cause instanceof AnchorEvalError) throw cause;
    throw new AnchorEvalError("unavailable", `${folder} could not be written: ${whyNot(cause)}`, { cause });
  }
  return before && before.compare(files.get("manifest.json")!) !== 0 ? `sha256:${sha256Hex(before)}` : null;
}

/** Reads a bundle's files from its folder. @throws AnchorEvalError `not_found` where no bundle is there */
export async function readBundleFolder(folder: string): Promise<Map<BundleFileName, Uint8Array>> {
  const files = new Map<BundleFileName, Uint8Array>();
  await settleFolder(folder);
  for (const name of BUNDLE_FILES) {
    try {
      const bytes = await existing(() => readFound(join(folder, name), mostBytes(name)));
      if (bytes !== null) files.set(name, new Uint8Array(bytes));
    } catch (cause) {
      if (cause instanceof AnchorEvalError) throw cause; // too long, or no file
      throw new AnchorEvalError("unavailable", `${join(folder, name)} could not be read: ${whyNot(cause)}`, { cause });
    }
  }
  if (!files.has("manifest.json"))
    throw new AnchorEvalError("not_found", `${folder} has no manifest.json: no bundle is there`);
  return files;
}

/**
 * Why nothing can be made in a folder, or in what it would lie in: what is there is a file, or may not be written to. Null
 * where something can. It is tried, by an empty folder that is removed at once: rights alone don't tell.
 * @example const why = await whyNotWritable("out/mine"); // "out is a file"
 */
export async function whyNotWritable(folder: string): Promise<string | null> {
  for (let path = resolve(folder); ; path = dirname(path)) {
    const there = await stat(path).catch(() => null);
    if (there === null && path !== dirname(path)) continue;
    if (there?.isDirectory() === false) return `${path} is a file`;
    try {
      await rmdir(await makeDraft(path));
      return null;
    } catch (error) {
      return `${path} can't be written to: ${whyNot(error)}`;
    }
  }
}
