import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { httpSource, loadBundle } from "anchoreval";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { signatureKey } from "anchoreval/internal/core/bundle/names";
import { parseSignatures } from "anchoreval/internal/core/bundle/signature";
import { publishToWorker } from "anchoreval/internal/features/publishing/sdk/publish-to-worker";
import type { PublishResult } from "anchoreval/internal/features/publishing/sdk/versions";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { signingKey } from "../../support/signing-key.ts";
import { publication, publishOverHttp, testToken } from "./support/publish.ts";
import { problemOf, startApp } from "./support/worker.ts";

const publisher = testToken("publisher", ["publish:sample"]);
const TOKENS = JSON.stringify([publisher.record]);
const files = sampleBundle();
const manifest = files.get("manifest.json")!;
const VERSION = "/v1/bundles/sample/1.0.0";
const [own, next, other] = await Promise.all([signingKey(), signingKey(), signingKey()]);
const SIGNATURES = signatureKey("sample", sha256Hex(manifest));

const over = (request: ReturnType<typeof startApp>): typeof fetch =>
  ((url: string, init: RequestInit) =>
    request(url.replace("http://localhost", ""), {
      ...init,
      // a real socket states it
      headers: {
        ...(init.headers as Record<string, string>),
        ...(init.body ? { "content-length": String((init.body as Uint8Array).length) } : {}),
      },
    })) as typeof fetch;
const publish = (
  signatures: Uint8Array | null,
  bindings: Parameters<typeof startApp>[1] = {},
): Promise<PublishResult> =>
  publishToWorker(files, {
    baseUrl: "http://localhost",
    token: "test-publisher",
    signatures,
    fetch: over(startApp({}, { TOKENS, TRUSTED_KEYS: `${own.key}, ${next.key}`, ...bindings })),
  });

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

test("a bundle that a trusted key signed is published, and read with its signature", async () => {
  expect(await publish(await own.file(manifest))).toMatchObject({ status: "published" });
  const request = startApp();
  const response = await request(`${VERSION}/files/manifest.sig`);
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "public, max-age=60"]);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(await own.file(manifest));
  const source = httpSource(`http://localhost${VERSION}`, { fetch: over(request) });
  expect((await loadBundle(source, { trustedKeys: [own.key] })).digest).toBe(`sha256:${sha256Hex(manifest)}`);
  await expect(loadBundle(source, { trustedKeys: [next.key] })).rejects.toMatchObject({ code: "bundle_untrusted" });
});

test("another key's is added by publishing again", async () => {
  await publish(await own.file(manifest));
  expect(await publish(await next.file(manifest))).toMatchObject({ status: "already" });
  const stored = await (await env.BUNDLES.get(SIGNATURES))!.arrayBuffer();
  expect(parseSignatures(new Uint8Array(stored))!.map(({ key }) => key)).toEqual([own.key, next.key].toSorted());
});

test("where no key is set, a bundle needs no signature, and one that it brings is kept if it is right", async () => {
  expect(await publish(null, { TRUSTED_KEYS: "" })).toMatchObject({ status: "published" });
  expect(await problemOf(await startApp()(`${VERSION}/files/manifest.sig`))).toMatchObject({ status: 404 });
  await publish(await other.file(manifest), { TRUSTED_KEYS: "" });
  expect((await startApp()(`${VERSION}/files/manifest.sig`)).status).toBe(200);
});

describe("is refused, and no version is there:", () => {
  test.each<[string, () => Promise<Uint8Array | null>]>([
    ["no signature", () => Promise.resolve(null)],
    ["another key's", () => other.file(manifest)],
    ["one of another manifest", () => own.file(manifest.slice(1))],
  ])("%s", async (_, signatures) => {
    await expect(publish(await signatures())).rejects.toMatchObject({ code: "bundle_untrusted" });
    const kept = (await env.BUNDLES.list()).objects.map(({ key }) => key);
    expect(kept.filter((key) => !key.includes("/blobs/"))).toEqual([]);
  });

  test("a right signature beside a wrong one: what is kept is right", async () => {
    const [good, bad] = [await own.signature(manifest), await other.signature(manifest.slice(1))];
    const header = `${good.key}.${good.signature}, ${bad.key}.${bad.signature}`;
    const request = startApp({}, { TOKENS, TRUSTED_KEYS: own.key });
    const headers = { ...publisher.bearer, "anchoreval-signature": header };
    const response = await request(`${VERSION}/publication`, publication(manifest, headers));
    expect(await problemOf(response)).toMatchObject({ status: 422, code: "bundle_untrusted" });
  });

  test.each(["", "x", "a.b", "a.b.c", ",", "\u00e9"])("a header that is none: %j", async (header) => {
    const request = startApp({}, { TOKENS });
    const headers = { ...publisher.bearer, "anchoreval-signature": header };
    const problem = await problemOf(await publishOverHttp(request, files, headers));
    expect(problem).toMatchObject({ status: 422, code: "invalid_request" });
  });

  test("a setting that has no keys in it lets nobody publish", async () => {
    const request = startApp({}, { TOKENS, TRUSTED_KEYS: "not a key" });
    const { key, signature } = await own.signature(manifest);
    const headers = { ...publisher.bearer, "anchoreval-signature": `${key}.${signature}` };
    const problem = await problemOf(await publishOverHttp(request, files, headers));
    expect(problem).toMatchObject({ status: 500, code: "misconfigured" });
  });
});
