import { PARTS } from "../../features/core.ts";
import { sha256 } from "./bytes.ts";
import type { Bound } from "./body.ts";
import type { BundleFileName } from "../core/bundle/names.ts";
import { MOST_MANIFEST_BYTES, sha256Hex } from "../core/bundle/digest.ts";
import { type ItemLines, itemLines, keepItems, knowsItems } from "../core/bundle/item-lines.ts";
import type { FileManifest, Manifest } from "../core/bundle/manifest.ts";
import type { Bundle, BundleSource, ByteRange, ExpectedBundle } from "../core/bundle/bundle.ts";
import { otherParts } from "../core/bundle/part.ts";
import { parseManifest } from "./parse-manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";

/**
 * Reads a whole file that a bundle's manifest lists, checked against the byte count and the digest that stand there.
 * {@link loadBundle} reads neither the items nor the report: this does.
 * @throws AnchorEvalError `not_found` where the bundle has no such file; `bundle_corrupt` where its bytes are gone or
 * others, with an issue of the code `missing` or `damaged`; `unavailable`, `aborted`
 * @example await readBundleFile(folderSource("out/helm-lite"), bundle.manifest, "items.jsonl")
 */
export async function readBundleFile(
  source: BundleSource,
  manifest: Manifest,
  name: BundleFileName,
  options: { signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  const file = listedFile(source, manifest, name);
  const bytes = await source.read(name, { ...options, fileBytes: file.bytes });
  return checkedBytes(source, file, bytes, bytes && (await sha256(bytes)));
}

/** @throws AnchorEvalError `not_found`; `bundle_corrupt`, `unsupported` for one that is too long */
function listedFile({ name: place }: BundleSource, manifest: Manifest, name: BundleFileName): FileManifest {
  const file = manifest.files.find((candidate) => candidate.name === name);
  if (!file) throw new AnchorEvalError("not_found", `${manifest.benchmark}@${manifest.version} has no ${name}`);
  checkLength(place, name, file.bytes);
  return file;
}

function checkedBytes(
  source: BundleSource,
  file: FileManifest,
  bytes: Uint8Array | null,
  digest: string | null,
): Uint8Array {
  if (bytes?.length === file.bytes && digest === file.sha256) return bytes;
  const states = `the manifest states ${file.bytes} bytes, SHA-256 ${file.sha256}`;
  throw corrupt(source.name, file.name, bytes === null ? "missing" : "damaged", states);
}

/** The refusal of a file of a bundle. */
export function corrupt(place: string, name: string, state: "missing" | "damaged", why: string): AnchorEvalError {
  const mend = /(^|\/)index\.json$/.test(name)
    ? "remove it, and it is built again"
    : "copy or publish the bundle again";
  return new AnchorEvalError("bundle_corrupt", `${place}: ${name} is ${state}: ${why}; ${mend}`, {
    issues: [{ path: [name], code: state, message: `${name} is ${state}` }],
  });
}

/**
 * Most bytes of a bundle that are held at once, of one file or of the parts that are loaded together: items.jsonl of a
 * million items, 65 bytes each.
 */
export const MOST_FILE_BYTES = 1 << 26;

/** Longest of what lies beside a bundle's files, by its name, or by its folder where its name is a digest. @unit bytes */
const MOST_BESIDE: ReadonlyMap<string, number> = new Map([
  ["manifest.json", MOST_MANIFEST_BYTES],
  ["index.json", 1 << 22], // 16 000 versions, 250 bytes each
  ["trust.json", 1 << 22], // the same, signed
  ["log.jsonl", 1 << 24], // three entries for each of them, 350 bytes each
  ["card.md", 1 << 20], // a line for each of a thousand scenarios in six forms
  ["manifest.sig", 1 << 16], // 16 signatures have 3 kB
  ["yanked.json", 1 << 16], // a reason of 500 letters
  ["signatures", 1 << 16],
  ["publishers", 1 << 16],
]);

/**
 * Most bytes that are read of what was published, which may be anything by now.
 * @param name - a file's, or an object's key
 * @example mostBytes("bundles/quiz/index.json") // 4194304
 */
export function mostBytes(name: string): number {
  const [file = "", folder = ""] = name.split("/").reverse();
  return MOST_BESIDE.get(file) ?? MOST_BESIDE.get(folder) ?? MOST_FILE_BYTES;
}

/**
 * How much is read of a file: as much as its manifest states, and never more than such a file may have.
 * @param keep - all that is held of it, where the rest is only counted
 */
export function fileBound(place: string, name: string, fileBytes?: number, keep?: ByteRange): Bound {
  const longest = mostBytes(name);
  const most = fileBytes === undefined ? longest : keep ? fileBytes : Math.min(fileBytes, longest);
  const refuse = (length: string): Error =>
    most === fileBytes ? otherLength(place, name, length, fileBytes) : tooLong(place, name, length);
  return { most, refuse, ...(keep && { keep }) };
}

/**
 * Refuses a file of another length than its manifest states, and one that is too long to be held.
 * @param length - of the whole file
 * @param range - that is read of it
 * @throws AnchorEvalError `bundle_corrupt`, `unsupported`
 */
export function checkLength(place: string, name: string, length: number, fileBytes?: number, range?: ByteRange): void {
  if (fileBytes !== undefined && length !== fileBytes) throw otherLength(place, name, String(length), fileBytes);
  const held = range ? Math.min(range.end, length) - range.begin : length;
  if (held > mostBytes(name)) throw tooLong(place, name, String(held));
}

function otherLength(place: string, name: string, length: string, fileBytes: number): AnchorEvalError {
  return corrupt(place, name, "damaged", `it has ${length} bytes, the manifest states ${fileBytes}`);
}

function tooLong(place: string, name: string, length: string): AnchorEvalError {
  const why = `it has ${length} bytes, at most ${mostBytes(name)} are read`;
  if (mostBytes(name) !== MOST_FILE_BYTES) return corrupt(place, name, "damaged", why);
  return new AnchorEvalError("unsupported", `${place}: ${name} can't be held: ${why} at once; load fewer scenarios`);
}

/**
 * A bundle's manifest, its bytes, and the bundle's digest, theirs: the bundle that the source's address names, or none; and
 * the parts that this version doesn't know, on which no score bears.
 * @throws AnchorEvalError `not_found` where there is none; `digest_mismatch`, `bundle_mismatch` for another; what
 * `parseManifest` and the source throw
 */
export async function readManifest(
  source: BundleSource,
  options: { readonly digest?: string; readonly signal?: AbortSignal },
): Promise<{ manifest: Manifest; bytes: Uint8Array; digest: string; unknownParts: readonly string[] }> {
  const { name, expected = {} } = source;
  const { digest: pinned, ...rest } = options;
  const bytes = await source.read("manifest.json", rest);
  if (bytes === null) throw new AnchorEvalError("not_found", `${name} has no manifest.json: no bundle is there`);
  const digest = `sha256:${await sha256(bytes)}`;
  for (const wanted of [pinned, expected.digest])
    if (wanted !== undefined && wanted !== digest)
      throw new AnchorEvalError("digest_mismatch", `${name} is bundle ${digest}, expected ${wanted}`);
  const manifest = parseManifest(bytes);
  checkIdentity(manifest, expected, name);
  return { manifest, bytes, digest, unknownParts: otherParts(manifest, PARTS) };
}

/**
 * Refuses a manifest that is of another bundle than the address that it was read from.
 * @throws AnchorEvalError `bundle_mismatch`
 */
export function checkIdentity(
  { benchmark, version }: Pick<Manifest, "benchmark" | "version">,
  expected: ExpectedBundle,
  place: string,
): void {
  if (benchmark === (expected.benchmark ?? benchmark) && version === (expected.version ?? version)) return;
  throw new AnchorEvalError(
    "bundle_mismatch",
    `${place} has the manifest of ${benchmark}@${version}, another bundle than its address names: publish the right one there`,
  );
}

/**
 * Loads what names the items of a bundle.
 * @throws AnchorEvalError as {@link readBundleFile}; `bundle_invalid` where the file has another number of items
 * @example const { item_id } = (await loadItemLines(source, bundle.manifest)).record(0);
 */
export async function loadItemLines(
  source: BundleSource,
  manifest: Manifest,
  options: { signal?: AbortSignal } = {},
): Promise<ItemLines> {
  return itemLines(await readBundleFile(source, manifest, "items.jsonl", options), manifest, source.name);
}

/**
 * Reads the names of all items of a loaded bundle, so that answers to items that are no anchors count; once a bundle.
 * @throws AnchorEvalError as {@link loadItemLines}
 */
export async function loadItems(
  source: BundleSource,
  bundle: Bundle,
  options: { signal?: AbortSignal } = {},
): Promise<void> {
  if (knowsItems(bundle)) return;
  const lines = await loadItemLines(source, bundle.manifest, options);
  keepItems(bundle, () => lines);
}

/** Lets a bundle from a source that reads without waiting know its items: they are read where an answer is to none of its anchors. */
export function keepLocalItems(source: BundleSource, bundle: Bundle): void {
  if (!source.readNow) return;
  const { manifest } = bundle;
  keepItems(bundle, () => {
    const file = listedFile(source, manifest, "items.jsonl");
    const bytes = source.readNow!("items.jsonl", file.bytes);
    return itemLines(checkedBytes(source, file, bytes, bytes && sha256Hex(bytes)), manifest, source.name);
  });
}
