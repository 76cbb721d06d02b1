import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { httpSource, loadBundle, trustRoot } from "anchoreval";
import type { TrustMemory } from "anchoreval/internal/features/trust/sdk/trust-root";
import { indexKey, manifestKey, logKey, trustKey } from "anchoreval/internal/core/bundle/names";
import { parseLog } from "anchoreval/internal/bundles/publication-log";
import { publishToWorker } from "anchoreval/internal/features/publishing/sdk/publish-to-worker";
import {
  type IndexStatement,
  parseIndexStatement,
  type TrustFile,
} from "anchoreval/internal/features/trust/sdk/statements";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { type SigningKey, signingKey } from "../../support/signing-key.ts";
import { DAY, NOW, rootJson, rootOf, sign } from "../../support/trust.ts";
import { put, testToken } from "./support/publish.ts";
import { problemOf, startApp } from "./support/worker.ts";

const publisher = testToken("publisher", ["publish:sample"]);
const TOKENS = JSON.stringify([publisher.record]);
const [a, b, bundles, successor, online] = await Promise.all([signingKey(), signingKey(), signingKey(), signingKey(), signingKey()]); // prettier-ignore
const [INDEX_KEY, OTHER_KEY] = await Promise.all([online.pem(), bundles.pem()]);
const first = await sign("root", rootOf(1, { keys: [a, b], bundles: [bundles], index: [online] }), [a, b]);
/** The key of bundles was stolen. */
const second = await sign("root", rootOf(2, { keys: [a, b], bundles: [successor], index: [online] }), [a, b]);
const files = { "1.0.0": sampleBundle(), "1.1.0": sampleBundle({ version: "1.1.0" }) };

/** A Worker that trusts these versions of the root, at a time; and a client of it. */
function worker(roots = [first], now = NOW, bindings: Parameters<typeof startApp>[1] = {}) {
  const request = startApp({ now: () => now }, { TOKENS, TRUSTED_KEYS: rootJson(...roots), INDEX_KEY, ...bindings });
  const over = ((url: string, init: RequestInit) => {
    const { pathname } = new URL(url);
    const length = init.body ? { "content-length": String((init.body as Uint8Array).length) } : {}; // as a real socket states it
    return request(pathname, { ...init, headers: { ...(init.headers as Record<string, string>), ...length } });
  }) as typeof fetch;
  return {
    request,
    publish: async (version: keyof typeof files, signer: SigningKey | null) =>
      publishToWorker(files[version], {
        baseUrl: "http://localhost",
        token: "test-publisher",
        signatures: signer && (await signer.file(files[version].get("manifest.json")!)),
        fetch: over,
      }),
    load: (version: string, memory: TrustMemory) =>
      loadBundle(httpSource(`http://localhost/v1/bundles/sample/${version}`, { fetch: over, maxRetries: 0 }), {
        trustedKeys: trustRoot(rootJson(first), { memory, now: () => now }),
      }),
    index: async (): Promise<IndexStatement> => {
      const response = await request("/v1/bundles/sample/trust.json");
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
      return parseIndexStatement((await response.json<TrustFile>()).index!)!;
    },
  };
}
function emptyMemory(): TrustMemory {
  const kept = new Map<string, string>();
  return { read: (key) => kept.get(key) ?? null, write: (key, text) => kept.set(key, text) };
}

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

test("what a key of the root signed is published, and the Worker's own key signs the index that readers ask for", async () => {
  const { publish, load, index } = worker();
  await publish("1.0.0", bundles);
  const memory = emptyMemory();
  expect((await load("1.0.0", memory)).manifest.version).toBe("1.0.0");
  await publish("1.1.0", bundles);
  expect((await load("1.1.0", memory)).manifest.version).toBe("1.1.0"); // at once
  expect(await index()).toMatchObject({
    number: 2,
    latest: "1.1.0",
    versions: [{ version: "1.0.0" }, { version: "1.1.0" }],
  });
});

test("the index is renewed when half a day has gone, not before; twenty that ask at once get one number", async () => {
  await worker().publish("1.0.0", bundles);
  expect(await worker().index()).toMatchObject({ number: 1 });
  expect(await worker([first], NOW + DAY / 2 - 1).index()).toMatchObject({ number: 1 });
  const later = worker([first], NOW + DAY / 2);
  expect(new Set((await Promise.all(Array.from({ length: 20 }, later.index))).map(({ number }) => number))).toEqual(
    new Set([2]),
  );
});

test("a key that the next root leaves out publishes nothing more, and its bundles are refused to who knew the first root", async () => {
  await worker().publish("1.0.0", bundles);
  const rotated = worker([first, second]);
  await expect(rotated.publish("1.1.0", bundles)).rejects.toMatchObject({
    code: "bundle_untrusted",
    message: expect.stringContaining(`signed by ${bundles.key}, which root 2 revoked`) as string,
  });
  const memory = emptyMemory();
  await expect(rotated.load("1.0.0", memory)).rejects.toThrow("which root 2 revoked");
  // Signed again, the same bundle stays what it was.
  expect(await rotated.publish("1.0.0", successor)).toMatchObject({ status: "already" });
  expect((await rotated.load("1.0.0", memory)).manifest.version).toBe("1.0.0");
  await expect(worker().load("1.0.0", memory)).resolves.toBeDefined(); // a Worker that still has the first root
});

describe("a stolen token", () => {
  test("publishes nothing that no key of the root signed, and changes no version", async () => {
    const { publish, request } = worker();
    await publish("1.0.0", bundles);
    for (const signer of [null, successor, online])
      await expect(publish("1.1.0", signer)).rejects.toMatchObject({ code: "bundle_untrusted" });
    for (const name of ["trust.json", "index.json"]) {
      const response = await request(`/v1/bundles/sample/${name}`, put(Uint8Array.of(1), publisher.bearer));
      expect((await problemOf(response)).status).toBe(405);
    }
  });

  test("yanks, which the signed index says, and which can be taken back", async () => {
    const { publish, request, index } = worker();
    await publish("1.0.0", bundles);
    const yank = (body: object) =>
      request("/v1/bundles/sample/1.0.0/yank", {
        ...put(new TextEncoder().encode(JSON.stringify(body)), {
          ...publisher.bearer,
          "content-type": "application/json",
        }),
      });
    await yank({ yanked: true, reason: "none" });
    expect(await index()).toMatchObject({ latest: null, versions: [{ yanked: true, reason: "none" }] });
    await yank({ yanked: false });
    expect(await index()).toMatchObject({ latest: "1.0.0", number: 2 });
  });
});

describe("who writes to the bucket without the Worker", () => {
  type Change = (index: { versions: { version: string; digest: string }[] }) => unknown;
  const rewritten = async (change: Change): Promise<void> => {
    const there = await (await env.BUNDLES.get(indexKey("sample")))!.json<never>();
    await change(there);
    await env.BUNDLES.put(indexKey("sample"), JSON.stringify(there));
  };
  test("takes no version out of the signed index that is still there", async () => {
    const { publish, request, index } = worker();
    await publish("1.0.0", bundles);
    await publish("1.1.0", bundles);
    await index();
    await rewritten(({ versions }) => versions.pop());
    expect((await request("/v1/bundles/sample/trust.json")).status).toBe(200);
    expect(await index()).toMatchObject({ latest: "1.1.0", versions: [{ version: "1.0.0" }, { version: "1.1.0" }] });
  });

  test.each<[string, Change, string]>([
    [
      "a version gone",
      async ({ versions }) => {
        versions.pop();
        await env.BUNDLES.delete(manifestKey("sample", "1.1.0"));
      },
      "it no longer names version 1.1.0",
    ],
    [
      "another digest",
      ({ versions }) => (versions[1]!.digest = versions[0]!.digest),
      "names another bundle as version 1.1.0",
    ],
  ])("gets no signature on an index with %s", async (_, change, words) => {
    // prettier-ignore
    const { publish, request, index } = worker();
    await publish("1.0.0", bundles);
    await publish("1.1.0", bundles);
    await index();
    await rewritten(change);
    const problem = await problemOf(await request("/v1/bundles/sample/trust.json"));
    expect(problem).toMatchObject({
      status: 500,
      code: "bundle_corrupt",
      detail: expect.stringContaining(words) as string,
    });
  });

  test("gets no signature on an index beside a log that was cut, or chained anew", async () => {
    const { publish, request, index } = worker();
    await publish("1.0.0", bundles);
    await publish("1.1.0", bundles);
    const text = await (await env.BUNDLES.get(logKey("sample")))!.text();
    expect((await index()).log).toEqual({ entries: 2, head: (await parseLog(new TextEncoder().encode(text), "")).heads[1] }); // prettier-ignore
    const [one = "", two = ""] = text.trimEnd().split("\n");
    const attacks = [
      [`${one}\n`, "ends after entry 1, and its index names entry 2: entries were cut off"],
      [`${two}\n`, "line 1 is entry 2: an entry before it was cut out"],
      [`${one.replace("publisher", "thief")}\n${two}\n`, "line 1 can't be read"],
      [`${one}\n${two.replace('"publisher":"publisher"', '"publisher":"thief"')}\n`, "entry 2 isn't the one that its index names"], // prettier-ignore
    ] as const;
    for (const [bytes, words] of attacks) {
      await env.BUNDLES.put(logKey("sample"), bytes);
      const problem = await problemOf(await request("/v1/bundles/sample/trust.json"));
      expect(problem).toMatchObject({ status: 500, code: "bundle_corrupt", detail: expect.stringContaining(words) as string }); // prettier-ignore
    }
    // With an index that agrees: what was signed last says otherwise.
    await env.BUNDLES.put(logKey("sample"), attacks[3][0]);
    const forged = await parseLog(new TextEncoder().encode(attacks[3][0]), "");
    const there = await (await env.BUNDLES.get(indexKey("sample")))!.json<object>();
    await env.BUNDLES.put(indexKey("sample"), JSON.stringify({ ...there, log: { entries: 2, head: forged.heads[1] } }));
    const problem = await problemOf(await request("/v1/bundles/sample/trust.json"));
    expect(problem.detail).toContain("entry 2 isn't the one that the index that was signed last names");
  });

  test("puts an older index back: its number isn't raised, so that who saw the newer one refuses it", async () => {
    const { publish, load, index } = worker();
    await publish("1.0.0", bundles);
    await index();
    const old = await Promise.all([indexKey("sample"), trustKey("sample")].map(async (key) => [key, await (await env.BUNDLES.get(key))!.text()] as const)); // prettier-ignore
    await publish("1.1.0", bundles);
    const memory = emptyMemory();
    await load("1.0.0", memory);
    for (const [key, text] of old) await env.BUNDLES.put(key, text);
    await expect(load("1.0.0", memory)).rejects.toThrow(
      "is older than number 2, which was seen there before (rollback)",
    );
  });

  test("puts an index of a key of its own there: it is neither served nor followed", async () => {
    const { publish, request } = worker();
    await publish("1.0.0", bundles);
    await env.BUNDLES.put(
      trustKey("sample"),
      JSON.stringify({ roots: [first], index: await sign("index", {}, [successor]) }),
    );
    const problem = await problemOf(await request("/v1/bundles/sample/trust.json"));
    expect(problem).toMatchObject({ status: 500, code: "bundle_corrupt", detail: expect.stringContaining("signed by a key that no version of this root lists") as string }); // prettier-ignore
  });
});

describe("a Worker whose", () => {
  test.each<[string, Parameters<typeof worker>, string]>([
    [
      "root has too few signatures",
      [[{ ...first, signatures: first.signatures.slice(1) }]],
      "TRUSTED_KEYS: its root.json: root 1 has 1 of the 2",
    ],
    ["root has expired", [[first], NOW + 366 * DAY], "TRUSTED_KEYS: root 1 expired"],
    ["key isn't the root's", [[first], NOW, { INDEX_KEY: OTHER_KEY }], `INDEX_KEY: root 1 doesn't list ${bundles.key}`],
  ])("%s says so, and signs nothing", async (_, setup, words) => {
    // prettier-ignore
    await worker().publish("1.0.0", bundles);
    const problem = await problemOf(await worker(...setup).request("/v1/bundles/sample/trust.json"));
    expect(problem).toMatchObject({
      status: 500,
      code: "misconfigured",
      detail: expect.stringContaining(words) as string,
    });
    expect(await env.BUNDLES.get(trustKey("sample"))).toBeNull();
  });

  test("root lists a key for indexes that the Worker hasn't has the root alone: readers say what is missing", async () => {
    const { publish, load } = worker([first], NOW, { INDEX_KEY: "" });
    await publish("1.0.0", bundles);
    await expect(load("1.0.0", emptyMemory())).rejects.toThrow("has no signed index, which root 1 asks for");
  });

  test("keys aren't a root's has no trust.json, nor has what isn't published", async () => {
    const plain = startApp({}, { TRUSTED_KEYS: bundles.key });
    expect((await problemOf(await plain("/v1/bundles/sample/trust.json"))).detail).toContain(
      "this Worker has no root of trust",
    );
    expect((await problemOf(await worker().request("/v1/bundles/none/trust.json"))).status).toBe(404);
    expect(await env.BUNDLES.get(trustKey("none"))).toBeNull();
  });
});
