import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadBundle } from "anchoreval";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { plainSignatureKey, signatureKey } from "anchoreval/internal/core/bundle/names";
import { parseSignatures } from "anchoreval/internal/core/bundle/signature";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { folderSource, folderStore } from "anchoreval/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const files = sampleBundle();
const manifest = files.get("manifest.json")!;

const folder = tempFolder();
let count = 0;
let root: string;
let bundle: string;
beforeEach(async () => {
  root = folder.path(String(count++));
  bundle = join(root, "bundle");
  await mkdir(bundle, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(bundle, name), bytes);
});
afterEach(() => vi.unstubAllEnvs());

const newKey = async (name: string): Promise<string> =>
  (await runCommand("keys", "make", "--out", join(root, name))).out.trim();
const sign = (name: string) => runCommand("keys", "sign", bundle, "--key", join(root, name));
const signatures = async () => parseSignatures(await readFile(join(bundle, "manifest.sig")))!;

test("a key signs a bundle, as Node's own crypto confirms, and the bundle stays as it is", async () => {
  const key = await newKey("a.pem");
  expect((await stat(join(root, "a.pem"))).mode & 0o777).toBe(0o600);
  expect(await sign("a.pem")).toMatchObject({ code: 0, out: expect.stringContaining(key) as string });
  const [own] = await signatures();
  expect(own!.key).toBe(key);
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });
  expect(verify(null, manifest, publicKey, Buffer.from(own!.signature, "base64url"))).toBe(true);
  expect(await readFile(join(bundle, "manifest.json"))).toEqual(Buffer.from(manifest));
  expect((await loadBundle(folderSource(bundle), { trustedKeys: [key] })).digest).toBe(`sha256:${sha256Hex(manifest)}`);
});

test("show names who signed, and a signature that is of another manifest", async () => {
  expect((await runCommand("show", bundle)).out).not.toContain("signed by");
  const key = await newKey("a.pem");
  await sign("a.pem");
  const { out } = await runCommand("show", bundle);
  expect(out).toMatch(new RegExp(`\nsigned by +${key}\n`));
  expect(JSON.parse((await runCommand("show", bundle, "--json")).out)).toMatchObject({
    signatures: [{ key, valid: true }],
  });

  await writeFile(join(bundle, "manifest.json"), sampleBundle({ version: "2.0.0" }).get("manifest.json")!);
  expect((await runCommand("show", bundle)).out).toMatch(new RegExp(`\nNOT signed by +${key}\n`));
  await writeFile(join(bundle, "manifest.sig"), "{}");
  expect((await runCommand("show", bundle)).out).toMatch(/\nsignature +can't be read\n/);
});

test("two keys at once, one of which replaces the other; signing again changes nothing", async () => {
  const keys = [await newKey("a.pem"), await newKey("b.pem")];
  for (const name of ["a.pem", "b.pem", "a.pem"]) expect((await sign(name)).code).toBe(0);
  expect((await signatures()).map(({ key }) => key)).toEqual(keys.toSorted());
  for (const key of keys) await loadBundle(folderSource(bundle), { trustedKeys: [key] });
});

test("signatures of the manifest that stood there before are dropped", async () => {
  await newKey("a.pem");
  const key = await newKey("b.pem");
  await sign("a.pem");
  await writeFile(join(bundle, "manifest.json"), sampleBundle({ version: "2.0.0" }).get("manifest.json")!);
  await sign("b.pem");
  expect((await signatures()).map((own) => own.key)).toEqual([key]);
});

test("published to a folder, the signatures are there before the manifest, for readers of both kinds", async () => {
  const key = await newKey("a.pem");
  await sign("a.pem");
  const out = join(root, "published");
  expect((await runCommand("publish", bundle, "--to", out)).code).toBe(0);
  const bytes = await readFile(join(bundle, "manifest.sig"));
  expect(await readFile(join(out, signatureKey("sample", sha256Hex(manifest))))).toEqual(bytes);
  expect(await readFile(join(out, plainSignatureKey("sample", "1.0.0")))).toEqual(bytes);
  await loadBundle(folderSource(join(out, "bundles/sample/1.0.0")), { trustedKeys: [key] });

  const written: string[] = [];
  const store = folderStore(join(root, "other"));
  const putIfAbsent: typeof store.putIfAbsent = (path, content) => (
    written.push(path),
    store.putIfAbsent(path, content)
  );
  await publishBundle({ ...store, putIfAbsent }, files, { signatures: new Uint8Array(bytes) });
  expect(written.slice(-5)).toEqual([
    signatureKey("sample", sha256Hex(manifest)),
    `bundles/sample/publishers/${sha256Hex(manifest)}`,
    "bundles/sample/1.0.0/manifest.json",
    "bundles/sample/log.jsonl",
    "bundles/sample/index.json",
  ]);
});

test("published again with another key's, both are there", async () => {
  const keys = [await newKey("a.pem"), await newKey("b.pem")];
  const out = join(root, "published");
  await sign("a.pem");
  await runCommand("publish", bundle, "--to", out);
  await writeFile(join(bundle, "manifest.sig"), '{"signatures":[]}');
  await sign("b.pem");
  expect((await runCommand("publish", bundle, "--to", out)).out).toContain("is there already");
  const both = parseSignatures(await readFile(join(out, plainSignatureKey("sample", "1.0.0"))))!;
  expect(both.map(({ key }) => key)).toEqual(keys.toSorted());
});

test("commands read only what ANCHOREVAL_TRUSTED_KEYS allows", async () => {
  const keys = [await newKey("a.pem"), await newKey("b.pem")];
  await sign("a.pem");
  vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", keys.join(", "));
  expect((await runCommand("show", bundle)).code).toBe(0);
  vi.stubEnv("ANCHOREVAL_TRUSTED_KEYS", keys[1]);
  expect(await runCommand("show", bundle)).toMatchObject({
    code: 2,
    err: expect.stringContaining("no trusted key signed it") as string,
  });
});

describe("what is refused", () => {
  test("a key over a file that is there", async () => {
    await newKey("a.pem");
    const before = await readFile(join(root, "a.pem"));
    expect(await runCommand("keys", "make", "--out", join(root, "a.pem"))).toMatchObject({ code: 2, out: "" });
    expect(await readFile(join(root, "a.pem"))).toEqual(before);
  });

  test.each<[string, (file: string) => Promise<void>]>([
    ["no file", () => Promise.resolve()],
    ["a file that is no key", (file) => writeFile(file, "x")],
    [
      "a key of another kind",
      (file) =>
        writeFile(
          file,
          generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }),
        ),
    ],
  ])("%s", async (_, prepare) => {
    await prepare(join(root, "bad.pem"));
    expect(await sign("bad.pem")).toMatchObject({ code: 2, err: expect.stringContaining("--key") as string });
    await expect(stat(join(bundle, "manifest.sig"))).rejects.toThrow();
  });

  test("a folder without a bundle, and signatures that can't be read", async () => {
    await newKey("a.pem");
    const { code, err } = await runCommand("keys", "sign", root, "--key", join(root, "a.pem"));
    expect([code, err]).toEqual([2, expect.stringContaining("no bundle is there")]);
    await writeFile(join(bundle, "manifest.sig"), "{");
    const published = await runCommand("publish", bundle, "--to", join(root, "out"));
    expect(published).toMatchObject({ code: 2, err: expect.stringContaining("sign the bundle again") as string });
  });
});
