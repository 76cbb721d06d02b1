import { type BundleSource, loadBundle, trustedSource } from "anchoreval";
import { isSignedBy } from "anchoreval/internal/bundles/trusted-source";
import {
  encodeSignatures,
  type ManifestSignature,
  mergeSignatures,
  parseSignatures,
} from "anchoreval/internal/core/bundle/signature";
import { afterEach, describe, expect, test, vi } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { base64Url, signingKey } from "../../support/signing-key.ts";

const files = sampleBundle();
const manifest = files.get("manifest.json")!;
const [own, next, other] = await Promise.all([signingKey(), signingKey(), signingKey()]);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (text: string): string => base64Url(Uint8Array.from(Buffer.from(text, "hex")).buffer);
/** The sample bundle, with this manifest.sig. */
const signedBy = (signatures: Uint8Array | null, from = files): BundleSource => {
  const inner = memorySource(from);
  return {
    name: "signed",
    read: (file, options) => inner.read(file, options),
    readSignatures: () => Promise.resolve(signatures),
  };
};
const load = (source: BundleSource, trustedKeys: string[]): Promise<unknown> => loadBundle(source, { trustedKeys });

afterEach(() => vi.unstubAllGlobals());

/** RFC 8032, §7.1, tests 1 to 3. */
const VECTORS: [string, string, string][] = [
  [
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
  ],
  [
    "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    "72",
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
  ],
  [
    "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
    "af82",
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
  ],
];

test.each(VECTORS)(
  "the standard's own signature by %s is right, and of nothing else",
  async (key, message, signature) => {
    const signed = { key: hex(key), signature: hex(signature) };
    const text = Uint8Array.from(Buffer.from(message, "hex"));
    expect(await isSignedBy(text, signed)).toBe(true);
    expect(await isSignedBy(Uint8Array.of(...text, 0), signed)).toBe(false);
    expect(await isSignedBy(text, { ...signed, key: own.key })).toBe(false);
    expect(parseSignatures(encodeSignatures([signed]))).toEqual([signed]);
  },
);

describe("a bundle", () => {
  test("that a trusted key signed is loaded; either of two while one replaces the other", async () => {
    const signed = signedBy(await own.file(manifest));
    for (const keys of [[own.key], [next.key, own.key], [own.key, next.key]])
      expect(await load(signed, keys)).toMatchObject({ manifest: { version: "1.0.0" } });
    const both = signedBy(encodeSignatures([await own.signature(manifest), await next.signature(manifest)]));
    for (const keys of [[own.key], [next.key]]) expect(await load(both, keys)).toBeDefined();
  });

  test("is loaded whatever its signatures where nobody asks for them", async () => {
    expect(await loadBundle(signedBy(bytes("damaged")))).toBeDefined();
  });

  const swapped = async (): Promise<Uint8Array> =>
    encodeSignatures([{ key: own.key, signature: (await other.signature(manifest)).signature }]);
  test.each<[string, () => Promise<Uint8Array | null> | Uint8Array | null]>([
    ["without signatures", () => null],
    ["that another key signed", () => other.file(manifest)],
    ["with a trusted key's name on another's signature", swapped],
    ["with a signature of another manifest", () => own.file(Uint8Array.of(...manifest, 10))],
    ["with no signature in the list", () => encodeSignatures([])],
    ["with damaged signatures", async () => (await own.file(manifest)).slice(0, -4)],
    ["with too many", async () => encodeSignatures(Array<ManifestSignature>(17).fill(await own.signature(manifest)))],
  ])("%s is refused", async (_, signatures) => {
    const error = await rejection(load(signedBy(await signatures()), [own.key]));
    expectRefusal(error, "bundle_untrusted", "no trusted key signed it");
  });

  test("whose manifest changed by one byte is refused", async () => {
    const changed = new Map(files).set("manifest.json", manifest.with(-3, manifest.at(-3)! ^ 1));
    const error = await rejection(load(signedBy(await own.file(manifest), changed), [own.key]));
    expectRefusal(error, "bundle_untrusted", "no trusted key signed it");
  });

  test("of a source that knows no signatures is refused", async () => {
    expectRefusal(await rejection(load(memorySource(files), [own.key])), "bundle_untrusted", "it has no signature");
  });

  test("that isn't there isn't there", async () => {
    expectRefusal(await rejection(load(signedBy(null, new Map()), [own.key])), "not_found", "no manifest.json");
  });
});

test("a part of the manifest is given of a trusted one alone", async () => {
  const range = { begin: 5, end: 9 };
  const trusted = trustedSource(signedBy(await own.file(manifest)), [own.key]);
  expect(await trusted.read("manifest.json", { range })).toEqual(manifest.slice(5, 9));
  const refused = trustedSource(signedBy(null), [own.key]);
  expectRefusal(await rejection(refused.read("manifest.json", { range })), "bundle_untrusted", "no signature");
});

test.each([[[]], [["abc"]], [[`${own.key}=`]], [[own.key, ""]]])("%j is no list of keys", async (keys) => {
  const error = await rejection(load(signedBy(await own.file(manifest)), keys));
  expectRefusal(error, "invalid_option", "key");
});

test.each([
  ["no Web Crypto", undefined],
  [
    "no Ed25519 in it",
    {
      subtle: {
        digest: crypto.subtle.digest.bind(crypto.subtle),
        importKey: () => Promise.reject(new DOMException("", "NotSupportedError")),
      },
    },
  ],
])("a runtime with %s says so", async (_, stub) => {
  const signed = signedBy(await own.file(manifest));
  vi.stubGlobal("crypto", stub);
  expectRefusal(await rejection(load(signed, [own.key])), "unsupported", "has no Ed25519");
});

test("merged signatures hold each key once, the newer one, in one order", async () => {
  const [a, b] = [await own.signature(manifest), await next.signature(manifest)];
  expect(mergeSignatures([a], [b])).toEqual(mergeSignatures([b], [a]));
  expect(mergeSignatures([a, b], [{ ...a, signature: b.signature }])).toContainEqual({ ...a, signature: b.signature });
  expect(mergeSignatures([a, b], [a])).toHaveLength(2);
});
