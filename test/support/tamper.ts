/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access -- manifests are broken on purpose, as loose JSON */
import type { BundleFileName } from "anchoreval/bundle";
import { encodeManifest, sha256Hex } from "anchoreval/internal/core/bundle/digest";
import {
  decodeSafetensorsHeader,
  encodeSafetensors,
  tensorData,
  type Tensor,
} from "anchoreval/internal/core/bundle/safetensors";

export type BundleFiles = ReadonlyMap<BundleFileName, Uint8Array>;

/** A manifest as loose JSON, for breaking it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Loose = any;

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);

/** The files with another manifest, its checksum true to it; every other file stays as it is. */
export function withManifest(files: BundleFiles, edit: (manifest: Loose) => void): BundleFiles {
  const manifest: Loose = JSON.parse(text(files.get("manifest.json")!));
  edit(manifest);
  return new Map([...files, ["manifest.json", encodeManifest(manifest as object)]]);
}

/** The text of a manifest with something replaced, its checksum true to it. */
export function resealed(manifest: Uint8Array, change: (text: string) => string): Uint8Array {
  return encodeManifest(JSON.parse(change(text(manifest))) as object);
}

/** The files with another file; the manifest stays, so that digests tell. */
export function withFile(files: BundleFiles, name: BundleFileName, content: Uint8Array): BundleFiles {
  return new Map([...files, [name, content]]);
}

/** The files with other tensors, digests and segments true to them: only the content is wrong. */
export function withTensors(files: BundleFiles, edit: (tensors: Tensor[]) => Tensor[]): BundleFiles {
  const file = files.get("parameters.safetensors")!;
  const { tensors } = decodeSafetensorsHeader(file, file.length);
  const list = [...tensors]
    .sort(([, x], [, y]) => x.begin - y.begin)
    .map(([name, entry]): Tensor => ({ name, shape: entry.shape, data: tensorData(entry, file, 0) }));
  return resealParameters(files, encodeSafetensors(edit(list)));
}

/** The files with one tensor changed. */
export function withTensor(files: BundleFiles, name: string, edit: (tensor: Tensor) => Tensor): BundleFiles {
  return withTensors(files, (tensors) => {
    if (!tensors.some((tensor) => tensor.name === name)) throw new Error(`there is no tensor ${name} to change`);
    return tensors.map((tensor) => (tensor.name === name ? edit(tensor) : tensor));
  });
}

/** The files with another parameters.safetensors, segments cut where each scenario's item parameters begin. */
function resealParameters(files: BundleFiles, content: Uint8Array): BundleFiles {
  const { tensors } = decodeSafetensorsHeader(content, content.length);
  return withManifest(withFile(files, "parameters.safetensors", content), (manifest: Loose) => {
    const ids = (manifest.scenarios as { id: string }[]).map(({ id }) => id);
    const begins = ids.map((_, s) =>
      Math.min(
        ...[...tensors]
          .filter(([name]) => /^scenario\.\d+\.(a|b|lower|upper)$/.test(name) && name.startsWith(`scenario.${s}.`))
          .map(([, entry]) => entry.begin),
      ),
    );
    seal(manifest, "parameters.safetensors", content, [0, ...begins], [null, ...ids]);
  });
}

/** The files with other lines in anchors.jsonl, scenario by scenario; digests and segments are true to them. */
export function withAnchors(files: BundleFiles, edit: (lines: string[], scenario: string) => string[]): BundleFiles {
  const content = files.get("anchors.jsonl")!;
  const manifest: Loose = JSON.parse(text(files.get("manifest.json")!));
  const file = (manifest.files as Loose[]).find((candidate) => candidate.name === "anchors.jsonl");
  const segments: { begin: number; end: number; scenario: string }[] = file.segments;
  return resealAnchors(
    files,
    segments.map(({ begin, end, scenario }) => {
      const lines = text(content.subarray(begin, end)).trimEnd().split("\n");
      return bytes(`${edit(lines, scenario).join("\n")}\n`);
    }),
    segments.map(({ scenario }) => scenario),
  );
}

/** A line of anchors.jsonl with some fields changed; undefined takes one out. */
export function withFields(line: string, fields: object): string {
  return JSON.stringify({ ...(JSON.parse(line) as object), ...fields });
}

function resealAnchors(files: BundleFiles, parts: readonly Uint8Array[], scenarios: readonly string[]): BundleFiles {
  const begins: number[] = [];
  let length = 0;
  for (const part of parts) {
    begins.push(length);
    length += part.length;
  }
  const content = new Uint8Array(length);
  parts.forEach((part, s) => content.set(part, begins[s]));
  return withManifest(withFile(files, "anchors.jsonl", content), (manifest: Loose) =>
    seal(manifest, "anchors.jsonl", content, begins, scenarios),
  );
}

function seal(
  manifest: Loose,
  name: BundleFileName,
  content: Uint8Array,
  begins: readonly number[],
  scenarios: readonly (string | null)[],
): void {
  const file = (manifest.files as Loose[]).find((candidate) => candidate.name === name);
  file.bytes = content.length;
  file.sha256 = sha256Hex(content);
  file.segments = begins.map((begin, k) => {
    const end = begins[k + 1] ?? content.length;
    return { begin, end, sha256: sha256Hex(content.subarray(begin, end)), scenario: scenarios[k] };
  });
}

/** A copy with one bit of one byte changed. */
export function flipped(content: Uint8Array, position: number): Uint8Array {
  const copy = content.slice();
  copy[position]! ^= 1;
  return copy;
}
