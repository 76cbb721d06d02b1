import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { BundleFileName } from "anchoreval/bundle";
import { parseManifest } from "anchoreval/internal/core/bundle/parse-manifest";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { BUNDLE_FILES } from "anchoreval/internal/core/bundle/names";
import { SIGNATURE_FILE } from "anchoreval/internal/core/bundle/signature";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { isLeftover, whyNotWritable } from "anchoreval/internal/node/drafts";
import { replaceFiles, settleFolder } from "anchoreval/internal/node/folder-files";
import { hasCode, systemReason, unreadable } from "anchoreval/internal/node/system-error";

/** Files that belong to a bundle in a folder. */
const BUNDLE_PARTS = [...BUNDLE_FILES, SIGNATURE_FILE] as const;

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
    new AnchorEvalError("invalid_option", `${folder} holds ${why}: choose another --out, or replace it with --force`);
  await settleFolder(folder);
  const names = await namesIn(folder).catch((cause: unknown) => {
    throw new AnchorEvalError("invalid_option", `${folder} can't be written to: ${systemReason(cause)}`, { cause });
  });
  if (!force && names.length > 0) {
    const other = names.filter((name) => !BUNDLE_PARTS.some((own) => own === name));
    if (other.length > 0) throw refused(`other files (${other.slice(0, 3).join(", ")})`);
    const there = await readFile(join(folder, "manifest.json"))
      .then(parseManifest)
      .catch(() => null);
    if (there === null) throw refused("a bundle that can't be read");
    if (there.benchmark !== benchmark || there.version !== version)
      throw refused(`the bundle ${there.benchmark}@${there.version}`);
  }
  const why = await whyNotWritable(folder);
  if (why !== null) throw new AnchorEvalError("invalid_option", `${folder} can't be written to: ${why}`);
}

/** Names of what lies in a folder, but for the program's own; none where it isn't there. */
async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  });
  return names.filter((name) => !isLeftover(name, false));
}

/**
 * Writes a bundle whole or not at all, whenever the process is killed. It takes the place of all that was in the folder; what
 * isn't a bundle's goes last.
 * @returns the digest of what was replaced, where that was another fit
 * @throws AnchorEvalError `invalid_option` (`checkBundleFolder`), `unavailable`
 */
export async function writeBundleFolder(
  folder: string,
  files: ReadonlyMap<BundleFileName, Uint8Array>,
  options: Pick<ReplaceOptions, "force"> = {},
): Promise<string | null> {
  await checkBundleFolder(folder, { ...parseManifest(files.get("manifest.json")!), ...options });
  const before = await readFile(join(folder, "manifest.json")).catch(() => null); // nothing, or broken: it makes way
  const others = (await namesIn(folder)).filter((name) => !files.has(name as BundleFileName));
  const gone = BUNDLE_PARTS.filter((name) => others.includes(name));
  await replaceFiles(folder, { files: [...files.keys()], gone }, async (...paths) => {
    for (const path of paths) await writeFile(path, files.get(basename(path) as BundleFileName)!);
  });
  for (const name of others) await rm(join(folder, name), { recursive: true, force: true });
  return before && before.compare(files.get("manifest.json")!) !== 0 ? `sha256:${sha256Hex(before)}` : null;
}

/** Reads a bundle's files from its folder. @throws AnchorEvalError `not_found` where no bundle is there */
export async function readBundleFolder(folder: string): Promise<Map<BundleFileName, Uint8Array>> {
  await settleFolder(folder);
  const files = new Map<BundleFileName, Uint8Array>();
  for (const name of BUNDLE_FILES) {
    try {
      files.set(name, new Uint8Array(await readFile(join(folder, name))));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw unreadable(join(folder, name), error);
    }
  }
  if (!files.has("manifest.json"))
    throw new AnchorEvalError("not_found", `${folder} has no manifest.json: no bundle is there`);
  return files;
}
