import { readFileSync, readdirSync } from "node:fs";
import { loadBundle, readBundleFile } from "anchoreval";
import { parseManifest, type BundleFileName, type Manifest } from "anchoreval/bundle";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { WHOLE } from "../../support/whole.ts";

type Files = ReadonlyMap<BundleFileName, Uint8Array>;
type Damage = (bytes: Uint8Array, random: RandomSource) => Uint8Array;

const FOLDERS = ["../../fixtures/golden-bundle/bundle/", "../../../bundles/gsm8k/1.0.0/"];
const [GOLDEN, SHIPPED] = FOLDERS.map((folder): Files => {
  const at = new URL(folder, import.meta.url);
  const names = readdirSync(at).filter((name) => name !== "card.md") as BundleFileName[];
  return new Map(names.map((name) => [name, new Uint8Array(readFileSync(new URL(name, at)))]));
}) as [Files, Files];

const spliced = (bytes: Uint8Array, at: number, removed: number, added: readonly number[] = []): Uint8Array =>
  new Uint8Array(Buffer.concat([bytes.subarray(0, at), Uint8Array.from(added), bytes.subarray(at + removed)]));
const place = (bytes: Uint8Array, random: RandomSource): number => random.below(bytes.length);

const DAMAGES: Record<string, Damage> = {
  "a bit flipped": (bytes, random) => {
    const at = place(bytes, random);
    return bytes.with(at, bytes[at]! ^ (1 << random.below(8)));
  },
  "a byte replaced": (bytes, random) => {
    const at = place(bytes, random);
    return bytes.with(at, bytes[at]! + 1 + random.below(255));
  },
  "cut short": (bytes, random) => bytes.slice(0, place(bytes, random)),
  "bytes appended": (bytes, random) =>
    spliced(
      bytes,
      bytes.length,
      0,
      Array.from({ length: 1 + random.below(9) }, () => random.below(256)),
    ),
  "a space or a line feed appended": (bytes, random) => spliced(bytes, bytes.length, 0, [random.below(2) ? 32 : 10]),
  "a byte inserted": (bytes, random) => {
    const at = place(bytes, random);
    return spliced(bytes, at, 0, [(bytes[at]! + 1 + random.below(255)) % 256]);
  },
  "bytes lost": (bytes, random) => spliced(bytes, place(bytes, random), 1 + random.below(9)),
};

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const encode = (json: string): Uint8Array => new TextEncoder().encode(json);
type Json = Record<string, unknown>;

const MANIFEST_DAMAGES: Record<string, Damage> = {
  "keys in another order": (bytes, random) => {
    const entries = Object.entries(JSON.parse(text(bytes)) as Json);
    const [moved] = entries.splice(random.below(entries.length), 1);
    const at = random.below(entries.length);
    entries.splice(at, 0, moved!);
    const changed = encode(`${JSON.stringify(Object.fromEntries(entries))}\n`);
    return text(changed) === text(bytes) ? encode(JSON.stringify(Object.fromEntries(entries.reverse()))) : changed;
  },
  "a key twice": (bytes, random) => {
    const entries = Object.entries(JSON.parse(text(bytes)) as Json);
    const [key] = entries[random.below(entries.length)]!;
    const [, value] = entries[random.below(entries.length)]!;
    return encode(text(bytes).replace(/\}\n$/, `,${JSON.stringify(key)}:${JSON.stringify(value)}}\n`));
  },
  "spaces between": (bytes) => encode(JSON.stringify(JSON.parse(text(bytes)), null, 1)),
};

/** The code of the refusal; null where the bundle is believed. */
async function refused(files: Files, name: BundleFileName, manifest: Manifest): Promise<string | null> {
  try {
    if (name === "manifest.json") parseManifest(files.get(name)!);
    const source = memorySource(files);
    if (["manifest.json", "parameters.safetensors", "anchors.jsonl"].includes(name)) await loadBundle(source);
    else await readBundleFile(source, manifest, name);
    return null;
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

describe.each([
  ["the golden bundle", GOLDEN, SHIPPED, WHOLE ? 3000 : 1000],
  ["a bundle that comes along", SHIPPED, GOLDEN, WHOLE ? 1500 : 500],
])("%s", (_, files, other, count) => {
  const manifest = parseManifest(files.get("manifest.json")!);

  test(`${count} damages of all kinds to all its files are refused, every one`, async () => {
    const random = createRandom(25);
    const names = [...files.keys()];
    const believed: string[] = [];
    const codes = new Map<string, number>();
    for (let k = 0; k < count; k++) {
      const name = k % 2 === 0 ? "manifest.json" : names[random.below(names.length)]!;
      const bytes = files.get(name)!;
      const kinds = Object.entries({ ...DAMAGES, ...(name === "manifest.json" && MANIFEST_DAMAGES) });
      const [kind, damage] = kinds[random.below(kinds.length)]!;
      const code = await refused(new Map([...files, [name, damage(bytes, random)]]), name, manifest);
      if (code === null) believed.push(`${name}: ${kind}`);
      else codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    expect(believed).toEqual([]);
    // What is no JSON any more, and has lost its beginning, may be anything: a page of HTML, too.
    expect([...codes.keys()].filter((code) => code !== "bundle_corrupt" && code !== "bundle_invalid")).toEqual([]);
    expect(codes.get("bundle_corrupt")! / count).toBeGreaterThan(0.98);
  });

  test("a file of another bundle in the place of its own is refused", async () => {
    for (const name of files.keys())
      if (other.has(name) && name !== "manifest.json")
        expect(await refused(new Map([...files, [name, other.get(name)!]]), name, manifest)).toBe("bundle_corrupt");
    const swapped = new Map([...files, ["manifest.json", other.get("manifest.json")!] as const]);
    expect(await refused(swapped, "parameters.safetensors", manifest)).toBe("bundle_corrupt");
  });

  test("without the checksum, as before format 1.4, a tenth of single flipped bits and more is believed", async () => {
    const random = createRandom(25);
    const { checksum, ...rest } = JSON.parse(text(files.get("manifest.json")!)) as Json;
    expect(checksum).toBe(manifest.checksum);
    const before = encode(`${JSON.stringify({ ...rest, formatVersion: "1.3" })}\n`);
    let believed = 0;
    for (let k = 0; k < 200; k++) {
      const damaged = new Map([...files, ["manifest.json", DAMAGES["a bit flipped"]!(before, random)] as const]);
      if ((await refused(damaged, "manifest.json", manifest)) === null) believed++;
    }
    expect(believed / 200).toBeGreaterThan(0.1);
    expect(parseManifest(before).checksum).toBeUndefined();
  });
});
